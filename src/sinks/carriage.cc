#include "sinks/carriage.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"
#include "storage/positions.h"
#include "storage/ranges.h"
#include "table/rows/job_row.h"
#include "table/rows/system_rows.h"

namespace partita::sinks {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Position;
using storage::Record;
using table::JobRun;
using table::StepEnd;

constexpr int64_t kCountMs = 1'000;
constexpr int64_t kIntactMs = 10'000;
constexpr int64_t kLeastBackoffMs = 100;
constexpr int64_t kMostBackoffMs = 30'000;
constexpr size_t kFillsAtOnce = 3;    // that are begun anew without a pause
constexpr int64_t kStuckMs = 60'000;  // without an item sent
constexpr size_t kFillRows = 6'000;
constexpr size_t kFillBytes = size_t{3} << 20;
constexpr size_t kEntriesAtOnce = 1'000;  // of a slice
constexpr size_t kEntryBytesAtOnce = size_t{256} << 10;

}  // namespace

Carriage::Carriage(CarriageTools tools, JobRun& run)
    : tools_(std::move(tools)),
      context_(run.context()),
      table_name_(run.job.table),
      table_id_(run.job.table_id),
      number_(run.job.index_id),
      lease_(context_, run.job),
      backlog_(context_.engine(), table_id_, number_) {}

Carriage::~Carriage() {
  if (loaded_) tools_.meters.erase(table_name_, progress_.sink);
}

Task<Result<StepEnd>> Carriage::step(JobRun& run) {
  if (!loaded_) {
    PARTITA_CO_TRY(progress_, progress_from(run.job.carried));
    PARTITA_CO_TRY(first_ends_, co_await backlog_.ends());
    drain_to_ = *first_ends_;
    loaded_ = true;
  }
  PARTITA_CO_TRY(const StepEnd end, co_await step_now(run));
  if (lease_.lost()) co_return StepEnd::kLost;
  if (end == StepEnd::kMore && sink_) {
    PARTITA_CO_TRY_VOID(co_await count_letters());
    show();
  }
  co_return end;
}

Task<Result<StepEnd>> Carriage::step_now(JobRun& run) {
  until_ns_ = now_ns() + kStepMs * kNsPerMs;
  PARTITA_CO_TRY_VOID(co_await look(run));
  if (!sink_ || sink_->deleting || table_ == nullptr) co_return co_await wind_up(run);
  if (sink_->paused || !sink_->failure.empty() || now_ns() < held_until_ns_) co_return co_await stand_by(run);
  if (auto connected = co_await connect(run); !connected.ok()) {
    co_return co_await give_up(run, std::move(connected).error());
  }
  auto ready = co_await make_ready(run);
  if (!ready.ok()) co_return co_await after_failure(run, std::move(ready).error());
  if (progress_.generation != sink_->generation) co_return co_await begin_fill(run);
  if (progress_.filling) co_return co_await fill(run);
  // By turns, so that changes go on whatever becomes of the letters.
  retries_now_ = progress_.retries != sink_->retries && !batch_ && !retries_now_ && followed_;
  if (retries_now_) co_return co_await retry(run);
  followed_ = true;
  co_return co_await follow(run);
}

Task<Result<bool>> Carriage::look(JobRun& run) {
  looked_ns_ = now_ns();
  const std::vector<Key> keys{table::sink_row_key(table_id_, number_)};
  PARTITA_CO_TRY(const auto records, co_await context_.engine().read(keys));
  const bool same = records[0] && sink_ && records[0]->version == sink_version_;
  if (!same) sink_.reset();
  if (records[0] && !same) {
    PARTITA_CO_TRY(sink_, table::sink_from(records[0]->value));
    sink_version_ = records[0]->version;
  }
  table_ = run.catalog().find(table_name_);
  if (table_ == nullptr || table_->id != table_id_) {
    PARTITA_CO_TRY(table_, co_await run.catalog().look_up(table_name_));
    if (table_ != nullptr && table_->id != table_id_) table_ = nullptr;
  }
  co_return !same;
}

// Errors of the other end are of the kinds kUnavailable and kInvalid with reason 0; those of the store have no detail
// that tells them apart, so calls of the other end go through this.
Task<Result<StepEnd>> Carriage::after_failure(JobRun& run, Error error) {
  if (error.kind() == ErrorKind::kUnavailable) {
    // A store that is down is down for this too.
    if (!context_.engine().health().ok()) co_return error;
    hold_up(std::string(error.sentence()));
    co_return StepEnd::kMore;
  }
  if (error.kind() != ErrorKind::kInvalid) co_return error;
  std::string sentence(error.sentence());
  if (sentence.empty()) sentence = "A dead letter cannot be stored.";
  log(LogLevel::kError, {name(), " fails: ", sentence});
  std::function<bool(table::Sink&)> change = [&sentence](table::Sink& sink) {
    sink.failure = sentence;
    return true;
  };
  PARTITA_CO_TRY_VOID(co_await change_sink(run.engine(), table_id_, number_, std::move(change)));
  co_return StepEnd::kMore;
}

void Carriage::hold_up(std::string trouble) {
  intact_due_ns_ = 0;
  if (stuck_since_ns_ == 0) stuck_since_ns_ = now_ns();
  if (progress_.trouble != trouble) {
    uint64_t unsaid = 0;
    if (progress_.trouble.empty() && complaints_.pass(unsaid)) {
      complained_ = true;
      log(LogLevel::kWarn, {name(), " waits for the other end: ", trouble});
    }
    progress_.trouble = std::move(trouble);
    changed_ = true;
  }
  backoff_ms_ = std::clamp(2 * backoff_ms_, kLeastBackoffMs, kMostBackoffMs);
  const auto jitter = static_cast<int64_t>(context_.random().below(static_cast<uint64_t>(backoff_ms_) / 2 + 1));
  held_until_ns_ = now_ns() + (backoff_ms_ / 2 + jitter) * kNsPerMs;
}

void Carriage::go_on() {
  backoff_ms_ = 0;
  held_until_ns_ = 0;
  stuck_since_ns_ = 0;
  if (progress_.trouble.empty()) return;
  if (std::exchange(complained_, false)) log(LogLevel::kInfo, {name(), " goes on."});
  progress_.trouble.clear();
  changed_ = true;
}

// Where each index is lost at once, or none is made, fills without pauses would fill the other end with indexes.
void Carriage::pace_fills() {
  constexpr size_t kDoublings = 9;  // to more than kMostBackoffMs
  if (++fills_anew_ <= kFillsAtOnce) return;
  const size_t doublings = std::min(fills_anew_ - kFillsAtOnce - 1, kDoublings);
  const int64_t pause_ms = std::min(kLeastBackoffMs << doublings, kMostBackoffMs);
  held_until_ns_ = std::max(held_until_ns_, now_ns() + pause_ms * kNsPerMs);
}

Task<Result<void>> Carriage::fill_anew(JobRun& run, std::string because) {
  log(LogLevel::kWarn, {name(), " sends the whole table anew: ", because});
  const int64_t now_ms = context_.clock().now_ms();
  const int64_t rolled_back_ms = context_.options().rolled_back_ms;
  const uint64_t generation = sink_->generation;
  std::function<bool(table::Sink&)> change = [&, generation](table::Sink& sink) {
    if (sink.generation != generation) return false;
    begin_generation(sink, now_ms, because);
    sink.rolled_back_ms = rolled_back_ms;
    return true;
  };
  PARTITA_CO_TRY_VOID(co_await change_sink(run.engine(), table_id_, number_, std::move(change)));
  PARTITA_CO_TRY_VOID(co_await look(run));
  pace_fills();
  co_return Result<void>();
}

Task<Result<void>> Carriage::connect(JobRun& run) {
  if (sender_) co_return Result<void>();
  PARTITA_CO_TRY(const DestinationFactory factory, tools_.find(sink_->url));
  PARTITA_CO_TRY(destination_, factory(settings_of(*sink_, table_->keys), tools_.hurry));
  // A server that has lost the lease may be late with what it sends.
  auto halted = [this] { return lease_.lost() || tools_.hurry.stop_requested(); };
  sender_.emplace(run.context(), tools_.workers, *destination_, backlog_, *sink_, table_, std::move(halted));
  auto prepared = sender_->prepare();
  if (!prepared.ok()) sender_.reset();
  co_return prepared;
}

// The settings were good when the sink was created, so this server lacks something, such as libcurl. Others that share
// the store may have it.
Task<Result<StepEnd>> Carriage::give_up(JobRun& run, Error error) {
  hold_up(std::string(error.sentence()));
  if (context_.options().exclusive) co_return StepEnd::kMore;
  PARTITA_CO_TRY(const StepEnd end, co_await store(run));
  co_return end == StepEnd::kMore ? StepEnd::kStopped : end;
}

// Before anything is sent by this server, and from time to time.
Task<Result<void>> Carriage::make_ready(JobRun& run) {
  if (progress_.generation != sink_->generation) co_return Result<void>();
  if (!compared_) {
    if (sink_->rolled_back_ms != context_.options().rolled_back_ms) {
      co_return co_await fill_anew(run, "the database was rolled back to a snapshot.");
    }
    for (size_t i = 0; i < first_ends_->size(); ++i) {
      if (progress_.delivered[i] <= (*first_ends_)[i]) continue;
      co_return co_await fill_anew(run, "the logs end before what was delivered, so the store is an older one.");
    }
    const uint64_t generation = progress_.generation;
    const auto read = [this, generation] { return destination_->read_mark(generation); };
    PARTITA_CO_TRY(const std::optional<std::string> mark, co_await on_worker(tools_.workers, read));
    const Versions versions = versions_in(mark.value_or(std::string()));
    if (is_ahead(versions, *first_ends_)) {
      co_return co_await fill_anew(run, "the other end has newer versions than the store, which is an older one.");
    }
    for (size_t i = 0; i < versions.size(); ++i) marked_[i] = std::max(marked_[i], versions[i]);
    compared_ = true;
  }
  co_return Result<void>();
}

Task<Result<bool>> Carriage::lost_index(JobRun& run) {
  if (now_ns() < intact_due_ns_) co_return false;
  const uint64_t generation = progress_.generation;
  const auto work = [this, generation] { return destination_->is_intact(generation); };
  PARTITA_CO_TRY(const bool intact, co_await on_worker(tools_.workers, work));
  intact_due_ns_ = now_ns() + kIntactMs * kNsPerMs;
  if (!intact) PARTITA_CO_TRY_VOID(co_await fill_anew(run, "its index is gone."));
  co_return !intact;
}

// An index of its number that is there already may be of a later state of the store, before a backup was restored: it
// would take none of the versions of this one. One that was made here is no such, whether or not that was answered.
Task<Result<StepEnd>> Carriage::begin_fill(JobRun& run) {
  const uint64_t generation = sink_->generation;
  if (absent_ != generation) {
    const auto look_for = [this, generation] { return destination_->is_intact(generation); };
    auto exists = co_await on_worker(tools_.workers, look_for);
    if (!exists.ok()) co_return co_await after_failure(run, std::move(exists).error());
    if (*exists) {
      PARTITA_CO_TRY_VOID(co_await fill_anew(run, "the other end has an index of the fill that was to begin."));
      co_return StepEnd::kMore;
    }
    absent_ = generation;
  }
  PARTITA_CO_TRY(const Positions ends, co_await backlog_.ends());
  const auto work = [this, generation] { return destination_->prepare(generation); };
  auto prepared = co_await on_worker(tools_.workers, work);
  if (!prepared.ok()) co_return co_await after_failure(run, std::move(prepared).error());
  go_on();
  batch_.reset();
  backlog_.clear();
  progress_.sink = sink_->name;
  progress_.generation = generation;
  progress_.filling = true;
  progress_.delivered = ends;
  run.job.cursor.clear();
  run.job.done = 0;
  marked_ = {};
  compared_ = true;
  changed_ = true;
  intact_due_ns_ = now_ns() + kIntactMs * kNsPerMs;
  caught_up_ = false;
  log(LogLevel::kInfo, {name(), " sends all items."});
  co_return co_await store(run);
}

Task<Result<StepEnd>> Carriage::fill(JobRun& run) {
  const int64_t began_ns = now_ns();
  PARTITA_CO_TRY_VOID(co_await count_backlog(run));
  while (!run.stopping() && !lease_.lost() && !wants_fill() && now_ns() - began_ns < kStepMs * kNsPerMs) {
    auto lost = co_await lost_index(run);
    if (!lost.ok()) co_return co_await after_failure(run, std::move(lost).error());
    if (*lost) break;
    auto filled = co_await fill_some(run);
    if (!filled.ok()) co_return co_await after_failure(run, std::move(filled).error());
    if (*filled) co_return co_await publish(run);
    if (now_ns() < held_until_ns_) break;
    if (now_ns() - looked_ns_ > kLookMs * kNsPerMs) {
      PARTITA_CO_TRY(const bool another, co_await look(run));
      if (another) break;
    }
  }
  co_return co_await store(run);
}

// True: the table has no more items.
Task<Result<bool>> Carriage::fill_some(JobRun& run) {
  if (batch_) {
    PARTITA_CO_TRY(const bool all, co_await deliver());
    if (!all) co_return false;
  } else {
    // Before any of the items is read.
    PARTITA_CO_TRY(const Positions ends, co_await backlog_.ends());
    storage::Range range = storage::range_of(model::index_prefix(table_id_, model::kBaseIndex));
    if (!run.job.cursor.empty()) range = storage::behind(run.job.cursor, std::move(range));
    auto scanned = co_await run.engine().scan(std::move(range), storage::Direction::kAscending, kFillRows, kFillBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    if (page.empty()) co_return true;
    batch_.emplace();
    batch_->cursor = page[page.size() - 1].key;
    batch_->rows = page.size();
    // All of it is still to be sent if this fails.
    for (size_t i = 0; i < page.size(); ++i) batch_->keys.emplace_back(page[i].key);
    PARTITA_CO_TRY(Sent sent, co_await sender_->send_page(page, ends));
    take(std::move(sent));
  }
  if (!batch_->keys.empty()) co_return false;
  run.job.cursor = std::move(batch_->cursor);
  run.job.done += batch_->rows;
  batch_.reset();
  co_return false;
}

Task<Result<StepEnd>> Carriage::publish(JobRun& run) {
  intact_due_ns_ = 0;
  auto lost = co_await lost_index(run);
  if (!lost.ok()) co_return co_await after_failure(run, std::move(lost).error());
  if (*lost) co_return StepEnd::kMore;
  const uint64_t generation = progress_.generation;
  const auto work = [this, generation] { return destination_->publish(generation); };
  auto published = co_await on_worker(tools_.workers, work);
  if (!published.ok()) co_return co_await after_failure(run, std::move(published).error());
  log(LogLevel::kInfo, {name(), " has sent all items: ", std::to_string(run.job.done), "."});
  PARTITA_CO_TRY(drain_to_, co_await backlog_.ends());
  progress_.filling = false;
  fills_anew_ = 0;
  changed_ = true;
  run.job.cursor.clear();
  co_return co_await store(run);
}

void Carriage::count(const Sent& sent) {
  progress_.sent += sent.sent;
  progress_.conflicts += sent.conflicts;
  progress_.rejected += sent.rejected;
  if (sent.rejected > 0) letters_counted_ns_ = 0;
  for (size_t i = 0; i < marked_.size(); ++i) {
    const uint64_t version = storage::leading_number(sent.ends[i]);
    if (version <= marked_[i]) continue;
    marked_[i] = version;
    mark_changed_ = true;
  }
  changed_ = true;
}

void Carriage::take(Sent sent) {
  count(sent);
  batch_->keys = std::move(sent.later);
  if (batch_->keys.empty()) {
    go_on();
  } else if (!sent.trouble.empty()) {
    if (sent.sent > 0) backoff_ms_ = stuck_since_ns_ = 0;
    hold_up(std::move(sent.trouble));
  }
}

Task<Result<bool>> Carriage::deliver() {
  std::vector<std::string> keys = batch_->keys;
  PARTITA_CO_TRY(Sent sent, co_await sender_->send_keys(std::move(keys), until_ns_));
  take(std::move(sent));
  co_return batch_->keys.empty();
}

// False: there is nothing new. Of the entries of one item, the newest counts, and all of them name the same item.
Task<Result<bool>> Carriage::read_logs() {
  Batch batch;
  batch.delivered = progress_.delivered;
  std::set<std::string, std::less<>> keys;
  caught_up_ = true;
  for (size_t i = 0; i < batch.delivered.size(); ++i) {
    auto read = co_await context_.engine().read_log(backlog_.topic(i), progress_.delivered[i], kEntriesAtOnce,
                                                    kEntryBytesAtOnce);
    PARTITA_CO_TRY(const std::vector<storage::LogEntry> entries, std::move(read));
    if (entries.empty()) continue;
    for (const storage::LogEntry& one : entries) {
      batch.bytes[i] += one.entry.size();
      const auto entry = table::sink_entry_from(one.entry);
      if (!entry) co_return Error(ErrorKind::kCorrupt, "an entry of a sink's log is damaged");
      if (!keys.contains(entry->key)) keys.emplace(entry->key);
    }
    batch.entries[i] = entries.size();
    batch.delivered[i] = entries.back().position;
    if (batch.bytes[i] >= kEntryBytesAtOnce || entries.size() == kEntriesAtOnce) caught_up_ = false;
  }
  if (keys.empty()) co_return false;
  batch.keys.assign(keys.begin(), keys.end());
  batch_ = std::move(batch);
  co_return true;
}

Task<Result<StepEnd>> Carriage::follow(JobRun& run) {
  const int64_t began_ns = now_ns();
  while (!run.stopping() && !lease_.lost() && now_ns() - began_ns < kStepMs * kNsPerMs) {
    if (now_ns() - looked_ns_ > kLookMs * kNsPerMs) {
      PARTITA_CO_TRY(const bool another, co_await look(run));
      if (another) break;
    }
    bool any = batch_.has_value();
    if (!any) {
      PARTITA_CO_TRY(any, co_await read_logs());
    }
    // Also without a change: an index that is deleted is to come back by itself.
    auto lost = co_await lost_index(run);
    if (!lost.ok()) co_return co_await after_failure(run, std::move(lost).error());
    if (*lost) break;
    if (!any) {
      if (mark_changed_ || !progress_.trouble.empty()) {
        auto marked = co_await write_mark();
        if (!marked.ok()) co_return co_await after_failure(run, std::move(marked).error());
        go_on();
      }
      if (changed_) co_return co_await store(run);
      co_await context_.background().sleep(idle_.next_ms(context_));
      continue;
    }
    idle_.found(context_);
    auto delivered = co_await deliver();
    if (!delivered.ok()) co_return co_await after_failure(run, std::move(delivered).error());
    if (!*delivered) break;
    for (size_t i = 0; i < batch_->delivered.size(); ++i) {
      backlog_.took(i, batch_->delivered[i], batch_->entries[i], batch_->bytes[i]);
    }
    progress_.delivered = batch_->delivered;
    batch_.reset();
    if (!caught_up_) {
      PARTITA_CO_TRY_VOID(co_await count_backlog(run));
    }
    if (wants_fill()) break;
  }
  co_return co_await store(run);
}

// While nothing is sent.
Task<Result<StepEnd>> Carriage::stand_by(JobRun& run) {
  const int64_t began_ns = now_ns();
  while (!run.stopping() && !lease_.lost() && now_ns() - began_ns < kStepMs * kNsPerMs) {
    PARTITA_CO_TRY_VOID(co_await count_backlog(run));
    if (!sink_) break;
    const bool holds = sink_->paused || !sink_->failure.empty();
    if (!holds && now_ns() >= held_until_ns_) break;
    co_await context_.background().sleep(kMostNapMs);
    if (now_ns() - looked_ns_ < kLookMs * kNsPerMs) continue;
    PARTITA_CO_TRY(const bool another, co_await look(run));
    if (another) break;
  }
  co_return co_await store(run);
}

// The sink, or its table, is gone.
Task<Result<StepEnd>> Carriage::wind_up(JobRun& run) {
  if (sink_ && sink_->deletes_index && table_ != nullptr && now_ns() >= held_until_ns_) {
    const auto work = [this] { return destination_->remove(); };
    auto removed = co_await connect(run);
    if (removed.ok()) removed = co_await on_worker(tools_.workers, work);
    if (!removed.ok() && removed.error().kind() == ErrorKind::kUnavailable) {
      hold_up(std::string(removed.error().sentence()));
      co_return co_await store(run);
    }
    if (!removed.ok()) log(LogLevel::kWarn, {name(), " leaves its index behind: ", removed.error().sentence()});
  } else if (sink_ && sink_->deletes_index && table_ != nullptr) {
    co_await context_.background().sleep(kMostNapMs);
    co_return StepEnd::kMore;
  }
  PARTITA_CO_TRY_VOID(co_await backlog_.forget());
  table::StepWrites last;
  last.ends = true;
  const Key key = table::sink_row_key(table_id_, number_);
  last.decide = [key](std::span<const Record* const>, Changes& changes) {
    table::erase_twice(key, changes);
    return Decision::kCommit;
  };
  PARTITA_CO_TRY(const JobRun::Stored stored, co_await lease_.store(run, std::move(last)));
  co_return stored == JobRun::Stored::kDone ? StepEnd::kDone : StepEnd::kLost;
}

// Blocks. Each of two servers that take each other for gone may have sent versions that the other does not know.
Result<void> Carriage::merge_mark() {
  constexpr int kTries = 3;
  for (int tries = 0; tries < kTries; ++tries) {
    PARTITA_TRY(const bool written,
                destination_->write_mark(progress_.generation, mark_text(marked_), version_of_mark(marked_)));
    if (written) return {};
    PARTITA_TRY(const std::optional<std::string> mark, destination_->read_mark(progress_.generation));
    const Versions versions = versions_in(mark.value_or(std::string()));
    for (size_t i = 0; i < versions.size(); ++i) marked_[i] = std::max(marked_[i], versions[i]);
  }
  return Error(ErrorKind::kUnavailable, "Another server notes what it has sent, too.");
}

// What was sent is noted at the other end first, so that an older store is noticed there.
Task<Result<void>> Carriage::write_mark() {
  if (!mark_changed_) co_return Result<void>();
  const auto work = [this] { return merge_mark(); };
  PARTITA_CO_TRY_VOID(co_await on_worker(tools_.workers, work));
  mark_changed_ = false;
  co_return Result<void>();
}

Task<Result<StepEnd>> Carriage::store(JobRun& run) {
  if (lease_.lost()) co_return StepEnd::kLost;
  if (!changed_) co_return StepEnd::kMore;
  if (auto marked = co_await write_mark(); !marked.ok()) {
    if (marked.error().kind() == ErrorKind::kUnavailable) hold_up(std::string(marked.error().sentence()));
  }
  if (!progress_.filling) run.job.done = progress_.sent;
  run.job.carried = encode(progress_);
  PARTITA_CO_TRY(const JobRun::Stored stored, co_await lease_.store(run));
  if (stored != JobRun::Stored::kDone) co_return StepEnd::kLost;
  changed_ = false;
  PARTITA_CO_TRY_VOID(co_await backlog_.trim(progress_.delivered));
  co_return StepEnd::kMore;
}

// What gathered during a fill, or before this server began, may be more than the bound while it is being sent: another
// fill would only gather more.
bool Carriage::over_bound() {
  const bool stuck = stuck_since_ns_ != 0 && now_ns() - stuck_since_ns_ >= kStuckMs * kNsPerMs;
  const bool drains = !sink_->paused && sink_->failure.empty() && !wants_fill() && !stuck;
  bool behind = progress_.filling;
  for (size_t i = 0; i < drain_to_.size(); ++i) behind = behind || progress_.delivered[i] < drain_to_[i];
  gathered_bytes_ = !drains ? 0 : behind ? backlog_.bytes() : std::min(gathered_bytes_, backlog_.bytes());
  return backlog_.bytes() > static_cast<uint64_t>(sink_->max_backlog_bytes) + gathered_bytes_;
}

// Also keeps the logs within their bound: what they lose, a new fill makes good.
Task<Result<void>> Carriage::count_backlog(JobRun& run) {
  if (now_ns() - counted_ns_ < kCountMs * kNsPerMs) co_return Result<void>();
  counted_ns_ = now_ns();
  PARTITA_CO_TRY_VOID(co_await backlog_.count(progress_.delivered));
  show();
  if (!over_bound()) co_return Result<void>();
  if (progress_.generation == sink_->generation) {
    PARTITA_CO_TRY_VOID(co_await fill_anew(run, "more than " + std::to_string(sink_->max_backlog_bytes >> 20) +
                                                    " MiB of changes were waiting, and were dropped."));
  }
  PARTITA_CO_TRY(const Positions ends, co_await backlog_.ends());
  // Whoever takes the sink over from now on begins that fill behind these ends.
  run.job.carried = encode(progress_);
  PARTITA_CO_TRY(const JobRun::Stored stored, co_await lease_.store(run));
  if (stored != JobRun::Stored::kDone) co_return Result<void>();
  PARTITA_CO_TRY_VOID(co_await backlog_.trim(ends));
  backlog_.clear();
  co_return Result<void>();
}

void Carriage::show() {
  if (!sink_) return;
  SinkStatus status;
  status.sink = *sink_;
  status.progress = progress_;
  figures_.state = status.state();
  const bool idle = caught_up_ && !batch_ && figures_.state == SinkState::kCarrying;
  const int64_t oldest_ms = idle ? 0 : backlog_.oldest_ms();
  figures_.lag_entries = idle ? 0 : backlog_.entries();
  figures_.lag_ms = oldest_ms == 0 ? 0 : std::max<int64_t>(0, context_.clock().now_ms() - oldest_ms);
  figures_.sent = progress_.sent;
  figures_.conflicts = progress_.conflicts;
  tools_.meters.set(table_name_, sink_->name, figures_);
}

}  // namespace partita::sinks
