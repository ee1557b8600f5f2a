#include "engines/foundationdb/commit_pipeline.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "engines/foundationdb/records.h"

namespace partita::foundationdb {

using namespace storage;

namespace {

void write_slices(TxnAttempt& attempt, const RowKeys& names, std::string_view key, std::string_view value) {
  for (uint16_t number = 0; !value.empty(); ++number) {
    attempt.set(names.slice(key, number), value.substr(0, kSliceBytes));
    value.remove_prefix(std::min(kSliceBytes, value.size()));
  }
}

// Looked up at once: all of it is in memory.
constexpr size_t kMostKeys = 512;
constexpr int kMostConflicts = 200;

}  // namespace

void PendingTxn::await_suspend(std::coroutine_handle<> handle) {
  suspend(handle);
  asked_at_ = RetryPolicy::Clock::now();
  pipeline_.take(*this);
}

CommitPipeline::CommitPipeline(const Cluster& cluster, const RowKeys& names, Workers& workers,
                               const SessionLease& lease, RemoteMeters& meters, const FoundationdbOptions& options,
                               const Limits& limits)
    : cluster_(cluster),
      names_(names),
      workers_(workers),
      lease_(lease),
      meters_(meters),
      options_(options),
      limits_(limits),
      versions_(system_random().next()) {
  std::string server;
  append_u64(server, system_random().next());
  append_u64(server, system_random().next());
  for (size_t i = 0; i < options_.lanes; ++i) {
    lanes_.emplace_back().mark = names_.mark(server, static_cast<uint8_t>(i));
  }
}

CommitPipeline::~CommitPipeline() {
  const MutexLock lock(mutex_);
  PARTITA_CHECK(waiting_.empty());
  rested_.wait(mutex_, [this]() PARTITA_REQUIRES(mutex_) { return std::ranges::none_of(lanes_, &Lane::is_busy); });
}

// splitmix64 moves on by a fixed step, meets no number twice, and two servers begin at random.
Version CommitPipeline::draw_version() {
  uint64_t state = 0;
  splitmix64(state);
  state = versions_.fetch_add(state);
  return Version{splitmix64(state)};
}

void CommitPipeline::take(PendingTxn& txn) {
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(&txn);
  }
  dispatch();
}

void CommitPipeline::dispatch() {
  for (;;) {
    Lane* lane = nullptr;
    PendingTxns txns;
    {
      const MutexLock lock(mutex_);
      lane = idle_lane();
      if (lane == nullptr) return;
      txns = pick();
      if (txns.empty()) return;
      lane->is_busy = true;
    }
    start(run_lane(*lane, std::move(txns)), [] {});
  }
}

CommitPipeline::Lane* CommitPipeline::idle_lane() {
  const auto lane = std::ranges::find(lanes_, false, &Lane::is_busy);
  return lane == lanes_.end() ? nullptr : &*lane;
}

CommitPipeline::PendingTxns CommitPipeline::pick() {
  const InFlightKeys::GroupLimits most{.members = options_.merged, .keys = kMostKeys};
  PendingTxns picked =
      in_flight_keys_.pick(waiting_, most, [](const PendingTxn&) { return InFlightKeys::Eligibility::kGrouped; });
  for (const PendingTxn* const txn : picked) in_flight_keys_.add(txn->transaction);
  return picked;
}

Task<void> CommitPipeline::run_lane(Lane& lane, PendingTxns txns) {
  co_await workers_.enter();
  for (;;) {
    co_await run(lane, txns);
    {
      const MutexLock lock(mutex_);
      for (const PendingTxn* const txn : txns) in_flight_keys_.remove(txn->transaction);
    }
    resume({txns.begin(), txns.end()}, workers_);
    {
      const MutexLock lock(mutex_);
      txns = pick();
      if (txns.empty()) {
        lane.is_busy = false;
        rested_.notify_all();
        co_return;
      }
      if (waiting_.empty()) continue;
    }
    dispatch();
  }
}

Task<void> CommitPipeline::run(Lane& lane, PendingTxns& txns) {
  std::exception_ptr failure;
  lane.is_in_doubt = false;
  try {
    co_await run_batch(lane, txns);
  } catch (const std::bad_alloc&) {
    failure = std::current_exception();
  }
  if (!failure) co_return;
  if (lane.is_in_doubt) fail(txns, Error(ErrorKind::kUnknown, "Memory ran out during a commit."));
  for (PendingTxn* const txn : txns) txn->failure = lane.is_in_doubt ? nullptr : failure;
}

// Those behind, to the front of the queue.
void CommitPipeline::give_back(PendingTxns& txns, size_t kept) {
  if (txns.size() == kept) return;
  const MutexLock lock(mutex_);
  for (size_t i = kept; i < txns.size(); ++i) in_flight_keys_.remove(txns[i]->transaction);
  waiting_.insert(waiting_.begin(), txns.begin() + static_cast<ptrdiff_t>(kept), txns.end());
  txns.resize(kept);
}

void CommitPipeline::fail(const PendingTxns& txns, const Error& error) {
  for (PendingTxn* const txn : txns) {
    txn->transaction.outcome = error;
    txn->failure = nullptr;
  }
}

Task<void> CommitPipeline::run_batch(Lane& lane, PendingTxns& txns) {
  // Those that waited for a lane have waited already.
  const auto first = std::ranges::min_element(txns, {}, &PendingTxn::asked_at_);
  const RetryPolicy retry_policy(workers_, (*first)->asked_at_);
  for (int conflicts = 0;;) {
    std::vector<Transaction*> members;
    for (PendingTxn* const txn : txns) members.push_back(&txn->transaction);
    Batch batch(std::move(members), limits_);
    TxnAttempt attempt(cluster_);
    attempt.limit_time(retry_policy.next());
    LookupResult lookup;
    int code = co_await look_up(attempt, batch, lookup);
    if (code == 0) {
      const size_t left = batch.evaluate([this] { return draw_version(); }).size();
      give_back(txns, txns.size() - left);
      for (PendingTxn* const txn : txns) txn->failure = txn->transaction.failure;
      if (!batch.has_effects()) co_return;
      write(attempt, batch, lookup);
      meters_.groups.add(txns.size());
      const CommitOutcome outcome = co_await commit(attempt, lane, retry_policy, code);
      if (outcome == CommitOutcome::kCommitted) co_return;
      if (outcome == CommitOutcome::kUnknown) {
        co_return fail(txns, Error(ErrorKind::kUnknown, "Nobody could be asked what became of a commit."));
      }
    }
    if (code == kErrorConflict) meters_.retries.add(txns.size());
    if (code == kErrorConflict && ++conflicts >= kMostConflicts) {
      co_return fail(txns, Error(ErrorKind::kConflict, "Others changed the same records too often meanwhile."));
    }
    bool again = false;
    if (!is_final(code)) again = co_await retry_policy.allows_another(attempt, code);
    if (again) continue;
    if (txns.size() == 1 || retry_policy.is_over()) co_return fail(txns, error_of(code));
    // One of them may be the cause, so each is tried alone.
    for (PendingTxn* const txn : txns) {
      PendingTxns alone{txn};
      co_await run(lane, alone);
    }
    co_return;
  }
}

Task<int> CommitPipeline::look_up(TxnAttempt& attempt, Batch& batch, LookupResult& lookup) {
  const std::vector<Batch::Wanted> wanted = batch.wanted();
  const auto is_recalled = [](const Batch::Wanted& one) { return one.read_mostly && !one.value; };
  std::vector<std::optional<Future>> rows(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!is_recalled(wanted[i])) rows[i] = attempt.get(names_.record(wanted[i].key));
  }
  // With it comes the moment: a commit that took its own might take it after its mark was fenced off.
  const Future metadata = attempt.metadata_version();
  if (const int code = co_await metadata.done(workers_); code != 0) co_return code;
  const std::string_view metadata_version = metadata.value().value_or("");
  // Of what is recalled nobody knows what there is to clear.
  lookup.sliced.assign(wanted.size(), true);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (rows[i]) continue;
    const std::optional<VersionCache::CachedVersion> known =
        version_cache_.find(metadata_version, names_.record(wanted[i].key));
    if (!known) rows[i] = attempt.get(names_.record(wanted[i].key));
    if (known && *known) batch.found(i, **known, {});
  }
  if (const int code = co_await look_up_terms(attempt, metadata_version, lookup.age); code != 0) co_return code;
  std::vector<std::pair<size_t, RecordSlices>> large;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i]) continue;
    const int code = co_await rows[i]->done(workers_);
    if (code != 0) co_return code;
    const std::optional<std::string_view> row = rows[i]->value();
    const std::optional<RecordHeader> header = row ? parse_record_header(*row) : RecordHeader{};
    if (!header) co_return kDamaged;
    if (is_recalled(wanted[i])) {
      version_cache_.keep(metadata_version, names_.record(wanted[i].key),
                          row ? VersionCache::CachedVersion(header->version) : std::nullopt);
    }
    lookup.sliced[i] = header->sliced_bytes != 0;
    if (!row) continue;
    if (lookup.sliced[i] && wanted[i].value) {
      large.emplace_back(i, RecordSlices(attempt, names_, wanted[i].key, *header));
    } else {
      batch.found(i, header->version, header->value);
    }
  }
  for (auto& [i, slices] : large) {
    std::string value;
    const int code = co_await slices.join(value, workers_);
    if (code != 0) co_return code;
    batch.found(i, slices.version(), value);
  }
  co_return 0;
}

Task<int> CommitPipeline::look_up_terms(TxnAttempt& attempt, std::string_view metadata_version, uint8_t& age) {
  const std::optional<VersionCache::CachedVersion> known_age = version_cache_.find(metadata_version, names_.age());
  const std::optional<VersionCache::CachedVersion> known_holder =
      version_cache_.find(metadata_version, names_.holder());
  if (known_age && known_holder) {
    age = static_cast<uint8_t>(static_cast<uint64_t>(known_age->value_or(Version{})));
    co_return lease_.verify_holder(*known_holder);
  }
  const Future aged = attempt.get(names_.age());
  const Future held = attempt.get(names_.holder());
  for (const Future* const asked : {&aged, &held}) {
    if (const int code = co_await asked->done(workers_); code != 0) co_return code;
  }
  const std::optional<uint8_t> found = parse_age(aged.value());
  const std::optional<VersionCache::CachedVersion> holder = SessionLease::parse_holder(held.value());
  if (!found || !holder) co_return kDamaged;
  age = *found;
  version_cache_.keep(metadata_version, names_.age(), Version{age});
  version_cache_.keep(metadata_version, names_.holder(), *holder);
  co_return lease_.verify_holder(*holder);
}

void CommitPipeline::write(TxnAttempt& attempt, const Batch& batch, const LookupResult& lookup) const {
  size_t looked_up = 0;
  bool renews = false;
  for (const auto& [key, row] : batch.rows()) {
    // Who writes without having looked does not know what there is to clear.
    const bool may_be_sliced = row.wanted ? lookup.sliced[looked_up++] : true;
    const std::string name = names_.record(key);
    if (row.checked) attempt.rely_on(name);
    if (!row.written) continue;
    renews = renews || row.read_mostly;
    if (may_be_sliced) attempt.clear(names_.slices(key));
    if (!row.now) {
      attempt.clear(name);
      continue;
    }
    attempt.set(name, make_record_header(row.now->version, row.now->value));
    if (has_slices(row.now->value)) write_slices(attempt, names_, key, row.now->value);
  }
  append(attempt, batch.appends(), lookup.age);
  if (renews) attempt.renew_metadata_version();
}

void CommitPipeline::append(TxnAttempt& attempt, const std::vector<Changes::Append>& appends, uint8_t age) const {
  if (!appends.empty()) attempt.rely_on(names_.age());
  uint32_t number = 0;
  std::string first;
  for (const Changes::Append& append : appends) {
    uint16_t slice = 0;
    for (const std::string_view value : slices_of_entry(append.entry, first)) {
      size_t stamp_at = 0;
      std::string name = names_.entry(append.topic, age, number, slice++, stamp_at);
      attempt.set_stamped(std::move(name), stamp_at, value);
    }
    ++number;
  }
}

Task<CommitPipeline::CommitOutcome> CommitPipeline::commit(TxnAttempt& attempt, Lane& lane,
                                                           const RetryPolicy& retry_policy, int& code) {
  attempt.rely_on(names_.holder());
  attempt.rely_on(lane.mark);
  attempt.set(lane.mark, make_mark(++lane.sequence, false));
  lane.is_in_doubt = true;
  const CommitFault commit_fault = options_.commit_fault ? options_.commit_fault() : CommitFault::kNothing;
  code = kErrorTimedOut;
  if (commit_fault != CommitFault::kCommit && commit_fault != CommitFault::kLate) {
    const int64_t begun_ns = system_clock().monotonic_ns();
    const Future sent = attempt.commit();
    code = co_await sent.done(workers_);
    meters_.commits.add(static_cast<uint64_t>(system_clock().monotonic_ns() - begun_ns));
    if (commit_fault == CommitFault::kAnswer) code = kErrorTimedOut;
  }
  CommitOutcome outcome = code == 0 ? CommitOutcome::kCommitted : CommitOutcome::kNotCommitted;
  if (is_maybe_committed(code)) outcome = co_await resolve_in_doubt(lane, retry_policy);
  if (commit_fault == CommitFault::kLate) {
    const Future late = attempt.commit();
    co_await late.done(workers_);
  }
  lane.is_in_doubt = outcome == CommitOutcome::kUnknown;
  co_return outcome;
}

// Fencing off the mark writes the row that the lost commit has read, so the commit fails if it arrives later.
Task<CommitPipeline::CommitOutcome> CommitPipeline::resolve_in_doubt(Lane& lane, const RetryPolicy& retry_policy) {
  for (;;) {
    TxnAttempt attempt(cluster_);
    attempt.limit_time(retry_policy.next());
    const Future mark = attempt.get_firmly(lane.mark);
    int code = co_await mark.done(workers_);
    if (code == 0) {
      std::string_view said = mark.value().value_or("");
      const std::optional<uint64_t> sequence = take_u64(said);
      if (sequence == lane.sequence && !said.empty())
        co_return said.back() == 0 ? CommitOutcome::kCommitted : CommitOutcome::kNotCommitted;
      attempt.set(lane.mark, make_mark(lane.sequence, true));
      const Future fenced = attempt.commit();
      code = co_await fenced.done(workers_);
      if (code == 0) co_return CommitOutcome::kNotCommitted;
    }
    const bool again = co_await retry_policy.allows_another(attempt, code);
    if (!again) co_return CommitOutcome::kUnknown;
  }
}

}  // namespace partita::foundationdb
