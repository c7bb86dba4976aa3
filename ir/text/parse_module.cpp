// Module and Kernel.
#include "ir/text/names.h"
#include "ir/text/parser.h"

namespace sinter::ir::text {

void Parser::buffer(Module& m) {
  Buffer b;
  const size_t at = peek().offset;
  const std::string n = name("a buffer");
  expect(":");
  b.type = type();
  b.name = n;
  const int id = static_cast<int>(m.buffers.size());
  b.func = id;
  if (id < static_cast<int>(types_.size())) {
    if (func_names_[static_cast<size_t>(id)] != n) fail_at(at, "expected the buffer of `" + func_names_[static_cast<size_t>(id)] + "`: one for each Func, in order");
    types_[static_cast<size_t>(id)] = b.type;
  } else {
    add_func(n, b.type, at);
  }
  for (;;) {
    if (accept("internal")) b.func = -1;
    else if (accept("of")) b.func = func();
    else if (accept("named")) b.name = string_literal("the buffer's name");
    else if (accept("argument")) b.is_argument = true;
    else if (accept("output")) b.is_output = true;
    else if (accept("base")) b.base = binding(UInt(64));
    else if (accept("min")) b.min = exprs(Int(32), true);
    else if (accept("extent")) b.extent = exprs(Int(32), true);
    else if (accept("stride")) b.stride = exprs(Int(64), true);
    else if (accept("offset")) b.workspace_offset = expr(Int(64));
    else if (accept("bytes")) b.bytes = expr(Int(64));
    else break;
    temps_.clear();
  }
  m.buffers.push_back(std::move(b));
}

std::vector<int> Parser::buffer_list() {
  std::vector<int> out;
  expect("(");
  comma_list(")", [&] { out.push_back(func()); });
  return out;
}

// <memory> buffer : type x elements ...
Allocation Parser::allocation(Memory memory) {
  Allocation a;
  a.memory = memory;
  a.buffer = func();
  expect(":");
  a.type = type();
  expect("x");
  a.elements = integer();
  for (;;) {
    if (accept("at")) a.offset = integer();
    else if (accept("ring")) a.ring = small_integer();
    else if (accept("align")) a.align = small_integer();
    else if (accept("swizzle")) a.swizzle = small_integer();
    else return a;
  }
}

Role Parser::role() {
  Role r;
  r.name = name("the role's name");
  expect("first");
  r.first_warp = small_integer();
  expect("warps");
  r.warps = small_integer();
  if (accept("registers")) r.registers = small_integer();
  r.body = body();
  return r;
}

Kernel Parser::kernel() {
  Kernel k;
  k.name = name("the kernel's name");
  expect("block");
  k.block = binding();
  expect("thread");
  k.thread = binding();
  expect("threads");
  k.threads = small_integer();
  for (;;) {
    if (accept("min_blocks")) k.min_blocks = small_integer();
    else if (accept("cluster")) k.cluster = small_integer();
    else if (accept("fast")) k.fast = true;
    else if (accept("inputs_may_change")) k.read_only_inputs = false;
    else break;
  }
  k.loc = loc();
  expect("{");
  while (!accept("}")) {
    if (accept("buffers")) k.buffers = buffer_list();
    else if (accept("written")) k.written = buffer_list();
    else if (accept("scalars")) k.scalars = bindings();
    else if (accept("shared_bytes")) k.shared_bytes = integer();
    else if (accept("role")) k.roles.push_back(role());
    else {
      int m = 0;
      while (m <= static_cast<int>(Memory::Host) && !accept(memory_name(static_cast<Memory>(m)))) ++m;
      if (m > static_cast<int>(Memory::Host)) expected("buffers, written, scalars, shared_bytes, role, a memory or `}`");
      k.allocations.push_back(allocation(static_cast<Memory>(m)));
    }
  }
  return k;
}

void Parser::module(Module& m) {
  expect("module");
  const size_t at = peek().offset;
  const std::string target = string_literal("the target in quotes");
  try {
    m.target = Target::parse(target);
  } catch (const std::exception& e) {
    fail_at(at, e.what());
  }
  expect("{");
  while (!accept("}")) {
    const size_t here = peek().offset;
    if (accept("slots")) {
      m.args.slots = bindings();
    } else if (accept("buffer")) {
      buffer(m);
    } else if (accept("kernel")) {
      m.kernels.push_back(kernel());
      if (!kernels_.emplace(m.kernels.back().name, static_cast<int>(m.kernels.size()) - 1).second) fail_at(here, "a second kernel of this name");
    } else if (accept("workspace")) {
      m.workspace_bytes = expr(Int(64));
      temps_.clear();
    } else if (is("free")) {
      free_variables();
    } else if (accept("entry")) {
      m.entry = body();
    } else {
      expected("slots, buffer, kernel, workspace, free, entry or `}`");
    }
  }
}

}  // namespace sinter::ir::text
