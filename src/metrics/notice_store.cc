#include "metrics/notice_store.h"

#include <algorithm>
#include <span>
#include <utility>

#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::metrics {

namespace {

constexpr int64_t kFirstWaitMs = 1'000;
constexpr size_t kPageOfNotices = 100;
constexpr size_t kPageOfNoticesBytes = size_t{1} << 20;

// A time far ahead is one of a clock that was set back.
bool is_due(const Notice& notice, int64_t now_ms) {
  return notice.due_ms <= now_ms || notice.due_ms > now_ms + kMostNoticeWaitMs;
}

int64_t wait_after(int64_t attempts) {
  int64_t wait_ms = kFirstWaitMs;
  for (int64_t i = 1; i < attempts && wait_ms < kMostNoticeWaitMs; ++i) wait_ms *= 2;
  return std::min(wait_ms, kMostNoticeWaitMs);
}

}  // namespace

Task<Result<std::vector<DueNotice>>> NoticeStore::due(int64_t now_ms, size_t most) const {
  std::vector<DueNotice> all;
  storage::Range range = table::system_rows(table::SystemRow::kAlarmNotices);
  for (bool more = true; more && all.size() < most;) {
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kPageOfNotices, kPageOfNoticesBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) {
      auto notices = notices_from(page[i].value);
      if (!notices.ok()) continue;
      for (Notice& notice : *notices) {
        if (all.size() == most || !is_due(notice, now_ms)) continue;
        all.push_back({std::string(alarm_of_notices(page[i].key)), std::move(notice)});
      }
    }
    more = storage::advance(range, page);
  }
  co_return all;
}

Task<Result<bool>> NoticeStore::change(std::string alarm, std::string id, Use use) const {
  Result<bool> changed = false;
  const storage::Decide decide = [&](std::span<const storage::Record* const> found, storage::Changes& changes) {
    changed = false;
    if (found[0] == nullptr) return storage::Decision::kRefuse;
    auto notices = notices_from(found[0]->value);
    if (!notices.ok()) {
      changed = notices.error();
      return storage::Decision::kRefuse;
    }
    const auto at = std::ranges::find(*notices, id, &Notice::id);
    std::vector<HistoryEntry> entries;
    if (at == notices->end() || !use(*notices, static_cast<size_t>(at - notices->begin()), entries)) {
      return storage::Decision::kRefuse;
    }
    changed = true;
    if (notices->empty()) {
      changes.erase(notices_key(alarm));
    } else {
      changes.put(notices_key(alarm), row_of_notices(*notices));
    }
    put_history(entries, random_, changes);
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> keys{notices_key(alarm)};
  std::vector<storage::Compare> compare;
  auto outcome = co_await engine_.transact(std::move(keys), std::move(compare), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  co_return changed;
}

Task<Result<Claim>> NoticeStore::claim(std::string alarm, std::string id, int64_t now_ms) const {
  bool too_old = false;
  const Use take = [&](std::vector<Notice>& notices, size_t index, std::vector<HistoryEntry>& entries) {
    Notice& notice = notices[index];
    if (!is_due(notice, now_ms)) return false;
    too_old = notice.made_ms < now_ms - kNoticeKeptMs;
    if (too_old) {
      const std::string error = "The change of state is older than a day; the notice was given up.";
      entries.push_back(entry_of_notice(alarm, notice, error, now_ms));
      notices.erase(notices.begin() + static_cast<std::ptrdiff_t>(index));
      return true;
    }
    // Attempts end an hour after the change, also if the clock was set back since.
    notice.made_ms = std::min(notice.made_ms, now_ms);
    notice.due_ms = now_ms + kNoticeClaimMs;
    ++notice.attempts;
    return true;
  };
  PARTITA_CO_TRY(const bool changed, co_await change(alarm, id, take));
  if (!changed) co_return Claim::kNone;
  co_return too_old ? Claim::kGivenUp : Claim::kMine;
}

Task<Result<void>> NoticeStore::settle(std::string alarm, std::string id, std::optional<std::string> error,
                                       int64_t now_ms) const {
  const Use end = [&](std::vector<Notice>& notices, size_t index, std::vector<HistoryEntry>& entries) {
    Notice& notice = notices[index];
    const int64_t next_ms = now_ms + wait_after(notice.attempts);
    const bool again = error && next_ms <= notice.made_ms + kNoticeTriedMs;
    const std::string last = error ? *error + " There are no more attempts." : std::string();
    if (!again) {
      entries.push_back(entry_of_notice(alarm, notice, error ? std::optional(last) : std::nullopt, now_ms));
      notices.erase(notices.begin() + static_cast<std::ptrdiff_t>(index));
      return true;
    }
    // Not by attempts: the server of the first one may have died.
    if (!std::exchange(notice.failed, true)) entries.push_back(entry_of_notice(alarm, notice, error, now_ms));
    notice.due_ms = next_ms;
    return true;
  };
  auto changed = co_await change(alarm, id, end);
  if (!changed.ok()) co_return std::move(changed).error();
  co_return Result<void>();
}

}  // namespace partita::metrics
