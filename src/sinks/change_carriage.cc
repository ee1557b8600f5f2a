#include "sinks/change_carriage.h"

#include <algorithm>
#include <utility>

#include "sinks/dead_letters.h"
#include "sinks/sender.h"
#include "table/rows/job_row.h"
#include "table/rows/system_rows.h"
#include "wire/legible.h"
#include "wire/shape_print.h"

namespace partita::sinks {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;
using table::JobRun;
using table::StepEnd;

constexpr int64_t kCarryStepMs = 500;  // of work before the progress is stored
constexpr int64_t kSinkLookMs = 200;   // how often the sink is read
constexpr int64_t kBacklogMs = 1'000;
constexpr int64_t kLettersCountMs = 10'000;
constexpr int64_t kTendMs = 20;
constexpr size_t kMostTroubleBytes = 1'000;
constexpr size_t kBacklogBytesAtOnce = size_t{8} << 20;  // of a slice, that are read to count what waits

// What other ends say gets to terminals.
std::string trouble_text(std::string_view trouble) {
  return wire::without_controls(wire::legible(wire::shortened(trouble, kMostTroubleBytes)));
}

// Whether a session has to be made anew.
bool same_settings(const table::Sink& one, const table::Sink& other) {
  return one.url == other.url && one.options == other.options && one.credentials_file == other.credentials_file &&
         one.authority_file == other.authority_file && one.dead_letters == other.dead_letters &&
         one.filter == other.filter && one.filter_names == other.filter_names &&
         one.filter_values == other.filter_values;
}

}  // namespace

ChangeCarriage::ChangeCarriage(ChangeCarriageTools tools, JobRun& run)
    : tools_(std::move(tools)),
      context_(run.context()),
      table_name_(run.job.table),
      table_id_(run.job.table_id),
      number_(run.job.index_id),
      lease_(std::make_shared<LeaseKeeper>(context_, run.job)),
      backlog_(context_.engine(), table_id_, number_) {}

ChangeCarriage::~ChangeCarriage() {
  if (session_) {
    session_->abandoned = true;
    session_->halt();
  }
  if (loaded_) tools_.meters.erase(table_name_, progress_.sink);
}

Task<Result<StepEnd>> ChangeCarriage::step(JobRun& run) {
  if (!loaded_) {
    PARTITA_CO_TRY(progress_, progress_from(run.job.carried));
    loaded_ = true;
  }
  auto end = co_await step_now(run);
  if (!end.ok() || *end != StepEnd::kMore || lease_->lost()) {
    // The next one begins when none of these slices sends any more.
    PARTITA_CO_TRY_VOID(co_await end_session(false));
    if (end.ok() && *end == StepEnd::kMore) co_return StepEnd::kLost;
    co_return end;
  }
  if (run.stopping()) {
    PARTITA_CO_TRY_VOID(co_await end_session(true));
    co_return co_await store(run);
  }
  if (sink_) {
    PARTITA_CO_TRY_VOID(co_await count_letters());
    show();
  }
  co_return end;
}

Task<Result<StepEnd>> ChangeCarriage::step_now(JobRun& run) {
  const int64_t until_ns = now_ns() + kCarryStepMs * kNsPerMs;
  PARTITA_CO_TRY_VOID(co_await look(run));
  if (stored_ns_ == 0) stored_ns_ = now_ns();
  while (!run.stopping() && !lease_->lost()) {
    if (!sink_ || sink_->deleting || table_ == nullptr) co_return co_await wind_up(run);
    PARTITA_CO_TRY_VOID(co_await tend(run));
    const bool due = now_ns() - stored_ns_ >= kCarryStepMs * kNsPerMs;
    if (changed_ && (due || caught_up())) {
      PARTITA_CO_TRY(const StepEnd end, co_await store(run));
      if (end != StepEnd::kMore) co_return end;
    }
    if (now_ns() >= until_ns) break;
    co_await context_.background().sleep(kTendMs);
    if (now_ns() - looked_ns_ > kSinkLookMs * kNsPerMs) PARTITA_CO_TRY_VOID(co_await look(run));
  }
  co_return StepEnd::kMore;
}

Task<Result<void>> ChangeCarriage::tend(JobRun& run) {
  gather();
  PARTITA_CO_TRY_VOID(co_await count_backlog());
  if (session_) {
    if (session_->broken) co_return *session_->broken;
    if (!carries() || dropping_ || !same_settings(session_->sink, *sink_)) session_->halt();
    session_->retries = sink_->retries;
    if (session_->running > 0) co_return Result<void>();
    if (!session_->halting) co_return co_await after_preparing();
    std::string failure = session_->failure;
    PARTITA_CO_TRY_VOID(co_await end_session(true));
    if (!failure.empty()) PARTITA_CO_TRY_VOID(co_await fail(run, std::move(failure)));
  }
  if (!sink_) co_return Result<void>();
  if (dropping_) co_return co_await drop(run);
  if (carries() && !backoff_.holds(now_ns())) co_return co_await begin_session();
  co_return Result<void>();
}

Task<Result<void>> ChangeCarriage::look(JobRun& run) {
  looked_ns_ = now_ns();
  const std::vector<Key> keys{table::sink_row_key(table_id_, number_)};
  PARTITA_CO_TRY(const auto records, co_await context_.engine().read(keys));
  const bool same = records[0] && sink_ && records[0]->version == sink_version_;
  if (!same) sink_.reset();
  if (records[0] && !same) {
    PARTITA_CO_TRY(sink_, table::sink_from(records[0]->value));
    sink_version_ = records[0]->version;
    backoff_.reset();
  }
  table_ = run.catalog().find(table_name_);
  if (table_ == nullptr || table_->id != table_id_) {
    PARTITA_CO_TRY(table_, co_await run.catalog().look_up(table_name_));
    if (table_ != nullptr && table_->id != table_id_) table_ = nullptr;
  }
  co_return Result<void>();
}

bool ChangeCarriage::carries() const {
  return !sink_->deleting && !sink_->paused && sink_->failure.empty() && sink_->dropped == 0;
}

// What this server lacks, such as a library, others may have; and a new version of it. So it does not fail the sink.
Task<Result<void>> ChangeCarriage::begin_session() {
  PARTITA_CO_TRY_VOID(co_await check_logs());
  const std::optional<ChangeDestinationKind> kind = tools_.find(sink_->url);
  if (!kind) {
    note_trouble("This version of Partita has no such sinks.");
    backoff_.hold(context_);
    co_return Result<void>();
  }
  auto session = std::make_shared<ChangeSession>(context_, tools_.workers, lease_, tools_.hurry);
  auto made = kind->make(change_settings_of(*sink_, *table_, tools_.region), session->stop.get_token());
  auto filter = ItemFilter::parse(sink_->filter, sink_->filter_names, sink_->filter_values);
  if (!made.ok() || !filter.ok()) {
    note_trouble(made.ok() ? "The filter cannot be read." : std::string(made.error().sentence()));
    backoff_.hold(context_);
    co_return Result<void>();
  }
  session->destination = std::move(*made);
  session->filter = std::move(*filter);
  session->filters = !sink_->filter.empty();
  session->limits = session->destination->limits();
  session->sink = *sink_;
  session->table = table_;
  session_ = session;
  begin_preparing(session);
  co_return Result<void>();
}

Task<Result<void>> ChangeCarriage::after_preparing() {
  if (session_->halted() || session_->slices.front()) co_return Result<void>();
  if (const Result<void>& prepared = *session_->prepared; !prepared.ok()) {
    std::string sentence(prepared.error().sentence());
    // The refusal of what was used before may pass, as that of a key that is being replaced.
    const bool waits = progress_.begun;
    if (!waits && prepared.error().kind() != ErrorKind::kUnavailable) {
      session_->fail(std::move(sentence));
      co_return Result<void>();
    }
    note_trouble(std::move(sentence));
    note_failed_attempt();
    backoff_.hold(context_);
    co_return co_await end_session(false);
  }
  changed_ = changed_ || !progress_.begun;
  progress_.begun = true;
  backoff_.reset();
  session_->retries = progress_.retries;
  for (size_t i = 0; i < table::kSinkSlices; ++i) {
    session_->slices[i].emplace(*session_, i, backlog_.topic(i), progress_.delivered[i], progress_.texts[i]);
  }
  session_->retries = sink_->retries;
  begin_slices(session_);
  co_return Result<void>();
}

// Of a store that is an older one than the progress, as after some restores. Entries to come would seem delivered.
Task<Result<void>> ChangeCarriage::check_logs() {
  if (checked_) co_return Result<void>();
  progress_.sink = sink_->name;
  PARTITA_CO_TRY(const Positions ends, co_await backlog_.ends());
  if (sink_->rolled_back_ms != context_.options().rolled_back_ms) {
    log(LogLevel::kWarn, {name(), ": the database was rolled back, and some changes that it undid were sent."});
    const int64_t rolled_back_ms = context_.options().rolled_back_ms;
    std::function<bool(table::Sink&)> note = [rolled_back_ms](table::Sink& sink) {
      sink.rolled_back_ms = rolled_back_ms;
      return true;
    };
    PARTITA_CO_TRY_VOID(co_await change_sink(context_.engine(), table_id_, number_, std::move(note)));
  }
  for (size_t i = 0; i < ends.size(); ++i) {
    if (progress_.delivered[i] <= ends[i]) continue;
    log(LogLevel::kWarn, {name(), ": a log ends before what was delivered, so the store is an older one."});
    // All that the log has: what was delivered for sure is trimmed.
    progress_.delivered[i] = {};
    progress_.texts[i].clear();
    changed_ = true;
  }
  checked_ = true;
  co_return Result<void>();
}

Task<Result<void>> ChangeCarriage::end_session(bool finishes) {
  if (!session_) co_return Result<void>();
  const std::shared_ptr<ChangeSession> session = session_;
  session->halt();
  co_await session->ended();
  gather();
  session_.reset();
  if (finishes) {
    const auto work = [&session] { return session->destination->finish(); };
    auto finished = co_await on_worker(tools_.workers, work);
    if (!finished.ok()) log(LogLevel::kWarn, {name(), " leaves something open: ", finished.error().sentence()});
  }
  co_await end_destination(session);
  co_return Result<void>();
}

Task<Result<void>> ChangeCarriage::fail(JobRun& run, std::string sentence) {
  sentence = trouble_text(sentence);
  log(LogLevel::kError, {name(), " fails: ", sentence});
  std::function<bool(table::Sink&)> change = [&sentence](table::Sink& sink) {
    sink.failure = sentence;
    return true;
  };
  PARTITA_CO_TRY_VOID(co_await change_sink(context_.engine(), table_id_, number_, std::move(change)));
  co_return co_await look(run);
}

// The sink, or its table, is gone.
Task<Result<StepEnd>> ChangeCarriage::wind_up(JobRun& run) {
  PARTITA_CO_TRY_VOID(co_await end_session(true));
  PARTITA_CO_TRY_VOID(co_await backlog_.forget());
  table::StepWrites last;
  last.ends = true;
  const Key key = table::sink_row_key(table_id_, number_);
  last.decide = [key](std::span<const Record* const>, Changes& changes) {
    table::erase_twice(key, changes);
    return Decision::kCommit;
  };
  PARTITA_CO_TRY(const JobRun::Stored stored, co_await lease_->store(run, std::move(last)));
  co_return stored == JobRun::Stored::kDone ? StepEnd::kDone : StepEnd::kLost;
}

void ChangeCarriage::gather() {
  if (!session_) return;
  std::string trouble;
  uint64_t retried = UINT64_MAX;
  for (size_t i = 0; i < table::kSinkSlices; ++i) {
    if (!session_->slices[i]) return;
    ChangeSlice& slice = *session_->slices[i];
    retried = std::min(retried, slice.retried());
    if (trouble.empty()) trouble = slice.trouble();
    std::optional<ChangeSlice::Advance> advance = slice.take();
    if (!advance) continue;
    progress_.delivered[i] = advance->delivered;
    progress_.texts[i] = std::move(advance->text);
    progress_.sent += advance->sent;
    progress_.rejected += advance->rejected;
    if (advance->rejected > 0) letters_counted_ns_ = 0;
    backlog_.took(i, advance->delivered, advance->entries, advance->bytes);
    changed_ = true;
  }
  if (retried > progress_.retries) {
    progress_.retries = retried;
    letters_counted_ns_ = 0;
    changed_ = true;
  }
  note_trouble(std::move(trouble));
}

void ChangeCarriage::note_failed_attempt() {
  if (progress_.begun) return;
  const int64_t now_ms = context_.clock().now_ms();
  const int64_t gap_ms = now_ms - failed_ms_.value_or(now_ms);
  failed_ms_ = now_ms;
  if (gap_ms <= 0) return;
  progress_.tried_ms += gap_ms;
  changed_ = true;
}

void ChangeCarriage::note_trouble(std::string trouble) {
  trouble = trouble_text(trouble);
  if (progress_.trouble == trouble) return;
  uint64_t unsaid = 0;
  if (progress_.trouble.empty() && complaints_.pass(unsaid)) {
    complained_ = true;
    log(LogLevel::kWarn, {name(), " waits for the other end: ", trouble});
  }
  if (trouble.empty() && std::exchange(complained_, false)) log(LogLevel::kInfo, {name(), " goes on."});
  progress_.trouble = std::move(trouble);
  changed_ = true;
}

bool ChangeCarriage::caught_up() const {
  if (!session_) return true;
  return std::ranges::all_of(session_->slices, [](const auto& slice) { return slice && slice->caught_up(); });
}

Task<Result<StepEnd>> ChangeCarriage::store(JobRun& run) {
  if (lease_->lost()) co_return StepEnd::kLost;
  if (!changed_) co_return StepEnd::kMore;
  stored_ns_ = now_ns();
  changed_ = false;
  const Positions delivered = progress_.delivered;
  run.job.done = progress_.sent;
  run.job.carried = encode(progress_);
  PARTITA_CO_TRY(const JobRun::Stored stored, co_await lease_->store(run));
  if (stored != JobRun::Stored::kDone) co_return StepEnd::kLost;
  PARTITA_CO_TRY_VOID(co_await backlog_.trim(delivered));
  co_return StepEnd::kMore;
}

Task<Result<void>> ChangeCarriage::count_backlog() {
  if (now_ns() - counted_ns_ < kBacklogMs * kNsPerMs) co_return Result<void>();
  counted_ns_ = now_ns();
  PARTITA_CO_TRY_VOID(co_await backlog_.count(progress_.delivered, kBacklogBytesAtOnce));
  dropping_ = dropping_ || over_bound();
  co_return Result<void>();
}

// What is dropped, and that it is, is stored in one step; the logs lose it after that.
Task<Result<void>> ChangeCarriage::drop(JobRun& run) {
  dropping_ = false;
  PARTITA_CO_TRY_VOID(co_await backlog_.count(progress_.delivered, SIZE_MAX));
  if (!over_bound()) co_return Result<void>();
  const Positions upto = backlog_.counted();
  const uint64_t dropped = backlog_.entries();
  for (size_t i = 0; i < upto.size(); ++i) {
    if (progress_.delivered[i] == upto[i]) continue;
    progress_.delivered[i] = upto[i];
    progress_.texts[i].clear();
  }
  progress_.dropped += dropped;
  run.job.carried = encode(progress_);
  table::StepWrites more;
  const Key key = table::sink_row_key(table_id_, number_);
  more.keys = {key};
  more.decide = [key, dropped](std::span<const Record* const> found, Changes& changes) {
    auto sink = found[0] == nullptr ? Result<table::Sink>(table::Sink()) : table::sink_from(found[0]->value);
    if (found[0] == nullptr || !sink.ok()) return Decision::kCommit;
    sink->dropped += dropped;
    table::put_twice(key, table::sink_row(*sink), changes);
    return Decision::kCommit;
  };
  PARTITA_CO_TRY(const JobRun::Stored stored, co_await lease_->store(run, std::move(more)));
  if (stored != JobRun::Stored::kDone) co_return Result<void>();
  changed_ = false;
  log(LogLevel::kError,
      {name(), " fails: more changes were waiting than it may keep, and ", std::to_string(dropped), " were dropped."});
  PARTITA_CO_TRY_VOID(co_await backlog_.trim(upto));
  backlog_.clear();
  co_return co_await look(run);
}

Task<Result<void>> ChangeCarriage::count_letters() {
  const int64_t due_ns = letters_counted_ns_ + kLettersCountMs * kNsPerMs;
  if (letters_counted_ns_ != 0 && now_ns() < due_ns) co_return Result<void>();
  letters_counted_ns_ = now_ns();
  PARTITA_CO_TRY(figures_.dead_letters, co_await count_dead_letters(context_, *sink_));
  co_return Result<void>();
}

void ChangeCarriage::show() {
  SinkStatus status;
  status.sink = *sink_;
  status.progress = progress_;
  figures_.state = status.state();
  const bool idle = session_ && caught_up();
  const int64_t oldest_ms = idle ? 0 : backlog_.oldest_ms();
  figures_.lag_entries = idle ? 0 : backlog_.entries();
  figures_.lag_ms = oldest_ms == 0 ? 0 : std::max<int64_t>(0, context_.clock().now_ms() - oldest_ms);
  figures_.sent = progress_.sent;
  tools_.meters.set(table_name_, sink_->name, figures_);
}

}  // namespace partita::sinks
