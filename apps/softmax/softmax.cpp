#include "apps/softmax/softmax.h"

namespace sinter::apps {

static Pipeline rows(int n, bool log_of, Scheduled how, const RowTile& tile, const std::string& name) {
  Input x("x", BFloat(16), 2);
  x.dim(0).set_extent(n);
  Var i("i"), m("m"), io("io"), mo("mo"), ii("ii"), mi("mi");
  RDom k(0, n);
  Func largest("largest"), e("e"), total("total"), y("y");
  largest(m) = maximum(k, f32(x(k, m)));
  e(i, m) = exp(f32(x(i, m)) - largest(m));
  total(m) = sum(k, e(k, m));
  if (log_of) y(i, m) = bf16(f32(x(i, m)) - largest(m) - log(total(m)));
  else y(i, m) = bf16(e(i, m) * (1.f / total(m)));  // one division a row
  y.bound(i, 0, n);

  switch (how) {
    case Scheduled::ByDefault: break;
    case Scheduled::ForHost:
      // A row is a task: read once into the cache, its exponentials kept there.
      y.parallel(m).vectorize(i, 8);
      largest.compute_at(y, m);
      total.compute_at(y, m);
      if (!log_of) e.compute_at(y, m).vectorize(i, 8);
      break;
    case Scheduled::ForGpu:
      // One kernel, one pass: a block has its rows in registers; what is folded over a row is shared out among the threads.
      y.gpu_tile(i, m, io, mo, ii, mi, n, tile.rows).threads(tile.threads);
      x.in().compute_at_block(y).store_in(MemoryType::Register);
      largest.compute_at_block(y).store_in(MemoryType::Register);
      total.compute_at_block(y).store_in(MemoryType::Register);
      if (tile.keep_exponentials && !log_of) e.compute_at_block(y).store_in(MemoryType::Register);
      else e.compute_inline();
      break;
  }
  return Pipeline(name, {x}, {y});
}

Pipeline softmax(int n, Scheduled how, const RowTile& tile, const std::string& name) { return rows(n, false, how, tile, name); }
Pipeline log_softmax(int n, Scheduled how, const RowTile& tile, const std::string& name) { return rows(n, true, how, tile, name); }

}  // namespace sinter::apps
