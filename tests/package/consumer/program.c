/* Calls the kernel that the generator made. */
#include <stdio.h>
#include <string.h>

#include <weighted_sum.h>

int main(void) {
  float a[21], b[21], out[21];
  int64_t shape[1] = {21};
  DLTensor tensors[3];
  int i;
  for (i = 0; i < 21; ++i) {
    a[i] = (float)i;
    b[i] = (float)(2 * i + 1);
  }
  memset(tensors, 0, sizeof tensors);
  for (i = 0; i < 3; ++i) {
    tensors[i].data = i == 0 ? a : i == 1 ? b : out;
    tensors[i].ndim = 1;
    tensors[i].shape = shape;
    tensors[i].dtype.code = kDLFloat;
    tensors[i].dtype.bits = 32;
    tensors[i].dtype.lanes = 1;
    tensors[i].device.device_type = kDLCPU;
  }
  if (weighted_sum(&tensors[0], &tensors[1], 0.5f, &tensors[2], NULL) != 0) {
    puts(sinter_last_error());
    return 1;
  }
  for (i = 0; i < 21; ++i)
    if (out[i] != a[i] + 0.5f * b[i]) return 1;
  puts("the installed package works");
  return 0;
}
