#include "apps/quickstart/bias_gelu.h"

namespace sinter::apps {

Pipeline bias_gelu_residual(Form form) {
  Input x("x", Float(32), 2), bias("bias", Float(32), 1), residual("residual", Float(32), 2);
  Var n("n"), m("m"), no("no"), mo("mo"), ni("ni"), mi("mi");
  Func biased("biased"), activated("activated"), y("y");
  biased(n, m) = x(n, m) + bias(n);
  activated(n, m) = gelu(biased(n, m));
  y(n, m) = activated(n, m) + residual(n, m);

  if (form == Form::Unfused) {
    biased.compute_root();
    activated.compute_root();
  } else {
    y.gpu_tile(n, m, no, mo, ni, mi, 512, 4);  // the others are inlined
  }
  return Pipeline(form == Form::Fused ? "bias_gelu_fused" : "bias_gelu_unfused", {x, bias, residual}, {y});
}

}  // namespace sinter::apps
