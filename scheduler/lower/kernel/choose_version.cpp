#include "scheduler/lower/kernel/choose_version.h"

#include "ir/transform/simplify.h"
#include "scheduler/lower/kernel/block_order.h"
#include "scheduler/lower/kernel/decode_blocks.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

Expr i64(int64_t v) { return make_int(Int(64), v); }

// What the fast version of a kernel assumes of buffer `b`, of which it uses aligned accesses of `width` bytes.
Expr fast_enough(const Module& module, const Buffer& b, int64_t width) {
  const int64_t bytes = b.type.bytes();
  const bool free_stride0 = b.is_argument && module.program.funcs[b.func].free_stride0;
  Expr ok, last = i64(0);
  if (b.is_argument && width > bytes)
    ok = equal(make_binary(Op::Mod, make_var(b.base), make_int(UInt(64), width)), make_int(UInt(64), 0));
  for (size_t d = 0; d < b.stride.size(); ++d) {
    const Expr extent = make_cast(Int(64), b.extent[d]), &stride = b.stride[d];
    last = last + (extent - 1) * stride;
    if (!b.is_argument || as_int(stride)) continue;
    // The stride of a dimension with one element is multiplied by 0.
    const Expr single = extent <= i64(1);
    Expr good = stride >= i64(0) && stride <= i64(kMaxGrid);
    if (width > bytes && (d > 0 || free_stride0)) good = good && equal(stride % (width / bytes), i64(0));
    ok = ok && (single || good);
  }
  return ok && (last + 1) * i64(bytes) <= i64(kMaxGrid);
}

// One launch after the other, each of as many blocks as a launch may have. Where it starts is split into digits on the host.
Stmt general_launches(const LaunchStmt& l, const Versions& v) {
  if (v.start.empty()) return std::make_shared<LaunchStmt>(v.general, l.grid, l.loc);
  const Sym pass = make_sym("pass"), first = make_sym("first", Int(64));
  Stmt out = std::make_shared<LaunchStmt>(v.general, min(l.grid - make_var(first), i64(kMaxGrid)), l.loc);
  Expr index = make_var(first);
  const std::vector<size_t> order = fastest_first(v.block_loops);
  for (const size_t d : order) {
    // The slowest loop's digit is what is left after the others.
    const Expr extent = make_cast(Int(64), v.block_loops[d].extent);
    out = make_let(v.start[d], make_cast(Int(32), d == order.back() ? index : index % extent), out);
    index = index / extent;
  }
  out = make_let(first, make_cast(Int(64), make_var(pass)) * kMaxGrid, out);
  return make_for(pass, i32(0), make_cast(Int(32), (l.grid + (kMaxGrid - 1)) / kMaxGrid), LoopKind::Serial, out, l.loc);
}

}  // namespace

Stmt choose_version(const Module& module, const Stmt& entry, const std::vector<Versions>& versions) {
  return rewrite_stmt(
      entry,
      [&](const Stmt& s) -> Stmt {
        const auto* l = as<LaunchStmt>(s);
        if (!l) return s;
        const Versions& v = versions[l->kernel];
        Expr ok = l->grid <= i64(kMaxGrid);
        for (const int b : module.kernels[v.fast].buffers) {
          const auto used = v.access_bytes.find(b);
          ok = ok && fast_enough(module, module.buffers[b], used == v.access_bytes.end() ? 1 : used->second);
        }
        Stmt fast = std::make_shared<LaunchStmt>(v.fast, l->grid, l->loc);
        for (const NarrowStride& n : v.strides) fast = make_let(n.var, n.value, fast);
        return make_if(simplify(ok), fast, general_launches(*l, v));
      },
      nullptr);
}

}  // namespace sinter::scheduler
