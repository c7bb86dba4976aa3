#include "scheduler/lower/kernel/cross_thread_error.h"

#include <map>
#include <optional>

#include "ir/diagnostic.h"
#include "ir/transform/simplify.h"
#include "scheduler/layout/fixed_layout.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

// The thread that runs each point of a statement: row-major for thread loops; by the fixed layout for cooperative ones.
class Owners {
 public:
  Owners(const TileStmt& tile, int threads) : tile_(tile) {
    if (tile.layout.kind == Layout::Kind::Flat) return;
    const int rank = static_cast<int>(tile.extent.size());
    const Layout l = fixed_layout(tile.extent, std::vector<LoopHints>(tile.extent.size()), threads, 1);
    for (int64_t t = threads; t-- > 0;)
      for (int64_t r = 0; r < digit_product(l.reg); ++r) of_[coordinates(l, rank, r, t % 32, t / 32)] = t;
  }
  int64_t operator()(const std::vector<int64_t>& at) const {
    if (const auto it = of_.find(at); it != of_.end()) return it->second;
    int64_t linear = 0;
    for (size_t d = at.size(); d-- > 0;) linear = linear * tile_.extent[d] + at[d];
    return linear;
  }

 private:
  const TileStmt& tile_;
  std::map<std::vector<int64_t>, int64_t> of_;
};

std::string point_text(const std::vector<int64_t>& at) {
  std::string out = "(";
  for (size_t d = 0; d < at.size(); ++d) out += (d ? ", " : "") + std::to_string(at[d]);
  return out + ")";
}

// Index values at a point of the reader, relative to the Func's region, with block and serial variables at 0.
std::optional<std::vector<int64_t>> evaluate(const KernelDraft& draft, const KernelStorage& s, const TileStmt& reader,
                                             const Access& a, const std::vector<int64_t>& at) {
  std::vector<int64_t> out;
  for (size_t d = 0; d < a.index.size(); ++d) {
    const Expr e = resolved(draft, a.index[d] - s.region[d].min);
    Substitution values;
    for (const Sym& v : free_vars(e)) values[v.get()] = make_int(v->type, 0);
    for (size_t k = 0; k < at.size(); ++k) values[reader.vars[k].get()] = i32(at[k]);
    const int64_t* v = as_int(simplify(substitute(e, values)));
    if (!v || *v < 0 || *v >= s.extents()[d]) return std::nullopt;
    out.push_back(*v);
  }
  return out;
}

std::string counterexample(const KernelDraft& draft, const KernelStorage& s, const TileStmt& writer, const TileStmt& reader,
                           const Access& a, const std::string& name) {
  if (writer.extent.size() != a.index.size()) return {};
  const Owners reads_at(reader, draft.threads), writes_at(writer, draft.threads);
  int64_t points = 1;
  for (const int64_t e : reader.extent) points *= e;
  for (int64_t p = 0; p < std::min<int64_t>(points, 4096); ++p) {
    std::vector<int64_t> at;
    int64_t rest = p;
    for (const int64_t e : reader.extent) {
      at.push_back(rest % e);
      rest /= e;
    }
    const auto element = evaluate(draft, s, reader, a, at);
    if (!element) continue;
    bool inside = true;
    for (size_t d = 0; d < element->size(); ++d) inside = inside && (*element)[d] < writer.extent[d];
    if (!inside) continue;
    const int64_t reads = reads_at(at), writes = writes_at(*element);
    if (reads != writes)
      return "in one block, thread " + std::to_string(reads) + " reads element " + point_text(*element) + " of `" + name +
             "`'s tile, which thread " + std::to_string(writes) + " writes";
  }
  return {};
}

}  // namespace

void cross_thread_error(const Module& module, const KernelDraft& draft, const KernelStorage& storage, const TileStmt& writer,
                        const TileStmt& reader, const Access& access) {
  const std::string& name = module.program.funcs[storage.func].name;
  std::string text = name + "[";
  for (size_t d = 0; d < access.index.size(); ++d) text += (d ? ", " : "") + to_string(access.index[d]);
  text += "]";
  const auto place = [](const Loc& l) { return l.known() ? " (" + to_string(l) + ")" : std::string(); };
  const bool written = access.write;
  std::vector<std::string> excerpt = {
      text + (written ? "     written here" : "     read here") + place(access.loc.known() ? access.loc : reader.loc) + "; computed under " +
      (writer.layout.kind == Layout::Kind::Flat ? "thread" : "cooperative") + " loops" + place(writer.loc)};
  const Loc loc = access.loc.known() ? access.loc : storage.loc;
  user_error(ErrorCode::CrossThreadRegister, loc, "`" + name + "` is read by a thread that did not write it",
             name + ".store_in(MemoryType::Shared)", std::move(excerpt),
             counterexample(draft, storage, writer, reader, access, name));
}

}  // namespace sinter::scheduler
