/* Two pipelines of one library. */
#include <stdio.h>
#include <string.h>

#include <negate.h>
#include <twice.h>

int main(void) {
  float a[5] = {1, 2, 3, 4, 5}, b[5], c[5];
  int64_t shape[1] = {5};
  DLTensor tensors[3];
  int i;
  memset(tensors, 0, sizeof tensors);
  for (i = 0; i < 3; ++i) {
    tensors[i].data = i == 0 ? a : i == 1 ? b : c;
    tensors[i].ndim = 1;
    tensors[i].shape = shape;
    tensors[i].dtype.code = kDLFloat;
    tensors[i].dtype.bits = 32;
    tensors[i].dtype.lanes = 1;
    tensors[i].device.device_type = kDLCPU;
  }
  if (twice(&tensors[0], &tensors[1], NULL) != 0 || negate(&tensors[1], &tensors[2], NULL) != 0) {
    puts(sinter_last_error());
    return 1;
  }
  for (i = 0; i < 5; ++i)
    if (c[i] != -2 * a[i]) return 1;
  return 0;
}
