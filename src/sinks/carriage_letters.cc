// The dead letters of a sink that is carried.
#include <set>
#include <utility>

#include "sinks/carriage.h"
#include "sinks/dead_letters.h"
#include "table/rows/item_rows.h"

namespace partita::sinks {

namespace {
constexpr int64_t kLettersMs = 10'000;  // how often they are counted
}  // namespace

// Sends the items of the dead letters as they are now, and removes the letters of those that are taken.
Task<Result<table::StepEnd>> Carriage::retry(table::JobRun& run) {
  const int64_t began_ns = now_ns();
  const uint64_t wanted = sink_->retries;
  if (std::exchange(retrying_, wanted) != wanted) retried_to_.clear();
  while (!run.stopping() && !lease_.lost() && now_ns() - began_ns < kStepMs * kNsPerMs) {
    if (now_ns() - looked_ns_ > kLookMs * kNsPerMs) {
      PARTITA_CO_TRY(const bool another, co_await look(run));
      if (another) break;
    }
    auto any = co_await retry_some();
    if (!any.ok()) co_return co_await after_failure(run, std::move(any).error());
    if (now_ns() < held_until_ns_) break;
    if (*any) continue;
    progress_.retries = wanted;
    retried_to_.clear();
    changed_ = true;
    letters_counted_ns_ = 0;
    go_on();
    break;
  }
  co_return co_await store(run);
}

// False: there are no more letters.
Task<Result<bool>> Carriage::retry_some() {
  PARTITA_CO_TRY(const std::vector<DeadLetter> letters, co_await read_dead_letters(context_, *sink_, retried_to_));
  if (letters.empty()) co_return false;
  std::vector<std::string> keys;
  for (const DeadLetter& letter : letters) {
    if (table::check_key(*table_, letter.key).ok()) keys.push_back(table::item_key(*table_, letter.key).bytes);
  }
  PARTITA_CO_TRY(Sent sent, co_await sender_->send_keys(keys, until_ns_));
  count(sent);
  std::set<std::string> kept;
  for (const auto* some : {&sent.later, &sent.rejected_keys}) {
    for (const std::string& key : *some) kept.insert(destination_->document_id(key));
  }
  for (const std::string& key : keys) {
    std::string id = destination_->document_id(key);
    if (kept.contains(id)) continue;
    PARTITA_CO_TRY_VOID(co_await erase_dead_letter(context_, *sink_, std::move(id)));
  }
  if (sent.later.empty()) {
    retried_to_ = letters.back().id;
  } else if (!sent.trouble.empty()) {
    hold_up(std::move(sent.trouble));
  }
  co_return true;
}

Task<Result<void>> Carriage::count_letters() {
  const int64_t due_ns = letters_counted_ns_ + kLettersMs * kNsPerMs;
  if (letters_counted_ns_ != 0 && now_ns() < due_ns) co_return Result<void>();
  letters_counted_ns_ = now_ns();
  PARTITA_CO_TRY(figures_.dead_letters, co_await count_dead_letters(context_, *sink_));
  co_return Result<void>();
}

}  // namespace partita::sinks
