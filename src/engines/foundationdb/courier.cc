#include "engines/foundationdb/courier.h"

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

void write_slices(Attempt& attempt, const Names& names, std::string_view key, std::string_view value) {
  for (uint16_t number = 0; !value.empty(); ++number) {
    attempt.set(names.slice(key, number), value.substr(0, kSliceBytes));
    value.remove_prefix(std::min(kSliceBytes, value.size()));
  }
}

// Looked up at once: all of it is in memory.
constexpr size_t kMostKeys = 512;
constexpr int kMostConflicts = 200;

}  // namespace

void Deal::await_suspend(std::coroutine_handle<> handle) {
  suspend(handle);
  asked_at_ = Patience::Clock::now();
  courier_.take(*this);
}

Courier::Courier(const Database& database, const Names& names, Workers& workers, const Presence& presence,
                 RemoteMeters& meters, const FoundationdbOptions& options, const Limits& limits)
    : database_(database),
      names_(names),
      workers_(workers),
      presence_(presence),
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

Courier::~Courier() {
  std::unique_lock lock(mutex_);
  PARTITA_CHECK(waiting_.empty());
  rested_.wait(lock, [this] { return std::ranges::none_of(lanes_, &Lane::is_busy); });
}

// splitmix64 moves on by a fixed step, meets no number twice, and two servers begin at random.
Version Courier::draw_version() {
  uint64_t state = 0;
  splitmix64(state);
  state = versions_.fetch_add(state);
  return Version{splitmix64(state)};
}

void Courier::take(Deal& deal) {
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back(&deal);
  }
  dispatch();
}

void Courier::dispatch() {
  for (;;) {
    Lane* lane = nullptr;
    Deals deals;
    {
      std::lock_guard lock(mutex_);
      lane = idle_lane();
      if (lane == nullptr) return;
      deals = pick();
      if (deals.empty()) return;
      lane->is_busy = true;
    }
    start(carry(*lane, std::move(deals)), [] {});
  }
}

Courier::Lane* Courier::idle_lane() {
  const auto lane = std::ranges::find(lanes_, false, &Lane::is_busy);
  return lane == lanes_.end() ? nullptr : &*lane;
}

Courier::Deals Courier::pick() {
  const Claims::Most most{.members = options_.merged, .keys = kMostKeys};
  Deals picked = claims_.pick(waiting_, most, [](const Deal&) { return Claims::Turn::kTogether; });
  for (const Deal* const deal : picked) claims_.add(deal->transaction);
  return picked;
}

Task<void> Courier::carry(Lane& lane, Deals deals) {
  co_await workers_.enter();
  for (;;) {
    co_await run(lane, deals);
    {
      std::lock_guard lock(mutex_);
      for (const Deal* const deal : deals) claims_.remove(deal->transaction);
    }
    resume({deals.begin(), deals.end()}, workers_);
    {
      std::lock_guard lock(mutex_);
      deals = pick();
      if (deals.empty()) {
        lane.is_busy = false;
        rested_.notify_all();
        co_return;
      }
      if (waiting_.empty()) continue;
    }
    dispatch();
  }
}

Task<void> Courier::run(Lane& lane, Deals& deals) {
  std::exception_ptr failure;
  lane.is_in_doubt = false;
  try {
    co_await try_to(lane, deals);
  } catch (const std::bad_alloc&) {
    failure = std::current_exception();
  }
  if (!failure) co_return;
  if (lane.is_in_doubt) fail(deals, Error(ErrorKind::kUnknown, "Memory ran out during a commit."));
  for (Deal* const deal : deals) deal->failure = lane.is_in_doubt ? nullptr : failure;
}

// Those behind, to the front of the queue.
void Courier::give_back(Deals& deals, size_t kept) {
  if (deals.size() == kept) return;
  std::lock_guard lock(mutex_);
  for (size_t i = kept; i < deals.size(); ++i) claims_.remove(deals[i]->transaction);
  waiting_.insert(waiting_.begin(), deals.begin() + static_cast<ptrdiff_t>(kept), deals.end());
  deals.resize(kept);
}

void Courier::fail(const Deals& deals, const Error& error) {
  for (Deal* const deal : deals) {
    deal->transaction.outcome = error;
    deal->failure = nullptr;
  }
}

Task<void> Courier::try_to(Lane& lane, Deals& deals) {
  // Those that waited for a lane have waited already.
  const auto first = std::ranges::min_element(deals, {}, &Deal::asked_at_);
  const Patience patience(workers_, (*first)->asked_at_);
  for (int conflicts = 0;;) {
    std::vector<Transaction*> members;
    for (Deal* const deal : deals) members.push_back(&deal->transaction);
    Batch batch(std::move(members), limits_);
    Attempt attempt(database_);
    attempt.limit_time(patience.next());
    Looked looked;
    int code = co_await look_up(attempt, batch, looked);
    if (code == 0) {
      const size_t left = batch.evaluate([this] { return draw_version(); }).size();
      give_back(deals, deals.size() - left);
      for (Deal* const deal : deals) deal->failure = deal->transaction.failure;
      if (!batch.has_effects()) co_return;
      write(attempt, batch, looked);
      meters_.groups.add(deals.size());
      const Fate fate = co_await commit(attempt, lane, patience, code);
      if (fate == Fate::kHappened) co_return;
      if (fate == Fate::kUnknown) {
        co_return fail(deals, Error(ErrorKind::kUnknown, "Nobody could be asked what became of a commit."));
      }
    }
    if (code == kErrorConflict) meters_.retries.add(deals.size());
    if (code == kErrorConflict && ++conflicts >= kMostConflicts) {
      co_return fail(deals, Error(ErrorKind::kConflict, "Others changed the same records too often meanwhile."));
    }
    bool again = false;
    if (!is_final(code)) again = co_await patience.allows_another(attempt, code);
    if (again) continue;
    if (deals.size() == 1 || patience.is_over()) co_return fail(deals, error_of(code));
    // What failed in company may be due to one of them.
    for (Deal* const deal : deals) {
      Deals alone{deal};
      co_await run(lane, alone);
    }
    co_return;
  }
}

Task<int> Courier::look_up(Attempt& attempt, Batch& batch, Looked& looked) {
  const std::vector<Batch::Wanted> wanted = batch.wanted();
  const auto is_recalled = [](const Batch::Wanted& one) { return one.settled && !one.value; };
  std::vector<std::optional<Future>> rows(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!is_recalled(wanted[i])) rows[i] = attempt.get(names_.record(wanted[i].key));
  }
  // With it comes the moment: a commit that took its own might take it after its mark was fenced off.
  const Future metadata = attempt.metadata_version();
  if (const int code = co_await metadata.done(workers_); code != 0) co_return code;
  const std::string_view era = metadata.value().value_or("");
  // Of what is recalled nobody knows what there is to clear.
  looked.sliced.assign(wanted.size(), true);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (rows[i]) continue;
    const std::optional<Settled::Known> known = settled_.find(era, names_.record(wanted[i].key));
    if (!known) rows[i] = attempt.get(names_.record(wanted[i].key));
    if (known && *known) batch.found(i, **known, {});
  }
  if (const int code = co_await look_up_terms(attempt, era, looked.age); code != 0) co_return code;
  std::vector<std::pair<size_t, Slices>> large;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i]) continue;
    const int code = co_await rows[i]->done(workers_);
    if (code != 0) co_return code;
    const std::optional<std::string_view> row = rows[i]->value();
    const std::optional<Head> head = row ? parse_head(*row) : Head{};
    if (!head) co_return kDamaged;
    if (is_recalled(wanted[i])) {
      settled_.keep(era, names_.record(wanted[i].key), row ? Settled::Known(head->version) : std::nullopt);
    }
    looked.sliced[i] = head->sliced_bytes != 0;
    if (!row) continue;
    if (looked.sliced[i] && wanted[i].value) {
      large.emplace_back(i, Slices(attempt, names_, wanted[i].key, *head));
    } else {
      batch.found(i, head->version, head->value);
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

Task<int> Courier::look_up_terms(Attempt& attempt, std::string_view era, uint8_t& age) {
  const std::optional<Settled::Known> known_age = settled_.find(era, names_.age());
  const std::optional<Settled::Known> known_holder = settled_.find(era, names_.holder());
  if (known_age && known_holder) {
    age = static_cast<uint8_t>(static_cast<uint64_t>(known_age->value_or(Version{})));
    co_return presence_.judge(*known_holder);
  }
  const Future aged = attempt.get(names_.age());
  const Future held = attempt.get(names_.holder());
  for (const Future* const asked : {&aged, &held}) {
    if (const int code = co_await asked->done(workers_); code != 0) co_return code;
  }
  const std::optional<uint8_t> found = parse_age(aged.value());
  const std::optional<Settled::Known> holder = Presence::parse_holder(held.value());
  if (!found || !holder) co_return kDamaged;
  age = *found;
  settled_.keep(era, names_.age(), Version{age});
  settled_.keep(era, names_.holder(), *holder);
  co_return presence_.judge(*holder);
}

void Courier::write(Attempt& attempt, const Batch& batch, const Looked& looked) const {
  size_t looked_up = 0;
  bool renews = false;
  for (const auto& [key, row] : batch.rows()) {
    // Who writes without having looked does not know what there is to clear.
    const bool may_be_sliced = row.wanted ? looked.sliced[looked_up++] : true;
    const std::string name = names_.record(key);
    if (row.checked) attempt.rely_on(name);
    if (!row.written) continue;
    renews = renews || row.settled;
    if (may_be_sliced) attempt.clear(names_.slices(key));
    if (!row.now) {
      attempt.clear(name);
      continue;
    }
    attempt.set(name, make_head(row.now->version, row.now->value));
    if (has_slices(row.now->value)) write_slices(attempt, names_, key, row.now->value);
  }
  append(attempt, batch.appends(), looked.age);
  if (renews) attempt.renew_metadata_version();
}

void Courier::append(Attempt& attempt, const std::vector<Changes::Append>& appends, uint8_t age) const {
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

Task<Courier::Fate> Courier::commit(Attempt& attempt, Lane& lane, const Patience& patience, int& code) {
  attempt.rely_on(names_.holder());
  attempt.rely_on(lane.mark);
  attempt.set(lane.mark, make_mark(++lane.sequence, false));
  lane.is_in_doubt = true;
  const Cut cut = options_.cut ? options_.cut() : Cut::kNothing;
  code = kErrorTimedOut;
  if (cut != Cut::kCommit && cut != Cut::kLate) {
    const int64_t begun_ns = system_clock().monotonic_ns();
    const Future sent = attempt.commit();
    code = co_await sent.done(workers_);
    meters_.commits.add(static_cast<uint64_t>(system_clock().monotonic_ns() - begun_ns));
    if (cut == Cut::kAnswer) code = kErrorTimedOut;
  }
  Fate fate = code == 0 ? Fate::kHappened : Fate::kNot;
  if (is_maybe_committed(code)) fate = co_await settle(lane, patience);
  if (cut == Cut::kLate) {
    const Future late = attempt.commit();
    co_await late.done(workers_);
  }
  lane.is_in_doubt = fate == Fate::kUnknown;
  co_return fate;
}

// Whoever fences the mark off writes the row that the lost commit relies on: so that one fails from then on.
Task<Courier::Fate> Courier::settle(Lane& lane, const Patience& patience) {
  for (;;) {
    Attempt attempt(database_);
    attempt.limit_time(patience.next());
    const Future mark = attempt.get_firmly(lane.mark);
    int code = co_await mark.done(workers_);
    if (code == 0) {
      std::string_view said = mark.value().value_or("");
      const std::optional<uint64_t> sequence = take_u64(said);
      if (sequence == lane.sequence && !said.empty()) co_return said.back() == 0 ? Fate::kHappened : Fate::kNot;
      attempt.set(lane.mark, make_mark(lane.sequence, true));
      const Future fenced = attempt.commit();
      code = co_await fenced.done(workers_);
      if (code == 0) co_return Fate::kNot;
    }
    const bool again = co_await patience.allows_another(attempt, code);
    if (!again) co_return Fate::kUnknown;
  }
}

}  // namespace partita::foundationdb
