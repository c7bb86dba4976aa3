// Expr: a value computed at each point of a Func, and its operators.
//
// Types match as in Halide: float over int, wider wins, signed over unsigned; a C++ literal takes the type of the other
// side if its value fits (E0010). Arithmetic and comparison of f16 and bf16 happen in f32 and only a cast rounds back
// (language.md, Numbers). Integer / and % are Euclidean.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "dsl/types.h"
#include "ir/expr.h"

namespace sinter {

class Expr {
 public:
  Expr() = default;  // undefined
  template <class T>
  requires std::is_arithmetic_v<T> Expr(T value) : Expr(literal(value)) {}
  // An expression of the IR that refers only to symbols made by this library.
  explicit Expr(ir::Expr node) : node_(std::move(node)) {}

  bool defined() const { return node_.defined(); }
  Type type() const;  // E0013 where undefined
  bool is_literal() const { return literal_; }
  const ir::Expr& node() const { return node_; }

 private:
  ir::Expr node_;
  bool literal_ = false;

  template <class T>
  static Expr literal(T value) {
    constexpr Type type = type_of<T>();
    if constexpr (std::is_floating_point_v<T>)
      return float_literal(type, static_cast<double>(value));
    else
      return int_literal(type, static_cast<int64_t>(value));
  }
  static Expr int_literal(Type t, int64_t v);
  static Expr float_literal(Type t, double v);
};

// An operand together with the line it was written on: an operator can't take a defaulted location, a converting
// constructor can.
class Operand {
 public:
  Operand() = default;  // an argument that was not given
  template <class T>
  requires std::convertible_to<const T&, Expr> Operand(const T& value, Loc l = Loc::here())
      : expr(value), loc(l), given(true) {}

  Expr expr;
  Loc loc;
  bool given = false;
};

Expr operator+(const Operand& a, const Operand& b);
Expr operator-(const Operand& a, const Operand& b);
Expr operator*(const Operand& a, const Operand& b);
Expr operator/(const Operand& a, const Operand& b);
Expr operator%(const Operand& a, const Operand& b);  // integers only
Expr operator-(const Operand& a);
Expr operator+(const Operand& a);

Expr operator==(const Operand& a, const Operand& b);
Expr operator!=(const Operand& a, const Operand& b);
Expr operator<(const Operand& a, const Operand& b);
Expr operator<=(const Operand& a, const Operand& b);
Expr operator>(const Operand& a, const Operand& b);
Expr operator>=(const Operand& a, const Operand& b);

Expr operator&&(const Operand& a, const Operand& b);  // both sides are evaluated
Expr operator||(const Operand& a, const Operand& b);
Expr operator!(const Operand& a);

Expr operator&(const Operand& a, const Operand& b);
Expr operator|(const Operand& a, const Operand& b);
Expr operator^(const Operand& a, const Operand& b);
Expr operator~(const Operand& a);
Expr operator<<(const Operand& a, const Operand& b);  // of the type of the left side; amounts modulo its width
Expr operator>>(const Operand& a, const Operand& b);

Expr& operator+=(Expr& a, const Operand& b);
Expr& operator-=(Expr& a, const Operand& b);
Expr& operator*=(Expr& a, const Operand& b);
Expr& operator/=(Expr& a, const Operand& b);

}  // namespace sinter
