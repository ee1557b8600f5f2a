#include "table/items/precompute.h"

#include <utility>

#include "base/executor.h"
#include "model/fault.h"

namespace partita::table {

namespace {

using storage::Record;
using Kind = api::WriteAction::Kind;

// In steps of some two nanoseconds: each operand of a condition may go over all of the item's bytes, and to decode an
// item, or to make another of it, takes as long as several such passes.
constexpr uint64_t kMostAtOnce = 32'000'000;
constexpr uint64_t kDecodingPasses = 6;
constexpr uint64_t kUpdatingPasses = 16;

// Others' steps are far shorter than ours, and what they do takes several: reading a large body, for one.
constexpr int kTurnsOfOthers = 16;

uint64_t passes_of(const expr::ConditionNode& node) {
  uint64_t passes = node.operands.size();
  for (const auto& child : node.children) passes += passes_of(child);
  return passes;
}

uint64_t steps_of(const api::WriteAction& action, const Record* found) {
  if (found == nullptr) return 0;
  uint64_t passes = kDecodingPasses;
  if (action.condition) passes += passes_of(action.condition->root());
  if (action.kind == Kind::kUpdate) passes += kUpdatingPasses;
  return passes * found->value.size();
}

std::optional<storage::Version> version_of(const Record* found) {
  return found == nullptr ? std::nullopt : std::optional(found->version);
}

}  // namespace

size_t bytes_of(std::span<const storage::Changes::Write> writes) {
  size_t bytes = 0;
  for (const auto& write : writes) bytes += write.key.bytes.size() + (write.value ? write.value->size() : 0);
  return bytes;
}

Result<EvaluatedWrite> evaluate_one(const BoundWrite& write, bool full, const Record* found, int64_t now_ms,
                                    storage::Changes& changes) {
  PARTITA_TRY(EvaluatedWrite written, evaluate_write(write, found, now_ms, changes));
  PARTITA_TRY_VOID(check_growth(full, written.change));
  written.before.reset();
  written.after.reset();
  return written;
}

const PrecomputedWrite* Precompute::of(size_t write, const Record* found) const {
  const std::optional<PrecomputedWrite>& result = results_[write];
  return result && result->version == version_of(found) ? &*result : nullptr;
}

bool Precompute::is_needed(std::span<const Record* const> found) const {
  uint64_t steps = 0;
  for (size_t i = 0; i < results_.size(); ++i) {
    if (of(i, found[i]) == nullptr) steps += steps_of(*writes_[i].action, found[i]);
  }
  return steps > kMostAtOnce;
}

Task<Result<void>> Precompute::run(TableContext& context) {
  size_t bytes = 0;
  for (size_t i = 0; i < results_.size(); ++i) {
    auto read = co_await context.engine().read(std::span(&writes_[i].key, 1));
    if (!read.ok()) co_return std::move(read).error();
    const Record* const found = read->front() ? &*read->front() : nullptr;
    const bool known = of(i, found) != nullptr;
    if (!known) {
      storage::Changes changes;
      auto written = evaluate_one(writes_[i], full_[i], found, context.clock().now_ms(), changes);
      results_[i].emplace(PrecomputedWrite{version_of(found), std::move(written), std::move(changes)});
    }
    bytes += bytes_of(results_[i]->changes.writes());
    if (bytes > kMaxWrittenBytes) co_return model::refuse(model::Fault::kTransactionItemsTooLarge);
    for (int turn = 0; !known && turn < kTurnsOfOthers; ++turn) co_await Yield();
  }
  co_return Result<void>();
}

}  // namespace partita::table
