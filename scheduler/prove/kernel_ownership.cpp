#include <algorithm>

#include "ir/transform/simplify.h"
#include "scheduler/layout/fixed_layout.h"
#include "scheduler/prove/kernel_registers.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

class OwnershipProver {
 public:
  OwnershipProver(Claims& claims, const Program& program, const KernelDraft& kernel)
      : claims_(claims), program_(program), kernel_(kernel), coordinates_(block_coordinates(kernel)) {}

  void run() {
    visit(kernel_.body, Path::of_arguments(program_));
    for (const auto& [f, s] : kernel_.storage)
      if (s.memory == Memory::Register) claims_.record("ownership", subject(f), Verdict::Proved);
  }

 private:
  std::string subject(FuncId f) const { return "`" + storage_name(program_, kernel_, f) + "`: registers are read by the thread that holds them"; }

  void visit(const Stmt& s, const Path& path) {
    if (!s) return;
    Path inner = path;
    if (const auto* l = as<LetStmt>(s); l && !coordinates_.opaque.count(l->var.get())) inner.bind(l->var, l->value);
    if (const auto* l = as<LetStmt>(s)) return visit(l->body, inner);
    if (const auto* f = as<ForStmt>(s)) {
      inner.enter_loop(*f);
      return visit(f->body, inner);
    }
    if (const auto* i = as<IfStmt>(s)) {
      inner.assume(i->cond);
      visit(i->then_body, inner);
      Path no = path;
      no.assume_not(i->cond);
      return visit(i->else_body, no);
    }
    if (const auto* q = as<SeqStmt>(s)) {
      for (const Stmt& c : q->stmts) visit(c, path);
      return;
    }
    if (const auto* t = as<TileStmt>(s)) tile(*t, path);
  }

  void tile(const TileStmt& t, const Path& path) {
    for (const Touch& x : touches(t, std::make_shared<Path>(path))) {
      const KernelStorage* s = kernel_.stored(x.func);
      if (!s || s->memory != Memory::Register) continue;
      if (s->in_thread) one_statement(x);
      else access(*s, x, path);
    }
  }

  void one_statement(const Touch& x) {
    const auto [it, fresh] = home_.try_emplace(x.func, x.tile);
    if (fresh || it->second == x.tile) return;
    claims_.record("ownership", subject(x.func), Verdict::Refuted);
    const std::string name = storage_name(program_, kernel_, x.func);
    user_error(ErrorCode::NotOwned, x.loc, "`" + name + "` is stored by each thread for itself in one statement and used in another", name + ".store_at_block(...)",
               {access_text(program_, x.func, x.index)}, "the storage of a thread ends with its statement");
  }

  // Which tile dimension each dimension of the Func follows: index - min is exactly its variable; -1: a single element.
  std::optional<std::vector<int>> followed(const KernelStorage& s, const Touch& x, const std::vector<Expr>& at) const {
    std::vector<int> out;
    const std::vector<int64_t> extents = s.extents();
    for (size_t d = 0; d < at.size(); ++d) {
      const auto var = at[d]->op == Op::Var ? std::find(x.tile->vars.begin(), x.tile->vars.end(), at[d]->var) : x.tile->vars.end();
      if (var == x.tile->vars.end()) {
        if (extents[d] != 1) return std::nullopt;
        out.push_back(-1);
        continue;
      }
      const int k = static_cast<int>(var - x.tile->vars.begin());
      if (x.tile->extent[k] > extents[d] || std::find(out.begin(), out.end(), k) != out.end()) return std::nullopt;
      out.push_back(k);
    }
    return out;
  }

  void access(const KernelStorage& s, const Touch& x, const Path& path) {
    std::vector<Expr> at;
    for (size_t d = 0; d < x.index.size(); ++d) at.push_back(simplify(x.index[d] - path.resolve(s.region[d].min)));
    const std::vector<int64_t> extents = s.extents();
    for (size_t d = 0; d < at.size(); ++d) {
      if (extents[d] == 1) continue;
      std::unordered_set<const VarNode*> own;
      for (const Sym& v : x.tile->vars) own.insert(v.get());
      for (const Sym& v : free_vars(at[d]))
        if (!own.count(v.get())) moving(x, v);
    }
    const Layout &mine = x.tile->layout, &held = s.layout;
    if (const auto dims = followed(s, x, at)) {
      if (held.kind == Layout::Kind::Flat && mine.kind == Layout::Kind::Flat && mine.threads == held.threads && mine.vector == held.vector && in_order(*dims)) return;
      if (held.kind == Layout::Kind::Blocked && mine.kind == Layout::Kind::Blocked) {
        Layout a = normalized(sliced(mine, *dims)), b = normalized(held);
        a.vector = b.vector;  // how wide its accesses are does not move a point
        if (a == b) return;
      }
    }
    if (held.kind == Layout::Kind::Blocked && replicated(held)) {
      if (x.write && !writes_copies(mine)) not_owned(s, x, {}, {}, {});
      return;
    }
    owned(s, x, at);
    if (x.write) {
      claims_.record("ownership", subject(x.func), Verdict::Unknown);
      user_error(ErrorCode::Unproved, x.loc, "not proved: the threads that hold `" + storage_name(program_, kernel_, x.func) + "` all compute it",
                 storage_name(program_, kernel_, x.func) + ".store_in(MemoryType::Shared)", {to_string(mine), to_string(held)});
    }
  }

  static bool in_order(const std::vector<int>& dims) {
    for (size_t d = 0; d < dims.size(); ++d)
      if (dims[d] != static_cast<int>(d)) return false;
    return true;
  }
  static bool replicated(const Layout& l) {
    for (const auto* owner : {&l.lane, &l.warp})
      for (const Digit& d : *owner)
        if (d.dim >= 0 && d.extent > 1) return false;
    return true;
  }
  static bool writes_copies(const Layout& l) { return l.kind == Layout::Kind::Blocked && replicated(l); }

  // For every thread digit of the held layout: the reading thread's digit is the element's.
  void owned(const KernelStorage& s, const Touch& x, const std::vector<Expr>& at) {
    const Layout& held = s.layout;
    for (const FlatMode mode : flat_modes(kernel_, *x.tile)) {
      const ThreadCopy copy = thread_copy(kernel_, x, mode, {}, "");
      Path p = *x.path;
      add_to(p, copy);
      std::vector<Expr> point;
      for (const Expr& e : at) point.push_back(substitute(e, copy.values));
      if (held.kind == Layout::Kind::Blocked) {
        const auto digits = [&](const std::vector<Digit>& owner, const Expr& index) {
          int64_t place = 1;
          for (const Digit& d : owner) {
            if (d.dim >= 0 && d.extent > 1) {
              const Expr has = index / place % d.extent, wants = point[d.dim] / d.stride % d.extent;
              const Answer a = claims_.prove(p, equal(has, wants));
              if (a.verdict != Verdict::Proved) not_owned(s, x, a, copy.thread, point);
            }
            place *= d.extent;
          }
        };
        digits(held.lane, copy.thread % 32);
        digits(held.warp, copy.thread / 32);
      } else if (held.kind == Layout::Kind::Flat) {
        Expr linear = i32(0);
        int64_t stride = 1;
        const std::vector<int64_t> extents = s.extents();
        for (size_t d = 0; d < point.size(); ++d) {
          linear = linear + point[d] * stride;
          stride *= extents[d];
        }
        const Answer a = claims_.prove(p, equal(linear / held.vector % held.threads, copy.thread));
        if (a.verdict != Verdict::Proved) not_owned(s, x, a, copy.thread, point);
      } else {
        const Answer a = claims_.prove(p, equal(copy.thread, i32(0)));
        if (a.verdict != Verdict::Proved) not_owned(s, x, a, copy.thread, point);
      }
    }
  }

  // The thread that holds a point.
  static std::optional<int64_t> holder(const Layout& l, const std::vector<int64_t>& point, const std::vector<int64_t>& extents) {
    if (l.kind == Layout::Kind::Single) return 0;
    if (l.kind == Layout::Kind::Flat) {
      int64_t linear = 0;
      for (size_t d = point.size(); d-- > 0;) linear = linear * extents[d] + point[d];
      return linear / l.vector % l.threads;
    }
    const auto number = [&](const std::vector<Digit>& owner) {
      int64_t out = 0, place = 1;
      for (const Digit& d : owner) {
        if (d.dim >= 0) out += point[d.dim] / d.stride % d.extent * place;
        place *= d.extent;
      }
      return out;
    };
    return number(l.lane) + 32 * number(l.warp);
  }

  [[noreturn]] void not_owned(const KernelStorage& s, const Touch& x, const Answer& a, const Expr& thread, const std::vector<Expr>& point) {
    claims_.record("ownership", subject(x.func), a.model.empty() && a.verdict == Verdict::Unknown ? Verdict::Unknown : Verdict::Refuted);
    const std::string name = storage_name(program_, kernel_, x.func);
    const std::vector<std::string> excerpt = {access_text(program_, x.func, x.index) + "     " + (x.write ? "stored" : "read") + " here" + at_loc(x.loc)};
    const std::string help = name + ".store_in(MemoryType::Shared)";
    if (a.verdict == Verdict::Unknown && !point.empty())
      user_error(ErrorCode::Unproved, x.loc, "not proved: `" + name + "` is read by the thread that holds it", help, excerpt);
    std::string witness;
    std::vector<int64_t> at;
    for (const Expr& e : point) at.push_back(value_in(e, a).value_or(0));
    const auto t = thread.defined() ? value_in(thread, a) : std::nullopt;
    if (t && !at.empty()) {
      bool inside = true;
      const std::vector<int64_t> extents = s.extents();
      for (size_t d = 0; d < at.size(); ++d) inside = inside && at[d] >= 0 && at[d] < extents[d];
      witness = "in one block, thread " + std::to_string(*t) + (x.write ? " stores" : " reads") + " element " + point_text(at) + " of `" + name + "`'s tile, which ";
      witness += inside ? "thread " + std::to_string(*holder(s.layout, at, extents)) + " holds" : "no thread holds";
    } else {
      witness = "only one thread stores it, and all read their own copy";
    }
    user_error(ErrorCode::NotOwned, x.loc, "`" + name + "` is in registers and " + (x.write ? "stored" : "read") + " by a thread that does not hold the element", help, excerpt, witness);
  }

  [[noreturn]] void moving(const Touch& x, const Sym& v) {
    claims_.record("ownership", subject(x.func), Verdict::Refuted);
    const std::string name = storage_name(program_, kernel_, x.func);
    user_error(ErrorCode::CrossThreadRegister, x.loc, "`" + name + "` is in registers, and the position of this access varies with `" + v->name + "`",
               name + ".store_in(MemoryType::Shared)", {access_text(program_, x.func, x.index)}, v->name + " = 0 and " + v->name + " = 1 are different registers");
  }

  Claims& claims_;
  const Program& program_;
  const KernelDraft& kernel_;
  const BlockCoordinates coordinates_;
  std::map<FuncId, const TileStmt*> home_;
};

}  // namespace

void prove_ownership(Claims& claims, const Program& program, const KernelDraft& kernel) { OwnershipProver(claims, program, kernel).run(); }

}  // namespace sinter::scheduler
