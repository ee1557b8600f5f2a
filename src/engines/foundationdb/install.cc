#include "engines/foundationdb/install.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <optional>
#include <string_view>

#include "engines/foundationdb/foundationdb_options.h"

namespace partita::foundationdb {

using namespace storage;

namespace {

constexpr std::string_view kFormat = "1";
static_assert(kFormat[0] - '0' == kFoundationdbFormat && kFormat.size() == 1);
constexpr uint64_t kMarksAreKeptS = 86'400;
constexpr size_t kMarksAtOnce = 1'000;

bool is_a_prefix(std::string_view name) {
  const auto is_fine = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.');
  };
  return !name.empty() && name.size() < RowKeys::kMaxPrefixBytes && std::ranges::all_of(name, is_fine);
}

// Who comes back takes new ones.
void forget_old(TxnAttempt& attempt, const Future::Rows& marks) {
  const auto now = static_cast<uint64_t>(std::time(nullptr));
  for (const FdbKeyValue& row : marks.rows) {
    const std::string_view mark(reinterpret_cast<const char*>(row.value), static_cast<size_t>(row.value_size));
    const std::optional<uint64_t> at = time_of_mark(mark);
    if (at && *at + kMarksAreKeptS > now) continue;
    attempt.clear(std::string_view(reinterpret_cast<const char*>(row.key), static_cast<size_t>(row.key_size)));
  }
}

// Yields a code.
Task<int> install_once(TxnAttempt& attempt, const RowKeys& names, bool makes, Executor& fallback, std::string& format) {
  const Future there = attempt.get_firmly(names.format());
  const Future marks = attempt.get_range(names.marks(), Direction::kAscending, kMarksAtOnce, kMaxPageBytes);
  const Future users = attempt.get_range(names.users(), Direction::kAscending, kMarksAtOnce, kMaxPageBytes);
  int code = co_await there.done(fallback);
  if (code != 0) co_return code;
  code = co_await marks.done(fallback);
  if (code != 0) co_return code;
  code = co_await users.done(fallback);
  if (code != 0) co_return code;
  format = there.value().value_or("");
  if (format.empty() ? !makes : format != kFormat) co_return 0;
  forget_old(attempt, marks.rows());
  forget_old(attempt, users.rows());
  if (format.empty()) attempt.set(names.format(), kFormat);
  format = kFormat;
  const Future sent = attempt.commit();
  co_return co_await sent.done(fallback);
}

}  // namespace

Result<StoreLocation> StoreLocation::parse(const std::string& text) {
  StoreLocation place;
  const size_t query = text.find('?');
  place.cluster_file = text.substr(0, query);
  if (query == std::string::npos) return place;
  constexpr std::string_view kWord = "prefix=";
  const std::string_view word = std::string_view(text).substr(query + 1);
  if (!word.starts_with(kWord) || !is_a_prefix(word.substr(kWord.size()))) {
    return Error(ErrorKind::kInvalid,
                 "A store in FoundationDB takes nothing behind its cluster file but ?prefix=NAME, of letters, digits, "
                 "'-', '_' and '.'.");
  }
  place.prefix = word.substr(kWord.size());
  return place;
}

Task<Result<void>> install(const Cluster& cluster, const RowKeys& names, const StoreLocation& place, bool makes,
                           Executor& fallback) {
  const RetryPolicy retry_policy(fallback);
  for (;;) {
    TxnAttempt attempt(cluster);
    std::string format;
    const int code = co_await install_once(attempt, names, makes, fallback, format);
    if (code == 0 && format == kFormat) co_return Result<void>();
    if (code == 0 && format.empty()) {
      co_return Error(ErrorKind::kInvalid, "There is no store with the prefix " + place.prefix + " in the cluster of " +
                                               place.cluster_file +
                                               ": check what stands behind ?prefix= (without it, it is partita).");
    }
    if (code == 0) {
      co_return Error(ErrorKind::kInvalid, "The store in this cluster has format " + format +
                                               ", which this version does not know: use the version that made it.");
    }
    if (code == kErrorTimedOut) {
      co_return Error(ErrorKind::kUnavailable, "FoundationDB does not answer: no coordinator of the cluster file " +
                                                   place.cluster_file +
                                                   " is reached, or the cluster has no database yet.");
    }
    const bool again = co_await retry_policy.allows_another(attempt, code);
    if (!again) co_return to_error(code);
  }
}

}  // namespace partita::foundationdb
