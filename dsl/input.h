// Input: a tensor that the caller gives. Params: scalars that the caller gives.
#pragma once

#include <memory>
#include <string>

#include "dsl/var.h"

namespace sinter {

namespace detail {
struct FuncContents;
struct ParamContents;
}  // namespace detail

class Func;

// One dimension of a buffer at the boundary (of an Input, or of an output: f.output_buffer()). Mins are 0 there.
class Dimension {
 public:
  Dimension(std::shared_ptr<detail::FuncContents> buffer, int d) : buffer_(std::move(buffer)), d_(d) {}
  Expr min() const { return Expr(ir::i32(0)); }
  Expr max() const;     // extent - 1
  Expr extent() const;  // i32
  Expr stride() const;  // i64, in elements
  // A declared size becomes a requirement that is checked on entry. set_stride(Expr()) on dimension 0 lifts its stride
  // of 1.
  Dimension& set_extent(const Operand& extent);
  Dimension& set_stride(const Operand& stride);
  // A typical range, for reports at sizes that nobody gave. `min` must be 0.
  Dimension& set_estimate(int64_t min, int64_t extent, Loc loc = Loc::here());
  Dimension& set_bounds(const Operand& min, const Operand& extent);  // min must be 0

 private:
  std::shared_ptr<detail::FuncContents> buffer_;
  int d_;
};

// The sizes of a buffer at the boundary.
class BufferSizes {
 public:
  explicit BufferSizes(std::shared_ptr<detail::FuncContents> buffer) : buffer_(std::move(buffer)) {}
  int dimensions() const;
  Dimension dim(int d, Loc loc = Loc::here()) const;  // E0003 where there is none
  Expr width(Loc loc = Loc::here()) const { return dim(0, loc).extent(); }
  Expr height(Loc loc = Loc::here()) const { return dim(1, loc).extent(); }
  Expr channels(Loc loc = Loc::here()) const { return dim(2, loc).extent(); }
  const std::shared_ptr<detail::FuncContents>& contents() const { return buffer_; }

 protected:
  std::shared_ptr<detail::FuncContents> buffer_;
};

class Input : public BufferSizes {
 public:
  Input(std::string name, Type type, int rank, Loc loc = Loc::here());
  explicit Input(std::shared_ptr<detail::FuncContents> contents) : BufferSizes(std::move(contents)) {}
  const std::string& name() const;
  Type type() const;

  // The element at the given indices, innermost dimension first.
  Expr operator()(const Operand& i0 = {}, const Operand& i1 = {}, const Operand& i2 = {}, const Operand& i3 = {},
                  const Operand& i4 = {}, const Operand& i5 = {}, const Operand& i6 = {}, const Operand& i7 = {},
                  Loc loc = Loc::here()) const;
  Expr operator()(const std::vector<Expr>& index, Loc loc = Loc::here()) const;

  // The Func that is the Input with its domain shifted: x.translate({d})(i) is x(i - d). See Func::translate.
  Func translate(const std::vector<Expr>& offsets, Loc loc = Loc::here()) const;

  // A copy that all reads (or those by the given Funcs) go through, to be scheduled. Calls for one reader give one
  // wrapper.
  Func in(Loc loc = Loc::here()) const;
  Func in(const Func& reader, Loc loc = Loc::here()) const;
  Func in(const std::vector<Func>& readers, Loc loc = Loc::here()) const;
};

class AnyParam {
 public:
  AnyParam(std::string name, Type type, Loc loc);
  const std::string& name() const;
  Type type() const;
  operator Expr() const;
  const std::shared_ptr<detail::ParamContents>& contents() const { return contents_; }

 private:
  std::shared_ptr<detail::ParamContents> contents_;
};

// Param<float> scale("scale"), or Param scale("scale", Float(32)).
template <class T = void>
class Param : public AnyParam {
 public:
  explicit Param(std::string name, Loc loc = Loc::here()) requires(!std::is_void_v<T>)
      : AnyParam(std::move(name), type_of<T>(), loc) {}
  Param(std::string name, Type type, Loc loc = Loc::here()) requires std::is_void_v<T>
      : AnyParam(std::move(name), type, loc) {}
};
Param(std::string, Type)->Param<void>;
Param(const char*, Type)->Param<void>;

}  // namespace sinter
