#include "sinks/change_slice.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "sinks/sender.h"

namespace partita::sinks {

namespace {

constexpr int64_t kUsualWindowMs = 1'000;
constexpr int64_t kWindowLookMs = 20;
constexpr size_t kLogReadBytes = size_t{1} << 20;
constexpr size_t kMostTextBytes = size_t{64} << 10;

Task<void> leave(std::shared_ptr<ChangeSession> session) {
  if (--session->running > 0) co_return;
  if (session->ends) Executor::current()->resume(std::exchange(session->ends, nullptr));
  if (session->abandoned) co_await end_destination(session);
}

Task<void> run_slice(std::shared_ptr<ChangeSession> session, size_t slice) {
  co_await session->slices[slice]->run();
  co_await leave(session);
}

Task<void> prepare(std::shared_ptr<ChangeSession> session) {
  const auto work = [&session] { return session->destination->prepare(); };
  Result<void> prepared = Error(ErrorKind::kUnavailable, "There is no memory for it.");
  try {
    prepared = co_await on_worker(session->workers, work);
  } catch (const std::bad_alloc&) {
    // It is tried again.
  }
  session->prepared = std::move(prepared);
  co_await leave(session);
}

}  // namespace

void ChangeSession::halt() {
  halting = true;
  stop.request_stop();
}

void ChangeSession::fail(std::string sentence) {
  if (failure.empty()) failure = std::move(sentence);
  halt();
}

void begin_preparing(const std::shared_ptr<ChangeSession>& session) {
  ++session->running;
  if (!session->context.background().begin([session] { return prepare(session); })) --session->running;
}

Task<void> end_destination(std::shared_ptr<ChangeSession> session) {
  std::unique_ptr<ChangeDestination> last = std::move(session->destination);
  const auto work = [&last]() -> Result<void> {
    last.reset();
    return {};
  };
  // Without a thread, it is destroyed here.
  const auto ended = co_await on_worker(session->workers, work);
  static_cast<void>(ended.ok());
}

void begin_slices(const std::shared_ptr<ChangeSession>& session) {
  for (size_t i = 0; i < session->slices.size(); ++i) {
    ++session->running;
    if (!session->context.background().begin([session, i] { return run_slice(session, i); })) --session->running;
  }
}

ChangeSlice::ChangeSlice(ChangeSession& session, size_t slice, std::string topic, storage::Position delivered,
                         std::string text)
    : session_(session), slice_(slice), topic_(std::move(topic)), read_to_(delivered), retried_(session.retries) {
  done_.delivered = delivered;
  done_.text = std::move(text);
}

int64_t ChangeSlice::now_ns() const { return session_.context.clock().monotonic_ns(); }

std::optional<ChangeSlice::Advance> ChangeSlice::take() {
  if (!std::exchange(changed_, false)) return std::nullopt;
  const Advance taken = done_;
  done_.sent = done_.rejected = done_.entries = done_.bytes = 0;
  return taken;
}

Task<void> ChangeSlice::run() {
  Result<void> ended = Error(ErrorKind::kUnavailable, "there is no memory for it");
  try {
    ended = co_await carry();
  } catch (const std::bad_alloc&) {
    // What is stored as delivered is behind what is, at worst.
  }
  if (ended.ok()) co_return;
  if (!session_.broken) session_.broken = std::move(ended).error();
  session_.halt();
}

Task<Result<void>> ChangeSlice::carry() {
  while (!session_.halted()) {
    if (retried_ != session_.retries && !retry_backoff_.holds(now_ns())) PARTITA_CO_TRY_VOID(co_await retry());
    if (backoff_.holds(now_ns())) {
      co_await nap(backoff_.until_ns());
      continue;
    }
    if (may_read()) PARTITA_CO_TRY_VOID(co_await read());
    if (session_.halted()) break;
    const bool waits = waits_for_more();
    const int64_t due_in_ns = this->due_in_ns();
    if (!waits && (!waiting_.empty() || due_in_ns <= 0)) {
      PARTITA_CO_TRY_VOID(co_await send());
    } else if (caught_up_) {
      const int64_t pause_ns = std::min(idle_.next_ms(session_.context) * kNsPerMs, std::max<int64_t>(due_in_ns, 1));
      const int64_t pause_until_ns = now_ns() + pause_ns;
      co_await nap(waits ? std::min(pause_until_ns, window_until_ns_) : pause_until_ns);
    } else if (waits && !may_read()) {
      co_await nap(window_until_ns_);
    }
  }
  co_return Result<void>();
}

bool ChangeSlice::may_read() const {
  return waiting_.size() < session_.limits.changes && waiting_bytes_ < session_.limits.bytes;
}

int64_t ChangeSlice::due_in_ns() const {
  if (!caught_up_ || !waiting_.empty()) return INT64_MAX;
  const std::optional<int64_t> due_ms = session_.destination->due_ms(done_.text);
  if (!due_ms) return INT64_MAX;
  const int64_t left_ms = *due_ms - session_.context.clock().now_ms();
  return std::min(left_ms, kMostNapMs) * kNsPerMs;
}

bool ChangeSlice::waits_for_more() const {
  if (!wants_more_ || now_ns() >= window_until_ns_) return false;
  return waiting_.size() == left_ || (may_read() && now_ns() < window_look_ns_);
}

Task<Result<void>> ChangeSlice::read() {
  const size_t most = session_.limits.changes - waiting_.size();
  const size_t bytes = std::min(session_.limits.bytes - waiting_bytes_, kLogReadBytes);
  auto read = co_await session_.context.engine().read_log(topic_, read_to_, most, bytes);
  PARTITA_CO_TRY(std::vector<storage::LogEntry> entries, std::move(read));
  caught_up_ = entries.empty();
  if (entries.empty()) co_return Result<void>();
  idle_.found(session_.context);
  const auto work = [&]() -> Result<std::vector<Kind>> { return kinds_of(entries); };
  std::vector<Kind> kinds;
  if (session_.filters) {
    PARTITA_CO_TRY(kinds, co_await on_worker(session_.workers, work));
  } else {
    kinds = kinds_of(entries);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    storage::LogEntry& one = entries[i];
    if (kinds[i] == Kind::kDamaged) {
      PARTITA_CO_TRY(const bool noted, co_await note_damage(one));
      if (!noted) break;
    }
    read_to_ = one.position;
    if (kinds[i] != Kind::kSent) {
      pass_over(one);
      continue;
    }
    const size_t size = one.entry.size();
    waiting_bytes_ += size;
    waiting_.push_back({std::move(one.entry), one.position, one.position, 1, size});
  }
  co_return Result<void>();
}

// Blocks if there is a filter to evaluate.
std::vector<ChangeSlice::Kind> ChangeSlice::kinds_of(const std::vector<storage::LogEntry>& entries) const {
  std::vector<Kind> kinds;
  kinds.reserve(entries.size());
  for (const storage::LogEntry& one : entries) {
    const auto entry = table::change_entry_from(one.entry);
    Kind kind = entry.ok() ? Kind::kSent : Kind::kDamaged;
    if (entry.ok() && session_.filters) {
      const bool removed = entry->record.event == table::StreamEvent::kRemove;
      const std::string image(removed ? entry->record.old_image : entry->record.new_image);
      const auto selected = session_.filter.select(image);
      kind = !selected.ok() ? Kind::kDamaged : *selected ? Kind::kSent : Kind::kFiltered;
    }
    kinds.push_back(kind);
  }
  return kinds;
}

Task<Result<bool>> ChangeSlice::note_damage(const storage::LogEntry& entry) {
  std::string reason = "The entry of this change in the sink's log is damaged.";
  model::Item no_key;
  auto put = co_await put_damage_letter(session_.context, session_.sink, slice_, entry.position, std::move(no_key),
                                        std::move(reason));
  PARTITA_CO_TRY(const bool noted, after_letter(std::move(put)));
  if (noted) ++done_.rejected;
  co_return noted;
}

// One that is not sent is delivered once those before it are.
void ChangeSlice::pass_over(const storage::LogEntry& entry) {
  if (!waiting_.empty()) {
    Waiting& last = waiting_.back();
    last.upto = entry.position;
    ++last.entries;
    last.bytes += entry.entry.size();
    return;
  }
  done_.delivered = entry.position;
  ++done_.entries;
  done_.bytes += entry.entry.size();
  changed_ = true;
}

Task<Result<void>> ChangeSlice::send() {
  std::vector<Change> changes;
  changes.reserve(waiting_.size());
  for (const Waiting& one : waiting_) {
    PARTITA_CO_TRY(const table::ChangeEntry entry, table::change_entry_from(one.entry));
    changes.push_back({one.position, entry.key, entry.record});
  }
  std::string text = done_.text;
  const auto work = [&] { return session_.destination->send(slice_, changes, text); };
  auto sent = co_await on_worker(session_.workers, work);
  if (!sent.ok()) {
    fail(sent.error(), backoff_);
    co_return Result<void>();
  }
  PARTITA_CHECK(sent->done <= changes.size());
  co_return co_await take_sent(changes, std::move(*sent), std::move(text));
}

Task<Result<void>> ChangeSlice::take_sent(const std::vector<Change>& changes, ChangesSent sent, std::string text) {
  // Another server sends them again, and stores what became of them.
  if (session_.lease->lost()) co_return Result<void>();
  if (text.size() > kMostTextBytes) {
    session_.fail("The other end's part of this program keeps more than 64 KiB of a slice.");
    co_return Result<void>();
  }
  PARTITA_CO_TRY(const bool noted, co_await put_letters(changes, sent.rejections));
  if (!noted) co_return Result<void>();
  if (text != done_.text) {
    done_.text = std::move(text);
    changed_ = true;
  }
  if (sent.done > 0) {
    done_.sent += sent.done - sent.rejections.size();
    done_.rejected += sent.rejections.size();
    advance(sent.done);
    backoff_.reset();
  }
  // A call that was cut short tells nothing of the other end.
  if (session_.halted()) co_return Result<void>();
  left_ = waiting_.size();
  wants_more_ = sent.wants_more;
  if (wants_more_) {
    trouble_ = std::move(sent.trouble);
    window_look_ns_ = now_ns() + kWindowLookMs * kNsPerMs;
    window_until_ns_ = now_ns() + (sent.wait_ms > 0 ? sent.wait_ms : kUsualWindowMs) * kNsPerMs;
  } else if (!sent.trouble.empty()) {
    hold_up(std::move(sent.trouble), sent.wait_ms);
  } else if (sent.done == 0 && !changes.empty()) {
    hold_up("It takes nothing, and does not say why.", sent.wait_ms);
  } else {
    trouble_.clear();
    if (sent.wait_ms > 0 && !waiting_.empty()) backoff_.hold(session_.context, sent.wait_ms);
  }
  co_return Result<void>();
}

Task<Result<bool>> ChangeSlice::put_letters(const std::vector<Change>& changes,
                                            const std::vector<Rejection>& rejections) {
  for (const Rejection& one : rejections) {
    PARTITA_CHECK(one.index < changes.size());
    auto put = co_await put_change_letter(session_.context, session_.sink, slice_, changes[one.index], one.reason);
    PARTITA_CO_TRY(const bool noted, after_letter(std::move(put)));
    if (!noted) co_return false;
  }
  co_return true;
}

Result<bool> ChangeSlice::after_letter(Result<void> put) {
  if (put.ok()) return true;
  std::string sentence(put.error().sentence());
  if (put.error().kind() == ErrorKind::kInvalid) {
    session_.fail(sentence.empty() ? "A dead letter cannot be stored." : std::move(sentence));
    return false;
  }
  // A store that is down is down for this too.
  if (put.error().kind() != ErrorKind::kUnavailable || !session_.context.engine().health().ok()) {
    return std::move(put).error();
  }
  hold_up(std::move(sentence), 0);
  retry_backoff_.hold(session_.context);
  return false;
}

void ChangeSlice::advance(size_t done) {
  for (size_t i = 0; i < done; ++i) {
    const Waiting& first = waiting_.front();
    done_.delivered = first.upto;
    done_.entries += first.entries;
    done_.bytes += first.bytes;
    waiting_bytes_ -= first.entry.size();
    waiting_.pop_front();
  }
  changed_ = true;
}

Task<Result<void>> ChangeSlice::retry() {
  const uint64_t wanted = session_.retries;
  if (std::exchange(retrying_, wanted) != wanted) retried_to_.clear();
  auto read = co_await read_change_letters(session_.context, session_.workers, session_.sink, *session_.table, slice_,
                                           retried_to_);
  if (!read.ok() && read.error().kind() == ErrorKind::kInvalid) {
    session_.fail(std::string(read.error().sentence()));
    co_return Result<void>();
  }
  PARTITA_CO_TRY(ChangeLetters some, std::move(read));
  for (const std::string& sentence : some.refused) {
    uint64_t unsaid = 0;
    if (refusals_.pass(unsaid)) log(LogLevel::kWarn, {sentence});
  }
  const std::span<const ChangeLetter> letters = some.letters;
  for (size_t at = 0; at < letters.size();) {
    size_t end = at;
    for (size_t bytes = 0; end < letters.size() && end - at < session_.limits.changes; ++end) {
      bytes += letters[end].bytes();
      if (end > at && bytes > session_.limits.bytes) break;
    }
    if (session_.halted()) co_return Result<void>();
    PARTITA_CO_TRY(const size_t done, co_await resend(letters.subspan(at, end - at)));
    at += done;
    if (done > 0) retried_to_ = letters[at - 1].id;
    // The rest when it is this slice's turn again.
    if (done == 0 || retry_backoff_.holds(now_ns())) co_return Result<void>();
  }
  retry_backoff_.reset();
  retried_to_ = std::move(some.last);
  if (!retried_to_.empty()) co_return Result<void>();
  retried_ = wanted;
  changed_ = true;
  co_return Result<void>();
}

Task<Result<size_t>> ChangeSlice::resend(std::span<const ChangeLetter> letters) {
  std::vector<Change> changes;
  for (const ChangeLetter& one : letters) changes.push_back(one.change());
  const auto work = [&] { return session_.destination->resend(slice_, changes); };
  auto sent = co_await on_worker(session_.workers, work);
  if (!sent.ok()) {
    fail(sent.error(), retry_backoff_);
    co_return size_t{0};
  }
  PARTITA_CHECK(sent->done <= changes.size());
  if (session_.lease->lost()) co_return size_t{0};
  changed_ = true;
  auto rejected = sent->rejections.begin();
  for (size_t i = 0; i < sent->done; ++i) {
    if (rejected != sent->rejections.end() && rejected->index == i) {
      auto put = co_await replace_change_letter(session_.context, session_.sink, letters[i], rejected->reason);
      PARTITA_CO_TRY(const bool noted, after_letter(std::move(put)));
      if (!noted) co_return i;
      ++rejected;
      continue;
    }
    ++done_.sent;
    PARTITA_CO_TRY_VOID(co_await erase_change_letter(session_.context, session_.sink, letters[i]));
  }
  if (sent->done == 0 || !sent->trouble.empty()) retry_backoff_.hold(session_.context, sent->wait_ms);
  co_return sent->done;
}

Task<void> ChangeSlice::nap(int64_t until_ns) {
  while (!session_.halted()) {
    const int64_t left_ns = until_ns - now_ns();
    if (left_ns <= 0) break;
    co_await session_.context.background().sleep(std::chrono::nanoseconds(std::min(left_ns, kMostNapMs * kNsPerMs)));
    // A retry, or more changes in a window, need not wait for all of it.
    if (retried_ != session_.retries && !retry_backoff_.holds(now_ns())) break;
  }
}

void ChangeSlice::fail(const Error& error, Backoff& backoff) {
  if (session_.halted()) return;
  if (error.kind() != ErrorKind::kUnavailable) {
    session_.fail(std::string(error.sentence()));
  } else if (&backoff == &backoff_) {
    hold_up(std::string(error.sentence()), 0);
  } else {
    backoff.hold(session_.context);
  }
}

void ChangeSlice::hold_up(std::string trouble, int64_t wait_ms) {
  trouble_ = std::move(trouble);
  backoff_.hold(session_.context, wait_ms);
}

}  // namespace partita::sinks
