#include "dsl/wrap.h"

#include "dsl/define.h"
#include "dsl/func.h"

namespace sinter::detail {

static bool is_reader(const WrapperEntry& w, const FuncContents& reader) {
  for (const std::weak_ptr<FuncContents>& c : w.consumers)
    if (c.lock().get() == &reader) return true;
  return false;
}

// A handle to a wrapper keeps alive the Func that owns it.
static FuncPtr wrapper_handle(const FuncPtr& wrapped, const WrapperEntry& w) { return FuncPtr(wrapped, w.func.get()); }

FuncPtr resolve(const FuncPtr& callee, const FuncContents& reader) {
  FuncPtr f = callee;
  while (f.get() != &reader) {
    const WrapperEntry* next = nullptr;
    for (const WrapperEntry& w : f->wrappers)
      if (is_reader(w, reader)) next = &w;
    for (const WrapperEntry& w : f->wrappers)
      if (!next && w.consumers.empty() && reader.wraps != f.get()) next = &w;
    if (!next) break;
    f = wrapper_handle(f, *next);
  }
  return f;
}

static bool reads(const FuncContents& reader, const FuncContents& callee) {
  bool found = false;
  for (const StageContents& s : reader.stages)
    each_call(s, [&](const ir::Expr& call) { found |= resolve(called(*call), reader).get() == &callee; });
  return found;
}

Func make_wrapper(const FuncPtr& of, const std::vector<FuncPtr>& readers, Loc loc) {
  const std::string call =
      of->name() + ".in(" + (readers.empty() ? "" : readers[0]->name() + (readers.size() > 1 ? ", ..." : "")) + ")";
  if (!of->defined())
    ir::user_error(ErrorCode::UndefinedFunc, loc, call + ": `" + of->name() + "` has no definition yet",
                   "define it before it is wrapped");
  for (const WrapperEntry& w : of->wrappers) {
    bool same = w.consumers.size() == readers.size();
    for (const FuncPtr& r : readers) same = same && is_reader(w, *r);
    if (same) return Func(wrapper_handle(of, w));
  }
  for (const FuncPtr& r : readers) {
    if (!r->defined())
      ir::user_error(ErrorCode::UndefinedFunc, loc, call + ": `" + r->name() + "` has no definition yet",
                     "define the reader before in()");
    if (r == of || !reads(*r, *of))
      ir::user_error(ErrorCode::BadWrapper, loc, call + ": `" + r->name() + "` does not read `" + of->name() + "`",
                     "name a Func whose definition reads it, or in() for all readers");
  }

  const FuncPtr w = make_func(of->name() + "_in" + (readers.empty() ? "" : "_" + readers[0]->name()), loc);
  static const Var placeholders[] = {_0, _1, _2, _3, _4, _5, _6, _7};
  std::vector<ir::Expr> index;
  for (int d = 0; d < of->rank; ++d) {
    const ir::Sym v = of->is_input ? placeholders[d].sym() : of->dims[static_cast<size_t>(d)];
    w->dims.push_back(v);
    index.push_back(ir::make_var(v));
  }
  w->type = of->type;
  w->wraps = of.get();
  w->set_rank(of->rank);
  StageContents copy{index, weaken(make_handle_call(of, index, loc), of.get()), nullptr, {}, loc};
  for (const ir::Sym& v : w->dims) copy.loops.add(v, false);
  w->stages.push_back(std::move(copy));
  WrapperEntry entry{{readers.begin(), readers.end()}, w};
  of->wrappers.push_back(entry);
  return Func(wrapper_handle(of, entry));
}

}  // namespace sinter::detail
