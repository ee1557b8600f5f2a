#include "table/readiness.h"

#include <mutex>
#include <utility>
#include <vector>

#include "table/system_rows.h"

namespace partita::table {

namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kPollMs = 5;

}  // namespace

struct Readiness::State {
  std::mutex mutex;
  bool under_way = false;
  bool tried = false;    // some write has ended
  int64_t began_ns = 0;  // the newest write
  std::string trouble;   // of the newest that ended
};

Readiness::Readiness(Database& database, ReadinessOptions options)
    : database_(database), options_(options), state_(std::make_shared<State>()) {}

Task<void> Readiness::probe(std::shared_ptr<State> state, Database* database) {
  const storage::Decide put = [](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(system_key(SystemRow::kProbe), {});
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> no_keys;
  std::vector<storage::Compare> no_compare;
  const auto written = co_await database->engine().transact(std::move(no_keys), std::move(no_compare), put);
  const std::lock_guard lock(state->mutex);
  state->under_way = false;
  state->tried = true;
  state->trouble = written.ok() ? std::string() : std::string(written.error().sentence());
  if (!written.ok() && state->trouble.empty()) state->trouble = "The store takes no writes.";
}

Task<std::string> Readiness::trouble() {
  Background& background = database_.upkeep().background();
  for (bool waited = false;; waited = true) {
    const auto healthy = database_.engine().health();
    if (!healthy.ok()) co_return std::string(healthy.error().sentence());
    if (background.stopping()) co_return std::string("The server is stopping.");
    {
      const std::lock_guard lock(state_->mutex);
      const int64_t now_ns = database_.clock().monotonic_ns();
      const int64_t age_ms = (now_ns - state_->began_ns) / kNsPerMs;
      if (!state_->under_way) {
        if (waited || (state_->tried && age_ms < options_.fresh_ms)) co_return state_->trouble;
        state_->under_way = true;
        state_->began_ns = now_ns;
        background.begin([state = state_, database = &database_] { return probe(state, database); });
      } else if (age_ms >= options_.patience_ms) {
        co_return "The store has not answered a small write for " + std::to_string(age_ms / 1'000) + " s.";
      }
    }
    co_await background.sleep(kPollMs);
  }
}

}  // namespace partita::table
