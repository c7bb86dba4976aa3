// NumPy's .npy files as plain arrays: format 1.0 and 2.0, C order, little endian.
//
// NumPy has no bfloat16. Arrays of it travel as two raw bytes an element ('<V2', what NumPy makes of
// ml_dtypes' bfloat16), which is read as bf16; a file of bf16 bits stored as '<u2' needs the flag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::apps {

struct Npy {
  // "u1" "i1" "u2" "i2" "u4" "i4" "u8" "i8" "f2" "f4" "f8" "b1" "bf16"
  std::string dtype;
  // As NumPy counts: the last dimension is innermost. Empty: a scalar.
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;

  std::size_t elements() const;
};

// Bytes of an element; throws std::invalid_argument for any other dtype.
std::size_t dtype_bytes(const std::string& dtype);

enum class U2Means { U2, Bf16 };

// Throw std::runtime_error with the file's name, what was expected and what was found.
Npy read_npy(const std::string& path, U2Means u2 = U2Means::U2);
void write_npy(const std::string& path, const Npy& array);

}  // namespace sinter::apps
