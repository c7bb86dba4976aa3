#include "apps/normalization/normalization.h"

namespace sinter::apps {

Pipeline layer_norm(int n, Scheduled how, const NormTile& tile, const std::string& name) {
  Input x("x", BFloat(16), 2), gain("gain", BFloat(16), 1), bias("bias", BFloat(16), 1);
  x.dim(0).set_extent(n);
  Var i("i"), m("m"), io("io"), mo("mo"), ii("ii"), mi("mi");
  RDom k(0, n);
  Func total("total"), mean("mean"), squares("squares"), scale("scale"), y("y");
  total(m) = sum(k, f32(x(k, m)));
  mean(m) = total(m) * (1.f / static_cast<float>(n));
  const auto centred = [&](const Expr& at) { return f32(x(at, m)) - mean(m); };
  squares(m) = sum(k, centred(k) * centred(k));
  scale(m) = rsqrt(squares(m) * (1.f / static_cast<float>(n)) + 1e-5f);
  y(i, m) = bf16(centred(i) * scale(m) * f32(gain(i)) + f32(bias(i)));
  y.bound(i, 0, n);

  switch (how) {
    case Scheduled::ByDefault: break;
    case Scheduled::ForHost:
      y.parallel(m).vectorize(i, 8);
      total.compute_at(y, m);
      squares.compute_at(y, m);
      mean.compute_at(y, m);
      scale.compute_at(y, m);
      break;
    case Scheduled::ForGpu:
      // One kernel, one pass: rows stay in registers, both sums are shared out among the block's threads.
      y.gpu_tile(i, m, io, mo, ii, mi, n, tile.rows).threads(tile.threads);
      x.in().compute_at_block(y).store_in(MemoryType::Register);
      for (Func* f : {&total, &mean, &squares, &scale}) f->compute_at_block(y).store_in(MemoryType::Register);
      break;
  }
  return Pipeline(name, {x, gain, bias}, {y});
}

}  // namespace sinter::apps
