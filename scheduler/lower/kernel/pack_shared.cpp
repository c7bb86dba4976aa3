#include "scheduler/lower/kernel/pack_shared.h"

#include <algorithm>

#include "ir/diagnostic.h"

namespace sinter::scheduler {

using namespace ir;

namespace {

struct Life {
  KernelStorage* storage;
  int first = -1, last = -1;
  int64_t bytes = 0;
};

// Statement numbers in program order; a loop spans those inside it.
class Liveness {
 public:
  explicit Liveness(KernelDraft& draft) {
    for (auto& [f, s] : draft.storage)
      if (s.memory == Memory::Shared) lives_[f] = {&s, -1, -1, s.elements() * s.type.bytes()};
    visit(draft.body);
  }
  std::vector<Life> result() const {
    std::vector<Life> out;
    for (const auto& [f, l] : lives_)
      if (l.first >= 0) out.push_back(l);
    return out;
  }

 private:
  void touch(FuncId f, int first, int last) {
    const auto it = lives_.find(f);
    if (it == lives_.end()) return;
    Life& l = it->second;
    l.first = l.first < 0 ? first : std::min(l.first, first);
    l.last = std::max(l.last, last);
  }

  void visit(const Stmt& s) {
    if (const auto* t = as<TileStmt>(s)) {
      for (const Access& a : accesses(t->body)) touch(a.func, now_, now_);
      ++now_;
      return;
    }
    if (const auto* f = as<ForStmt>(s)) {
      const int first = now_;
      visit(f->body);
      for (auto& [func, l] : lives_) {
        const auto& around = l.storage->loops;
        const bool inside = std::find(around.begin(), around.end(), f->var) != around.end();
        if (!inside && l.first >= 0 && l.last >= first) touch(func, first, now_ - 1);
      }
      return;
    }
    if (const auto* q = as<SeqStmt>(s)) for (const Stmt& c : q->stmts) visit(c);
    if (const auto* l = as<LetStmt>(s)) visit(l->body);
    if (const auto* i = as<IfStmt>(s)) {
      visit(i->then_body);
      if (i->else_body) visit(i->else_body);
    }
  }

  std::map<FuncId, Life> lives_;
  int now_ = 0;
};

}  // namespace

void pack_shared(const Module& module, KernelDraft& draft) {
  std::vector<Life> lives = Liveness(draft).result();
  std::stable_sort(lives.begin(), lives.end(), [](const Life& a, const Life& b) { return a.bytes > b.bytes; });
  int64_t total = 0;
  for (size_t i = 0; i < lives.size(); ++i) {
    const int64_t align = lives[i].storage->align;
    int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t j = 0; j < i; ++j) {
        const Life& o = lives[j];
        const bool together = lives[i].first <= o.last && o.first <= lives[i].last;
        const bool overlap = offset < o.storage->offset + o.bytes && o.storage->offset < offset + lives[i].bytes;
        if (!together || !overlap) continue;
        offset = (o.storage->offset + o.bytes + align - 1) / align * align;
        moved = true;
      }
    }
    lives[i].storage->offset = offset;
    total = std::max(total, offset + lives[i].bytes);
  }
  const int64_t limit = limits(module.target).shared_bytes_per_block;
  if (limit > 0 && total > limit) {
    std::vector<std::string> excerpt;
    for (const Life& l : lives)
      excerpt.push_back(module.buffers[l.storage->func].name + ": " + std::to_string(l.bytes) + " bytes");
    user_error(ErrorCode::TooMuchShared, lives.front().storage->loc,
               "kernel `" + draft.name + "` needs " + std::to_string(total) + " bytes of shared memory; " + module.target.to_string() +
                   " allows " + std::to_string(limit) + " a block",
               "smaller tiles, or " + module.buffers[lives.front().storage->func].name + ".compute_root()", std::move(excerpt));
  }
  draft.shared_bytes = total;
  draft.stage = DraftStage::Packed;
}

}  // namespace sinter::scheduler
