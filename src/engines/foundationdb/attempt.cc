#include "engines/foundationdb/attempt.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace partita::foundationdb {

namespace {

// Less than the timeout of a request, so that a request that hangs is retried in time.
constexpr int64_t kTimeoutMs = 8'000;
constexpr int64_t kMostRetryDelayMs = 50;
constexpr std::string_view kMetadataVersion = "\xff/metadataVersion";

const uint8_t* bytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }
int length(std::string_view text) { return static_cast<int>(text.size()); }

// As options take them.
using Number = std::array<uint8_t, sizeof(int64_t)>;
Number make_number(int64_t number) {
  Number value{};
  for (size_t i = 0; i < value.size(); ++i) value[i] = static_cast<uint8_t>(static_cast<uint64_t>(number) >> (8 * i));
  return value;
}

int set_number(FdbDatabase* cluster, int option, int64_t number) {
  const Number value = make_number(number);
  return client().database_set_option(cluster, option, value.data(), static_cast<int>(value.size()));
}

}  // namespace

Result<Cluster> Cluster::open(const std::string& cluster_file) {
  if (access(cluster_file.c_str(), R_OK) != 0) {
    return Error(ErrorKind::kInvalid,
                 "FoundationDB's cluster file '" + cluster_file + "' cannot be read: " + std::strerror(errno) + ".");
  }
  PARTITA_TRY_VOID(start_client());
  FdbDatabase* handle = nullptr;
  int code = client().create_database(cluster_file.c_str(), &handle);
  if (code == 0) {
    Cluster cluster(handle);
    code = set_number(handle, kOptionTransactionTimeout, kTimeoutMs);
    if (code == 0) code = set_number(handle, kOptionTransactionRetryDelay, kMostRetryDelayMs);
    if (code == 0) return cluster;
  }
  return Error(ErrorKind::kInvalid,
               "FoundationDB's cluster file '" + cluster_file + "' cannot be used: " + client().get_error(code) + ".");
}

void Future::Waiting::await_suspend(std::coroutine_handle<> handle) {
  handle_ = handle;
  if (Executor* const current = Executor::current()) home_ = current;
  // Once it is set this object may be gone.
  const int code = client().future_set_callback(
      future_,
      [](FdbFuture*, void* waiting) {
        auto* const self = static_cast<Waiting*>(waiting);
        self->home_->resume(self->handle_);
      },
      this);
  PARTITA_CHECK(code == 0);
}

void Future::call_back(FdbCallback callback, void* with) const {
  PARTITA_CHECK(client().future_set_callback(handle_, callback, with) == 0);
}

std::optional<std::string_view> Future::value() const {
  int present = 0;
  const uint8_t* value = nullptr;
  int value_size = 0;
  PARTITA_CHECK(client().future_get_value(handle_, &present, &value, &value_size) == 0);
  if (present == 0) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(value), static_cast<size_t>(value_size));
}

Future::Rows Future::rows() const {
  const FdbKeyValue* rows = nullptr;
  int count = 0;
  int more = 0;
  PARTITA_CHECK(client().future_get_keyvalue_array(handle_, &rows, &count, &more) == 0);
  return {{rows, static_cast<size_t>(count)}, more != 0};
}

int64_t Future::number() const {
  int64_t number = 0;
  PARTITA_CHECK(client().future_get_int64(handle_, &number) == 0);
  return number;
}

TxnAttempt::TxnAttempt(const Cluster& cluster) {
  PARTITA_CHECK(client().database_create_transaction(cluster.handle(), &handle_) == 0);
  PARTITA_CHECK(client().transaction_set_option(handle_, kOptionOwnWritesUnread, nullptr, 0) == 0);
}

Future TxnAttempt::read_one(std::string_view key, bool snapshot) {
  return Future(client().transaction_get(handle_, bytes(key), length(key), snapshot ? 1 : 0));
}

// A selector (or_equal 0, offset 1) is the first key that is not before its own.
Future TxnAttempt::get_range(const storage::Range& range, storage::Direction direction, size_t max_rows,
                             size_t max_bytes) {
  constexpr size_t kMostRows = 100'000;
  const int rows = static_cast<int>(std::clamp<size_t>(max_rows, 1, kMostRows));
  const int target_bytes = static_cast<int>(std::clamp<size_t>(max_bytes, 1, storage::kMaxPageBytes));
  return Future(client().transaction_get_range(handle_, bytes(range.begin), length(range.begin), 0, 1, bytes(range.end),
                                               length(range.end), 0, 1, rows, target_bytes, kStreamExact, 1, 1,
                                               direction == storage::Direction::kDescending ? 1 : 0));
}

Future TxnAttempt::estimate(const storage::Range& range) {
  return Future(client().transaction_get_estimated_range_size_bytes(handle_, bytes(range.begin), length(range.begin),
                                                                    bytes(range.end), length(range.end)));
}

Future TxnAttempt::read_version() { return Future(client().transaction_get_read_version(handle_)); }

Future TxnAttempt::metadata_version() { return get(kMetadataVersion); }

void TxnAttempt::set(std::string_view key, std::string_view value) {
  client().transaction_set(handle_, bytes(key), length(key), bytes(value), length(value));
}

void TxnAttempt::clear(std::string_view key) { client().transaction_clear(handle_, bytes(key), length(key)); }

void TxnAttempt::clear(const storage::Range& range) {
  client().transaction_clear_range(handle_, bytes(range.begin), length(range.begin), bytes(range.end),
                                   length(range.end));
}

void TxnAttempt::set_stamped(std::string key, size_t stamp_at, std::string_view value) {
  // Behind the key it takes the place of the stamp, its low byte first.
  for (size_t i = 0; i < sizeof(uint32_t); ++i) key.push_back(static_cast<char>(stamp_at >> (8 * i)));
  client().transaction_atomic_op(handle_, bytes(key), length(key), bytes(value), length(value), kVersionstampedKey);
}

void TxnAttempt::renew_metadata_version() {
  // The only value that FoundationDB takes: ten bytes for the stamp, and where they begin.
  constexpr std::string_view kStampAtZero("\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 14);
  client().transaction_atomic_op(handle_, bytes(kMetadataVersion), length(kMetadataVersion), bytes(kStampAtZero),
                                 length(kStampAtZero), kVersionstampedValue);
}

void TxnAttempt::rely_on(std::string_view key) { rely_on({std::string(key), std::string(key) + '\0'}); }

void TxnAttempt::rely_on(const storage::Range& range) {
  PARTITA_CHECK(client().transaction_add_conflict_range(handle_, bytes(range.begin), length(range.begin),
                                                        bytes(range.end), length(range.end), kConflictRead) == 0);
}

void TxnAttempt::limit_time(std::chrono::milliseconds most) {
  const Number value = make_number(most.count());
  PARTITA_CHECK(
      client().transaction_set_option(handle_, kOptionTimeout, value.data(), static_cast<int>(value.size())) == 0);
}

Future TxnAttempt::commit() { return Future(client().transaction_commit(handle_)); }

Future TxnAttempt::after(int code) { return Future(client().transaction_on_error(handle_, code)); }

bool is_maybe_committed(int code) {
  return code == kErrorTimedOut || client().error_predicate(kMaybeCommitted, code) != 0;
}

bool is_retryable(int code) { return client().error_predicate(kRetryableNotCommitted, code) != 0; }

Task<bool> RetryPolicy::allows_another(TxnAttempt& attempt, int code) const {
  if (is_over()) co_return false;
  if (code == kErrorTimedOut) co_return true;
  const Future pause = attempt.after(code);
  const int refused = co_await pause.done(fallback_);
  co_return refused == 0;
}

}  // namespace partita::foundationdb
