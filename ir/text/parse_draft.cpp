// A kernel's draft, as print_draft.cpp writes it.
#include <algorithm>

#include "ir/text/parser.h"

namespace sinter::ir::text {

// storage f : type regions in memory ...
KernelStorage Parser::storage() {
  KernelStorage s;
  s.name = peek().text;
  s.func = func();
  expect(":");
  s.type = type();
  s.region = regions();
  temps_.clear();
  expect("in");
  s.memory = memory();
  for (;;) {
    if (accept("at")) s.offset = integer();
    else if (accept("align")) s.align = small_integer();
    else if (accept("pad")) s.pad = integers();
    else if (accept("order"))
      for (const int64_t d : integers()) s.order.push_back(static_cast<int>(std::clamp<int64_t>(d, -1, 1 << 20)));
    else if (accept("of_thread")) s.in_thread = true;
    else if (accept("padded")) s.padded = true;
    else if (accept("loops")) {
      expect("(");
      comma_list(")", [&] { s.loops.push_back(variable()); });
    } else if (accept("layout")) s.layout = layout();
    else break;
  }
  s.loc = loc();
  return s;
}

// stride v = value multiple n of n
NarrowStride Parser::narrow_stride() {
  NarrowStride n;
  n.var = binding();
  expect("=");
  n.value = expr(Int(32));
  temps_.clear();
  expect("multiple");
  n.multiple_bytes = integer();
  expect("of");
  n.element_bytes = integer();
  return n;
}

KernelDraft Parser::draft() {
  KernelDraft k;
  expect("draft");
  k.name = name("the kernel's name");
  int stage = 0;
  while (stage <= static_cast<int>(DraftStage::Flat) && !accept(draft_stage_name(static_cast<DraftStage>(stage)))) ++stage;
  if (stage > static_cast<int>(DraftStage::Flat)) expected("a stage: cut, decoded, tiled, sized, laid_out, packed, ordered, expanded or flat");
  k.stage = static_cast<DraftStage>(stage);
  for (;;) {
    if (accept("general")) k.fast = false;
    else if (accept("threads")) k.threads = small_integer();
    else if (accept("threads_hint")) k.threads_hint = integer();
    else if (accept("shared_bytes")) k.shared_bytes = integer();
    else break;
  }
  k.loc = loc();
  expect("{");
  while (!accept("}")) {
    const size_t at = peek().offset;
    if (accept("host")) {
      k.host = bindings();
    } else if (accept("block_loop")) {
      BlockLoop l;
      l.var = binding();
      expect("in");
      range(l.var ? l.var->type : Int(32), l.min, l.extent);
      if (accept("order")) l.order = integer();
      if (accept("group")) l.group = integer();
      k.block_loops.push_back(std::move(l));
    } else if (accept("grid")) {
      k.grid = expr(Int(64));
    } else if (accept("start")) {
      k.start = bindings();
    } else if (accept("index")) {
      const std::vector<Sym> index = bindings();
      if (index.size() != 4) fail_at(at, "expected four variables: block, thread, lane and warp");
      k.block = index[0], k.thread = index[1], k.lane = index[2], k.warp = index[3];
    } else if (accept("stride")) {
      k.strides.push_back(narrow_stride());
    } else if (is("free")) {
      free_variables();
    } else if (accept("body")) {
      k.body = body();
    } else if (accept("hint")) {
      const Sym v = variable();
      k.hints[v.get()] = hints();
    } else if (accept("coordinates")) {
      expect("(");
      comma_list(")", [&] { k.coordinates.push_back(variable()); });
    } else if (accept("storage")) {
      KernelStorage s = storage();
      if (!k.storage.emplace(s.func, s).second) fail_at(at, "a second storage of this Func");
    } else if (accept("access")) {
      const int b = func();
      k.access_bytes[b] = integer();
    } else {
      expected("host, block_loop, grid, start, index, stride, free, body, hint, coordinates, storage, access or `}`");
    }
    temps_.clear();
  }
  if (!k.body) fail("a draft without a body");
  if (k.stage >= DraftStage::Tiled && k.stage < DraftStage::Expanded) k.lets = let_values(k.body);
  return k;
}

}  // namespace sinter::ir::text
