// Private to ir/eval: the oracle's state (see interpret.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/eval/flat.h"
#include "ir/eval/interpret.h"

namespace sinter::ir::oracle {

// Inclusive ranges per dimension; `known` is false until something demands the Func.
struct Box {
  bool known = false;
  std::vector<int64_t> min, max;

  void include(const std::vector<int64_t>& lo, const std::vector<int64_t>& hi);
  bool empty() const;
};

// Values of one Func. Dense over a box, or a map where no box is known (pure Funcs only).
class Storage {
 public:
  void make_dense(const Box& box);
  // Where the value at these coordinates is kept; null outside the box. `have` tells whether there is one yet.
  struct Cell {
    uint64_t value = 0;
    bool have = false;
  };
  Cell* find(const int64_t* at, int rank);

 private:
  bool dense_ = false;
  std::vector<int64_t> min_, extent_;
  std::vector<Cell> cells_;
  std::unordered_map<std::string, Cell> sparse_;  // key: the coordinates' bytes
};

// One definition, compiled. Ranges are of ops in `code`.
struct Stage {
  FlatCode code;
  std::vector<uint64_t> frame;
  std::vector<Slot> dims, rvars;
  std::vector<Slot> rvar_min, rvar_extent;  // values after running `domain`
  std::vector<Slot> args;                   // coordinates written, after `body`
  Slot where = 0, value = 0;
  bool has_where = false;
  std::pair<uint32_t, uint32_t> domain, filter, body;
  std::vector<bool> pure;  // argument d is the Func's own variable
};

class Oracle {
 public:
  Oracle(const Program& p, const std::vector<TensorView>& buffers, const std::vector<Scalar>& params, const InterpretOptions& o);
  void run();

  // The value of Func `f`; computes what it has to. `loc` is the reader's.
  uint64_t read(FuncId f, const int64_t* at, int rank, Loc loc);
  const Program& program() const { return program_; }
  // Values of all symbols of the boundary: extents, strides, Params.
  const SymMap<Scalar>& globals() const { return globals_; }
  const Box& box(FuncId f) const { return funcs_[static_cast<size_t>(f)].box; }
  const InterpretOptions& options() const { return options_; }
  void demand(FuncId f, const std::vector<int64_t>& lo, const std::vector<int64_t>& hi);

 private:
  struct FuncState {
    const TensorView* view = nullptr;  // of an Input or output
    Box box;
    Storage storage;
    std::vector<std::unique_ptr<Stage>> stages;
    enum class Progress { None, Boxed, Running, Done } progress = Progress::None;
  };

  void bind(const std::vector<TensorView>& buffers, const std::vector<Scalar>& params);
  Stage& stage(FuncId f, size_t s);
  uint64_t read_input(FuncId f, const int64_t* at, int rank, Loc loc);
  void materialise(FuncId f);
  void run_pure_stage(FuncId f, const int64_t* at, Storage::Cell* cell);
  void run_update(FuncId f, size_t s);
  void update_point(FuncId f, size_t s, Stage& st);
  void write_output(FuncId f);

  const Program& program_;
  const InterpretOptions& options_;
  SymMap<Scalar> globals_;
  std::vector<FuncState> funcs_;
};

std::string coordinates(const int64_t* at, int rank);  // "(3, -1)"
std::string at_line(Loc loc, Loc fallback);             // "file.cpp:4: " or ""

// Executes code on behalf of definition `owner`: reads go to the oracle.
struct Reader {
  Oracle& oracle;
  Loc fallback;
  void access(const FlatAccess& a, uint64_t* frame);
  [[noreturn]] void trap(const ArithmeticTrap& t, const Expr& node);
};

// Binds the boundary's symbols in a frame; returns the first variable that has no value there and is none of `own`.
const VarNode* bind_globals(const FlatCode& code, uint64_t* frame, const SymMap<Scalar>& globals, const std::vector<Sym>& own);

// The demanded boxes of all Funcs, last consumer first (demand.cpp).
void find_boxes(Oracle& oracle);

}  // namespace sinter::ir::oracle
