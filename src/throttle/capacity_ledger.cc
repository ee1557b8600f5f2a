#include "throttle/capacity_ledger.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "model/key.h"
#include "throttle/ledger_rows.h"

namespace partita::throttle {

namespace {

using table::IndexInfo;
using table::Table;

constexpr int kAttempts = 3;
// A server without a share looks more often.
constexpr int64_t kImpatientNs = kLedgerPeriodNs / 5;
// And while it has no tables, when it reads nothing: less than the 50 ms in which a new table is CREATING.
constexpr int64_t kTablelessNs = 30'000'000;
// A killed server has its share for 2.5 s at most.
constexpr int64_t kFirstShareNs = 3'000'000'000;

LedgerOutcome outcome_of(const Result<storage::Outcome>& written) {
  if (written.ok()) {
    return *written == storage::Outcome::kCommitted ? LedgerOutcome::kCommitted : LedgerOutcome::kNotDone;
  }
  return written.error().kind() == ErrorKind::kUnknown ? LedgerOutcome::kUnknown : LedgerOutcome::kNotDone;
}

TableCapacity* capacity_in(const std::shared_ptr<table::LimitsKept>& kept) {
  return static_cast<TableCapacity*>(kept->get());
}

}  // namespace

// Of the background thread, except at the beginning and at the end.
class CapacityLedger::State final : public LedgerHost {
 public:
  State(table::TableContext& context, std::shared_ptr<CapacityLimits> limits, std::string space)
      : context_(context),
        limits_(std::move(limits)),
        space_(std::move(space)),
        share_(limits_->share_of(space_)),
        participant_(context.random().next(), *this) {
    renew(INT64_MIN);
    divide(0);
  }

  Task<void> look();
  void leave();
  // Not at the same moments as other servers.
  int64_t pause_ns() {
    int64_t span_ns = participant_.divisor() == 0 ? kImpatientNs : kLedgerPeriodNs;
    if (is_tableless()) span_ns = kTablelessNs;
    return span_ns * 9 / 10 + static_cast<int64_t>(context_.random().below(static_cast<uint64_t>(span_ns / 10)));
  }
  table::TableContext& context() { return context_; }
  // Whether requests would be refused as there is no share yet.
  bool is_missed() const {
    const std::vector<Table> tables = context_.catalog().all();
    return participant_.divisor() == 0 &&
           std::ranges::any_of(tables, [&](const Table& table) { return limits_->enforces(space_, *table); });
  }

  // False: stop() was called.
  bool begin_look() {
    const MutexLock lock(mutex_);
    looking_ = !stopped_;
    return looking_;
  }
  void end_look() {
    const MutexLock lock(mutex_);
    looking_ = false;
    changed_.notify_all();
  }
  // Waits for the end of a look.
  void stop() {
    const MutexLock lock(mutex_);
    stopped_ = true;
    while (looking_) changed_.wait(mutex_);
  }

  void divide(uint32_t divisor) override {
    share_->divide(divisor, now_ns());
    for_each([&](const BucketId&, TableCapacity& capacity) { capacity.update_share(now_ns()); });
  }
  void renew(int64_t until_ns) override { share_->renew(until_ns); }
  void fill() override {
    share_->fill();
    for_each([&](const BucketId&, TableCapacity& capacity) { capacity.fill(now_ns()); });
  }
  std::vector<BucketId> buckets() override;
  std::optional<BucketState> state(const BucketId& id) override;
  void add(const BucketId& id, model::HalfUnits units) override;
  void raise(const BucketId& id, int64_t per_second) override;
  void add_load(const BucketId& id, model::HalfUnits units) override;

 private:
  int64_t now_ns() const { return context_.clock().monotonic_ns(); }
  // A namespace exists when it has rows, and looking at an empty one must not make it.
  bool is_tableless() const {
    return !space_.empty() && participant_.divisor() == 0 && context_.catalog().all().empty();
  }
  Task<Result<bool>> look_once();
  // Those in use, each once.
  template <class Visit>
  void for_each(Visit visit);
  TableCapacity* find(const BucketId& id);
  void complain(const Error& error);

  table::TableContext& context_;
  const std::shared_ptr<CapacityLimits> limits_;
  const std::string space_;
  const std::shared_ptr<CapacityShare> share_;
  LedgerParticipant participant_;
  std::map<uint32_t, Table> tables_;  // of this look
  LogThrottle complaints_{10'000};
  Mutex mutex_;
  CondVar changed_;
  bool looking_ PARTITA_GUARDED_BY(mutex_) = false;
  bool stopped_ PARTITA_GUARDED_BY(mutex_) = false;
};

template <class Visit>
void CapacityLedger::State::for_each(Visit visit) {
  for (const Table& table : context_.catalog().all()) {
    if (TableCapacity* const own = capacity_in(table->limits)) visit(BucketId{table->id, model::kBaseIndex}, *own);
    for (const IndexInfo& index : table->indexes) {
      if (TableCapacity* const own = capacity_in(index.limits)) visit(BucketId{table->id, index.id}, *own);
    }
  }
}

std::vector<BucketId> CapacityLedger::State::buckets() {
  std::vector<BucketId> ids;
  for_each([&](BucketId id, TableCapacity&) {
    for (const bool write : {false, true}) {
      id.write = write;
      ids.push_back(id);
    }
  });
  return ids;
}

TableCapacity* CapacityLedger::State::find(const BucketId& id) {
  if (tables_.empty()) {
    for (Table& table : context_.catalog().all()) tables_.emplace(table->id, std::move(table));
  }
  const auto found = tables_.find(id.table);
  if (found == tables_.end()) return nullptr;
  const IndexInfo* index = nullptr;
  if (id.index != model::kBaseIndex) {
    for (const IndexInfo& one : found->second->indexes) {
      if (one.id == id.index && one.is_global_secondary()) index = &one;
    }
    if (index == nullptr) return nullptr;
  }
  return &limits_->of(space_, *found->second, index, now_ns());
}

std::optional<BucketState> CapacityLedger::State::state(const BucketId& id) {
  TableCapacity* const capacity = find(id);
  return capacity == nullptr ? std::nullopt : std::optional(capacity->state(id.write, now_ns()));
}

void CapacityLedger::State::add(const BucketId& id, model::HalfUnits units) {
  if (TableCapacity* const capacity = find(id)) capacity->add(id.write, units, now_ns());
}

void CapacityLedger::State::raise(const BucketId& id, int64_t per_second) {
  if (TableCapacity* const capacity = find(id)) capacity->raise(id.write, per_second, now_ns());
}

void CapacityLedger::State::add_load(const BucketId& id, model::HalfUnits units) {
  if (TableCapacity* const capacity = find(id)) capacity->add_load(id.write, units);
}

void CapacityLedger::State::complain(const Error& error) {
  uint64_t unsaid = 0;
  if (complaints_.pass(unsaid)) {
    log(LogLevel::kWarn,
        {"The share of this server in the capacity of tables was not renewed, and is tried again: ", error.sentence()});
  }
}

// False: another server came first.
Task<Result<bool>> CapacityLedger::State::look_once() {
  const int64_t began_ns = now_ns();
  PARTITA_CO_TRY(const StoredLedger seen, co_await read_ledger(context_.engine()));
  const uint32_t before = participant_.divisor();
  const std::optional<LedgerWrites> writes = participant_.begin(seen.rows, began_ns, now_ns());
  if (!writes) co_return true;
  const int64_t tried_ns = now_ns();
  const Result<storage::Outcome> written = co_await write_ledger(context_.engine(), seen, *writes);
  participant_.end(outcome_of(written), tried_ns);
  if (!written.ok()) co_return written.error();
  if (participant_.divisor() != before && !seen.rows.members.empty()) {
    const std::string part = participant_.divisor() == 1 ? "all" : "1/" + std::to_string(participant_.divisor());
    log(LogLevel::kInfo, {"Of the capacity of each table", space_.empty() ? "" : " of the namespace ", space_,
                          ", this server has ", part, "."});
  }
  co_return *written == storage::Outcome::kCommitted;
}

Task<void> CapacityLedger::State::look() {
  if (is_tableless()) co_return;
  bool done = false;
  for (int attempt = 0; attempt < kAttempts && !done; ++attempt) {
    const Result<bool> looked = co_await look_once();
    if (!looked.ok()) complain(looked.error());
    done = !looked.ok() || *looked;
    tables_.clear();
  }
}

void CapacityLedger::State::leave() {
  stop();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<StoredLedger> seen = wait_for(read_ledger(context_.engine()));
    if (!seen.ok()) return;
    const std::optional<LedgerWrites> writes = participant_.leave(seen->rows);
    tables_.clear();
    if (!writes) return;
    const Result<storage::Outcome> written = wait_for(write_ledger(context_.engine(), *seen, *writes));
    if (outcome_of(written) != LedgerOutcome::kNotDone) return;
  }
}

CapacityLedger::CapacityLedger(table::TableContext& context, std::shared_ptr<CapacityLimits> limits, std::string space)
    : state_(std::make_shared<State>(context, std::move(limits), std::move(space))) {
  wait_for(state_->look());
  for (int64_t waited_ns = 0; state_->is_missed() && waited_ns < kFirstShareNs; waited_ns += kImpatientNs) {
    wait_for(context.background().sleep(std::chrono::nanoseconds(kImpatientNs)));
    wait_for(state_->look());
  }
  context.background().begin([state = state_, pause_ns = state_->pause_ns()] { return watch(state, pause_ns); });
}

CapacityLedger::~CapacityLedger() { state_->leave(); }

Task<void> CapacityLedger::watch(std::shared_ptr<State> state, int64_t pause_ns) {
  table::Background& background = state->context().background();
  while (!background.stopping()) {
    co_await background.sleep(std::chrono::nanoseconds(pause_ns));
    if (!state->begin_look()) co_return;
    co_await state->look();
    // Before the end of the look, after which another thread may leave().
    pause_ns = state->pause_ns();
    state->end_look();
  }
}

}  // namespace partita::throttle
