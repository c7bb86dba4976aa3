// Loads and stores of a thread: bounds, alignment, initialisation and order are checked here.
#include <algorithm>
#include <cstring>

#include "codegen/emulate/block.h"

namespace sinter::codegen::emulator {

namespace {

int64_t low_bit(int64_t v) { return v & -v; }

// What a masked-off lane holds: nothing may depend on it, so it is nothing that looks right.
uint64_t undefined_bits(ir::Type t) {
  return t.is_float() ? ir::Scalar::of_float(t, __builtin_nan("")).bits : ir::Scalar::of_int(t, t.is_bool() ? 1 : 0x5a).bits;
}

}  // namespace

Place& BlockRunner::place(const AccessInfo& info) {
  if (info.buffer < 0 || static_cast<size_t>(info.buffer) >= launch_.places.size() ||
      launch_.places[static_cast<size_t>(info.buffer)].kind == Place::Kind::None)
    throw ir::InternalError("kernel `" + launch_.code->kernel->name + "` accesses buffer " + std::to_string(info.buffer) +
                            ", which it neither lists nor allocates");
  Place& p = launch_.places[static_cast<size_t>(info.buffer)];
  if (p.type != info.type)
    throw ir::InternalError("buffer `" + p.name + "` of " + to_string(p.type) + " is accessed as " + to_string(info.type));
  return p;
}

void BlockRunner::access(const ir::FlatAccess& a, uint64_t* frame) {
  const RoleCode& role = *threads_[static_cast<size_t>(current_)].role;
  const AccessInfo& info = role.accesses[static_cast<size_t>(&a - role.code.accesses.data())];
  Place& p = place(info);
  bool first = true;
  for (int i = 0; i < info.lanes; ++i) {
    const uint32_t lane = static_cast<uint32_t>(i);
    if (info.masked && !frame[a.args[1] + lane]) {
      frame[a.dst + lane] = undefined_bits(info.type);
      continue;
    }
    const int64_t index = static_cast<int64_t>(frame[a.args[0] + lane]);
    if (first && info.align > 0) check_alignment(info, p, index - (info.dense ? i : 0));
    first = false;
    frame[a.dst + lane] = load_element(info, p, index);
  }
}

void BlockRunner::store(const StoreCode& s, uint64_t* frame) {
  Place& p = place(s.info);
  bool first = true;
  for (int i = 0; i < s.info.lanes; ++i) {
    const uint32_t lane = static_cast<uint32_t>(i);
    if (s.info.masked && !frame[s.mask + lane]) continue;
    const int64_t index = static_cast<int64_t>(frame[s.index + lane]);
    if (first && s.info.align > 0) check_alignment(s.info, p, index - (s.info.dense ? i : 0));
    first = false;
    store_element(s.info, p, index, frame[s.value + lane]);
  }
}

// `index` is that of lane 0.
void BlockRunner::check_alignment(const AccessInfo& info, const Place& p, int64_t index) {
  if (index % info.align != 0)
    fail(Fault::Misaligned, info.site,
         element(p, index) + " is accessed with the claim that its index is a multiple of " + std::to_string(info.align) + "; it is " +
             std::to_string(index));
  if (!info.dense || info.lanes == 1 || p.kind == Place::Kind::Register) return;
  // The machine accesses up to 16 bytes at once, where the claim allows.
  const int64_t bytes = p.type.bytes();
  const int64_t needed = std::min<int64_t>({low_bit(info.align * bytes), low_bit(info.lanes * bytes), 16});
  const int64_t address = p.kind == Place::Kind::Shared ? p.offset + index * bytes : reinterpret_cast<int64_t>(p.base) + index * bytes;
  if (address % needed != 0)
    fail(Fault::Misaligned, info.site,
         element(p, index) + " is accessed as " + std::to_string(info.lanes) + " elements at an address that is no multiple of " +
             std::to_string(needed) + " bytes");
}

uint64_t BlockRunner::load_element(const AccessInfo& info, Place& p, int64_t index) {
  const int64_t bytes = p.type.bytes();
  const int t = current_;
  if (p.kind == Place::Kind::Global) {
    if (!p.shape.contains(index)) fail(Fault::OutOfBounds, info.site, element(p, index) + " is read, but does not exist");
    const uint8_t* at = p.base + index * bytes;
    Region& r = *p.region;
    if (r.tracked) {
      const size_t cell = r.cell(at), n = static_cast<size_t>(bytes / r.granule);
      for (size_t i = 0; i < n; ++i) {
        if (!r.written[cell + i]) fail(Fault::Uninitialised, info.site, element(p, index) + " is read before anything is written to it");
        const Epoch race = r.shadow.read(cell + i, now(false), t, info.site);
        if (race.clock && options_.check_races)
          report_race(p, index, race, true, false, info.site, to_string(ir::Scalar{p.type, ir::load_bits(p.type, at)}));
      }
    }
    report_.global_bytes_read += bytes;
    return ir::load_bits(p.type, at);
  }
  if (index < 0 || index >= p.elements)
    fail(Fault::OutOfBounds, info.site,
         element(p, index) + " is read, but the allocation has " + std::to_string(p.elements) + " elements");
  if (p.kind == Place::Kind::Register) {
    const Thread& th = threads_[static_cast<size_t>(t)];
    const size_t at = static_cast<size_t>(p.offset + index);
    if (!th.has_value[at]) fail(Fault::Uninitialised, info.site, element(p, index) + " is read before anything is written to it");
    return th.registers[at];
  }
  const size_t at = static_cast<size_t>(p.offset + index * bytes);
  const size_t cell = at / static_cast<size_t>(shared_granule_), n = static_cast<size_t>(bytes / shared_granule_);
  for (size_t i = 0; i < n; ++i) {
    const Epoch race = shared_shadow_.read(cell + i, now(true), t, info.site);
    if (race.clock && options_.check_races)
      report_race(p, index, race, true, false, info.site, to_string(ir::Scalar{p.type, ir::load_bits(p.type, &shared_[at])}));
    // Allocations share memory when their lifetimes do not overlap: what another one left behind is no value of this one.
    const Epoch last = shared_shadow_.last_write(cell + i, now(true));
    if (!last.clock || launch_.code->sites[last.site].buffer != info.buffer)
      fail(Fault::Uninitialised, info.site, element(p, index) + " is read before anything is written to it");
  }
  report_.shared_bytes_read += bytes;
  return ir::load_bits(p.type, &shared_[at]);
}

void BlockRunner::store_element(const AccessInfo& info, Place& p, int64_t index, uint64_t bits) {
  const int64_t bytes = p.type.bytes();
  const int t = current_;
  const auto value = [&] { return to_string(ir::Scalar{p.type, bits}); };
  if (p.kind == Place::Kind::Global) {
    if (!p.writable) throw ir::InternalError("kernel `" + launch_.code->kernel->name + "` stores to `" + p.name + "`, which it does not list as written");
    if (!p.shape.contains(index))
      fail(Fault::OutOfBounds, info.site, element(p, index) + " = " + value() + " is stored, but the element does not exist");
    uint8_t* at = p.base + index * bytes;
    Region& r = *p.region;
    const bool same = ir::load_bits(p.type, at) == bits;
    const size_t cell = r.cell(at), n = static_cast<size_t>(bytes / r.granule);
    for (size_t i = 0; i < n; ++i) {
      const Shadow::Conflict c = r.shadow.write(cell + i, now(false), t, info.site, same && r.written[cell + i]);
      if (c.with.clock && options_.check_races) report_race(p, index, c.with, c.is_write, true, info.site, value());
      r.written[cell + i] = 1;
    }
    ir::store_bits(p.type, bits, at);
    report_.global_bytes_written += bytes;
    return;
  }
  if (index < 0 || index >= p.elements)
    fail(Fault::OutOfBounds, info.site,
         element(p, index) + " = " + value() + " is stored, but the allocation has " + std::to_string(p.elements) + " elements");
  if (p.kind == Place::Kind::Register) {
    Thread& th = threads_[static_cast<size_t>(t)];
    th.registers[static_cast<size_t>(p.offset + index)] = bits;
    th.has_value[static_cast<size_t>(p.offset + index)] = 1;
    return;
  }
  const size_t at = static_cast<size_t>(p.offset + index * bytes);
  const bool same = ir::load_bits(p.type, &shared_[at]) == bits;
  const size_t cell = at / static_cast<size_t>(shared_granule_), n = static_cast<size_t>(bytes / shared_granule_);
  for (size_t i = 0; i < n; ++i) {
    const Shadow::Conflict c = shared_shadow_.write(cell + i, now(true), t, info.site, same);
    if (c.with.clock && options_.check_races) report_race(p, index, c.with, c.is_write, true, info.site, value());
  }
  ir::store_bits(p.type, bits, &shared_[at]);
  report_.shared_bytes_written += bytes;
}

// ---- messages -----------------------------------------------------------------------------------------------------

std::string BlockRunner::element(const Place& p, int64_t index) const {
  const char* memory = p.kind == Place::Kind::Global ? "" : p.kind == Place::Kind::Shared ? " (shared memory)" : " (registers)";
  return "`" + p.name + "`" + (p.kind == Place::Kind::Global ? p.shape.coordinates(index) : "[" + std::to_string(index) + "]") + memory;
}

void BlockRunner::report_race(const Place& p, int64_t index, const Epoch& other, bool other_writes, bool writes, uint32_t site,
                              const std::string& value) {
  const Site& there = launch_.code->sites[other.site];
  const int64_t other_block = static_cast<int64_t>(other.block) - launch_.first_block;
  std::string text = element(p, index) + (writes ? " = " + value + " is stored" : " is read") + ", and thread " + std::to_string(other.thread);
  if (other_block != block_) text += " of block " + std::to_string(other_block);
  text += other_writes ? " stored it" : " read it";
  if (there.loc.known()) text += " (" + to_string(there.loc) + ")";
  fail(Fault::Race, site, text + " without anything that orders the two");
}

void BlockRunner::fail(Fault f, uint32_t site, const std::string& text) const { fail_at(f, launch_.code->sites[site].loc, text); }

void BlockRunner::fail_at(Fault f, ir::Loc loc, const std::string& text) const {
  throw EmulationError(f, loc.known() ? loc : launch_.code->kernel->loc,
                       text + ", in kernel `" + launch_.code->kernel->name + "`, block " + std::to_string(block_) + ", thread " +
                           std::to_string(current_));
}

void BlockRunner::trap(const ir::ArithmeticTrap& t, const ir::Expr& node) {
  // EvalError has the words for the values.
  fail_at(Fault::Overflow, node->loc, ir::EvalError(t, {}).what());
}

}  // namespace sinter::codegen::emulator
