#include "scheduler/prove/prove_bounds.h"

#include "ir/analysis/range.h"
#include "ir/analysis/visit.h"
#include "ir/text/print.h"
#include "ir/transform/simplify.h"

namespace sinter::scheduler {

using namespace ir;

Storage argument_storage(const Program& program, FuncId f) {
  Storage s;
  const FuncDef& def = program.funcs[f];
  for (int d = 0; d < def.rank(); ++d) {
    s.min.push_back(i32(0));
    s.max.push_back(simplify(make_var(def.extent[d]) - 1));
    s.extent.emplace_back();
  }
  s.loc = def.loc;
  return s;
}

void prove_in_bounds(Claims& claims, const Program& program, const Path& path, const AccessPlace& a, const Storage& box,
                     const std::string& what) {
  const FuncDef& def = program.funcs[a.func];
  const std::string subject = "`" + def.name + "`: every " + (a.write ? "store" : "read") + " in " + what;
  for (size_t d = 0; d < a.index.size(); ++d) {
    const Expr index = path.resolve(a.index[d]);
    Expr claim[3] = {box.min[d] <= index, index <= box.max[d], {}};
    if (box.extent[d].defined()) claim[2] = index - box.min[d] < box.extent[d];
    for (const Expr& c : claim) {
      if (!c.defined()) continue;
      const Answer answer = claims.prove(path, c);
      claims.record("bounds", subject, answer.verdict);
      if (answer.verdict == Verdict::Proved) continue;
      const std::string text = access_text(program, a.func, a.index);
      const std::string side = a.write ? "stored" : "read";
      if (answer.verdict == Verdict::Unknown)
        user_error(ErrorCode::Unproved, a.loc, "not proved: `" + def.name + "` is " + side + " inside " + what + ", in dimension " + std::to_string(d) + " (`" + def.dims[d]->name + "`)",
                   "clamp the index, or bound() the Func", {text + "     " + side + " here", "claim: " + print(c, program)});
      std::string counterexample = model_text(answer, a.loops);
      const auto at = value_in(index, answer), first = value_in(box.min[d], answer), last = value_in(box.max[d], answer);
      if (at) counterexample += (counterexample.empty() ? "" : ": ") + std::string("coordinate ") + std::to_string(*at);
      if (first && last) counterexample += (at ? " is not in [" : ": allowed is [") + std::to_string(*first) + ", " + std::to_string(*last) + "]";
      if (c.same_as(claim[2]))
        if (const auto n = value_in(box.extent[d], answer)) counterexample += ", storage has " + std::to_string(*n);
      user_error(ErrorCode::OutOfBounds, a.loc.known() ? a.loc : def.loc, "`" + def.name + "` is " + side + " outside of " + what + " in dimension " + std::to_string(d) + " (`" + def.dims[d]->name + "`)",
                 def.is_input() ? "clamp the index, or give `" + def.name + "` a larger buffer" : "bound() the Func, or check the sizes that its tile and its readers use",
                 {text + "     " + side + " here", "needed: " + print(box.min[d], program) + " <= " + print(index, program) + " <= " + print(box.max[d], program)}, counterexample);
    }
  }
}

void prove_allocation(Claims& claims, const Program& program, const Path& path, const AllocStmt& alloc, bool in_block) {
  const FuncDef& def = program.funcs[alloc.func];
  const std::string subject = "`" + def.name + "`: what is live fits the storage";
  for (size_t d = 0; d < alloc.region.size(); ++d) {
    const Region& r = alloc.region[d];
    if (in_block && !as_int(r.extent))
      user_error(ErrorCode::UnboundedBox, alloc.loc, "`" + def.name + "` is stored inside a block, but its extent in dimension " + std::to_string(d) + " is not a constant: " + to_string(r.extent),
                 def.name + ".bound(" + def.dims[d]->name + ", min, extent)");
    const Expr min = path.resolve(r.min), max = path.resolve(r.max), extent = path.resolve(r.extent);
    const Answer answer = claims.prove(path, max - min < extent);
    claims.record("allocation", subject, answer.verdict);
    if (answer.verdict == Verdict::Proved) continue;
    const auto size = value_in(max - min + 1, answer);
    user_error(answer.verdict == Verdict::Unknown ? ErrorCode::Unproved : ErrorCode::OutOfBounds, alloc.loc.known() ? alloc.loc : def.loc,
               "the storage of `" + def.name + "` " + (answer.verdict == Verdict::Unknown ? "may be" : "is") + " too small in dimension " + std::to_string(d) + " (`" + def.dims[d]->name + "`)",
               def.name + ".bound(" + def.dims[d]->name + ", min, extent)", {"live: [" + to_string(min) + ", " + to_string(max) + "]", "allocated: " + to_string(extent)},
               answer.verdict == Verdict::Unknown ? "" : model_text(answer, {}) + (size ? ": needs " + std::to_string(*size) : ""));
  }
}

void prove_no_overflow(Claims& claims, const Path& path, const Expr& e, Loc loc) {
  if (!e.defined()) return;
  Ranges ranges(path.scope());
  const Expr whole = path.in_digits(path.resolve(e));
  walk_down(whole, [&](const Expr& n) {
    // Below data is the algorithm's arithmetic.
    if (n->op == Op::Call || n->op == Op::Load || n.type().is_float()) return false;
    if (n.type() != Int(32) || (n->op != Op::Add && n->op != Op::Sub && n->op != Op::Mul)) return true;
    const Range r = ranges.of(n);
    if (r.has_lo() && r.has_hi() && r.lo >= INT32_MIN && r.hi <= INT32_MAX) return true;
    bool sizes_only = true;  // of loops and arguments: what the range of is known
    for (const Sym& s : free_vars(n)) {
      const Range v = ranges.of(make_var(s));
      sizes_only = sizes_only && v.has_lo() && v.has_hi();
    }
    walk(n, [&](const Expr& m) { sizes_only = sizes_only && m->op != Op::Call && m->op != Op::Load; });
    if (!sizes_only) return true;
    const Expr wide = rewrite(n, [](const Expr& m) {
      if (m.type() != Int(32)) return m;
      if (m->op == Op::IntImm) return make_int(Int(64), m->i);
      const bool leaf = m->args.empty() || m->op == Op::Cast || m->op == Op::Reinterpret || m->op == Op::Let;
      return leaf ? make_cast(Int(64), m) : with_args(m, m->args, Int(64));
    });
    const auto hi = constant_upper_bound(wide, path.scope()), lo = constant_lower_bound(wide, path.scope());
    if (hi && lo && *hi <= INT32_MAX && *lo >= INT32_MIN) return true;
    // Products of sizes: only the caller knows. What depends on sizes alone is checked on entry.
    bool loops = false;
    for (const Sym& s : free_vars(n)) loops = loops || path.is_loop(s);
    if (!loops) {
      claims.require_at_entry(wide);
      claims.record("overflow", "index arithmetic stays in 32 bits", Verdict::Proved, "products of sizes are checked at run time");
      return true;
    }
    const Answer answer = claims.prove(path, wide <= make_int(Int(64), INT32_MAX) && wide >= make_int(Int(64), INT32_MIN));
    if (answer.verdict == Verdict::Proved) return true;
    // The loops' own extents are checked on entry, and a coordinate below such a product is smaller than it.
    claims.record("overflow", "index arithmetic stays in 32 bits", answer.verdict);
    if (answer.verdict == Verdict::Refuted)
      user_error(ErrorCode::Overflow, loc, "index arithmetic may leave 32 bits: " + to_string(n), "use smaller tiles, or bound() the sizes", {to_string(whole)},
                 model_text(answer, {}));
    user_error(ErrorCode::Unproved, loc, "not proved: index arithmetic stays within 32 bits: " + to_string(n), "bound() the sizes", {to_string(whole)});
  });
  claims.record("overflow", "index arithmetic stays in 32 bits", Verdict::Proved);
}

}  // namespace sinter::scheduler
