#include "apps/support/npy.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace sinter::apps {
namespace {

static_assert(std::endian::native == std::endian::little, "data is read and written as it lies");

constexpr std::string_view magic("\x93NUMPY", 6);
// Header text that NumPy writes is a few hundred bytes; a length field can say 4 GB.
constexpr std::size_t max_header = 1 << 20;

struct Dtype {
  const char* name;
  const char* descr;  // as written; '|' where byte order has no meaning
  std::size_t bytes;
};
constexpr Dtype dtypes[] = {
    {"u1", "|u1", 1}, {"i1", "|i1", 1}, {"b1", "|b1", 1}, {"u2", "<u2", 2}, {"i2", "<i2", 2},
    {"f2", "<f2", 2}, {"u4", "<u4", 4}, {"i4", "<i4", 4}, {"f4", "<f4", 4}, {"u8", "<u8", 8},
    {"i8", "<i8", 8}, {"f8", "<f8", 8}, {"bf16", "<V2", 2},
};

const Dtype* find_dtype(std::string_view name) {
  for (const Dtype& dtype : dtypes) {
    if (name == dtype.name) return &dtype;
  }
  return nullptr;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::int64_t extent : shape) text += std::to_string(extent) + ", ";
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();
  return text + ")";
}

// Bytes of an array, or nothing where that does not fit the address space.
std::optional<std::size_t> total_bytes(const std::vector<std::int64_t>& shape, std::size_t element) {
  constexpr auto limit = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  // A zero anywhere makes the array empty, however large its other extents are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::size_t total = element;
  for (std::int64_t extent : shape) {
    if (static_cast<std::uint64_t>(extent) > limit / total) return std::nullopt;
    total *= static_cast<std::size_t>(extent);
  }
  return total;
}

// The header is the text of a Python dict with three keys, in any order:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  struct Header {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
  };

  Header parse() {
    Header header;
    bool have_descr = false, have_order = false, have_shape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = quoted();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') fail("'descr' of a structured type; expected a plain one such as '<f4'");
        header.descr = quoted();
        have_descr = true;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        have_order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        have_shape = true;
      } else {
        fail("unexpected key '" + key + "'; expected 'descr', 'fortran_order' and 'shape'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("expected the end, found " + found());
    if (!have_descr) fail("'descr' is missing");
    if (!have_order) fail("'fortran_order' is missing");
    if (!have_shape) fail("'shape' is missing");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw std::runtime_error(path_ + ": malformed .npy header: " + reason);
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string found() const {
    if (at_ >= text_.size()) return "the end";
    auto byte = static_cast<unsigned char>(text_[at_]);
    if (!std::isprint(byte)) return "byte " + std::to_string(byte);
    return std::string("'") + text_[at_] + "'";
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "', found " + found());
  }

  std::string quoted() {
    char quote = peek();
    if (quote != '\'' && quote != '"') fail("expected a quoted string, found " + found());
    std::size_t end = text_.find(quote, ++at_);
    if (end == std::string_view::npos) fail("a string that does not end");
    std::string result(text_.substr(at_, end - at_));
    at_ = end + 1;
    return result;
  }

  bool boolean() {
    skip_space();
    for (std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail("expected True or False, found " + found());
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> result;
    expect('(');
    while (!accept(')')) {
      result.push_back(integer());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }

  std::int64_t integer() {
    if (peek() == '-') fail("expected an extent of at least 0, found a negative one in 'shape'");
    if (!std::isdigit(static_cast<unsigned char>(peek()))) {
      fail("expected an extent in 'shape', found " + found());
    }
    std::int64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      int digit = text_[at_++] - '0';
      if (value > (std::numeric_limits<std::int64_t>::max() - digit) / 10) {
        fail("an extent in 'shape' does not fit 64 bits");
      }
      value = value * 10 + digit;
    }
    if (peek() == 'L') ++at_;  // written by NumPy under Python 2
    return value;
  }

  const std::string& path_;
  std::string_view text_;
  std::size_t at_ = 0;
};

const Dtype& dtype_of_descr(const std::string& path, const std::string& descr, U2Means u2) {
  auto fail = [&](const std::string& reason) {
    throw std::runtime_error(path + ": dtype '" + descr + "' " + reason);
  };
  if (descr.size() < 3) fail("is not one; expected one such as '<f4'");
  std::string_view name(descr);
  name.remove_prefix(1);
  if (name == "V2") name = "bf16";
  if (name == "u2" && u2 == U2Means::Bf16) name = "bf16";
  const Dtype* dtype = find_dtype(name);
  if (!dtype || descr == "<bf16") fail("is not supported; expected u, i of 1-8 bytes, f of 2-8, b1 or V2");
  char order = descr[0];
  if (order == '>' && dtype->bytes > 1) fail("is big endian; expected little endian ('<')");
  if (order != '<' && order != '|' && order != '=' && order != '>') fail("has no byte order");
  return *dtype;
}

}  // namespace

std::size_t dtype_bytes(const std::string& dtype) {
  const Dtype* found = find_dtype(dtype);
  if (!found) throw std::invalid_argument("unknown dtype '" + dtype + "'");
  return found->bytes;
}

std::size_t Npy::elements() const {
  std::size_t count = 1;
  for (std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

Npy read_npy(const std::string& path, U2Means u2) {
  auto fail = [&](const std::string& reason) { throw std::runtime_error(path + ": " + reason); };
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(errno ? std::strerror(errno) : "can't be opened");

  // Reads exactly `size` bytes, or says which part of the file is cut short.
  auto read = [&](char* into, std::size_t size, const char* part) {
    file.read(into, static_cast<std::streamsize>(size));
    auto got = static_cast<std::size_t>(file.gcount());
    if (got != size) {
      fail(std::string("truncated: ") + part + " has " + std::to_string(got) + " of " +
           std::to_string(size) + " bytes");
    }
  };

  char start[8];
  read(start, 8, "the start of the file");
  if (std::string_view(start, 6) != magic) fail("not a .npy file");
  int major = static_cast<unsigned char>(start[6]);
  int minor = static_cast<unsigned char>(start[7]);
  if ((major != 1 && major != 2) || minor != 0) {
    fail(".npy format " + std::to_string(major) + "." + std::to_string(minor) +
         "; expected 1.0 or 2.0");
  }
  std::size_t length_bytes = major == 1 ? 2 : 4;
  unsigned char length_field[4] = {};
  read(reinterpret_cast<char*>(length_field), length_bytes, "the header's length");
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t{length_field[i]} << (8 * i);
  if (length > max_header) fail("a header of " + std::to_string(length) + " bytes; not plausible");
  std::string text(length, '\0');
  read(text.data(), length, "the header");

  HeaderParser::Header header = HeaderParser(path, text).parse();
  const Dtype& dtype = dtype_of_descr(path, header.descr, u2);
  // Order makes no difference to an array of at most one dimension.
  if (header.fortran_order && header.shape.size() > 1) {
    fail("Fortran order; expected C order (numpy.ascontiguousarray makes it so)");
  }
  std::optional<std::size_t> bytes = total_bytes(header.shape, dtype.bytes);
  if (!bytes) fail("shape " + shape_text(header.shape) + " is larger than memory can be");

  // The size of the file is compared before memory is allocated for what the header claims.
  std::streamoff data_start = file.tellg();
  file.seekg(0, std::ios::end);
  std::streamoff file_end = file.tellg();
  if (data_start < 0 || file_end < data_start) fail("can't be read");
  auto present = static_cast<std::size_t>(file_end - data_start);
  if (present != *bytes) {
    fail((present < *bytes ? "truncated: shape " : "bytes left over: shape ") +
         shape_text(header.shape) + " of " + dtype.name + " needs " + std::to_string(*bytes) +
         " bytes of data, found " + std::to_string(present));
  }
  file.seekg(data_start);

  Npy result;
  result.dtype = dtype.name;
  result.shape = std::move(header.shape);
  result.data.resize(*bytes);
  read(reinterpret_cast<char*>(result.data.data()), *bytes, "the data");
  return result;
}

void write_npy(const std::string& path, const Npy& array) {
  auto fail = [&](const std::string& reason) { throw std::runtime_error(path + ": " + reason); };
  const Dtype* dtype = find_dtype(array.dtype);
  if (!dtype) fail("unknown dtype '" + array.dtype + "'");
  for (std::int64_t extent : array.shape) {
    if (extent < 0) fail("negative extent in shape " + shape_text(array.shape));
  }
  std::optional<std::size_t> bytes = total_bytes(array.shape, dtype->bytes);
  if (!bytes || *bytes != array.data.size()) {
    fail("shape " + shape_text(array.shape) + " of " + array.dtype + " does not fit " +
         std::to_string(array.data.size()) + " bytes of data");
  }

  std::string header = std::string("{'descr': '") + dtype->descr +
                       "', 'fortran_order': False, 'shape': " + shape_text(array.shape) + ", }";
  // Data starts at a multiple of 64, so that a mapped file is aligned for any vector load.
  bool v1 = header.size() + 74 < 65536;
  std::size_t before = magic.size() + 2 + (v1 ? 2 : 4);
  std::size_t padded = (before + header.size() + 1 + 63) / 64 * 64 - before;
  header.resize(padded - 1, ' ');
  header += '\n';

  std::string start(magic);
  start += v1 ? '\1' : '\2';
  start += '\0';
  for (std::size_t i = 0; i < (v1 ? 2u : 4u); ++i) {
    start += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  }

  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) fail(errno ? std::strerror(errno) : "can't be opened");
  file << start << header;
  file.write(reinterpret_cast<const char*>(array.data.data()),
             static_cast<std::streamsize>(array.data.size()));
  file.close();  // the last bytes reach the disk only here
  if (!file) fail("could not be written whole");
}

}  // namespace sinter::apps
