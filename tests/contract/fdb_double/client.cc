// A client of FoundationDB without FoundationDB: what the documentation of the C API promises, as far as the engine
// uses it, over one cluster in this process's memory. It is for machines that have none; it cannot say whether the
// engine is right about FoundationDB, but whether it keeps the contract if it is. Loaded by LD_LIBRARY_PATH, as
// "libfdb_c.so".
//
// PARTITA_FDB_FAULTS=N: of 1,000 commits and reads N fail in each of the ways in which FoundationDB's may.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "work_queue.h"

namespace {

using partita::contract::WorkQueue;

using Clock = std::chrono::steady_clock;
using Bytes = const uint8_t*;

constexpr int kTooOld = 1'007;
constexpr int kFromTheFuture = 1'009;
constexpr int kConflict = 1'020;
constexpr int kUnknown = 1'021;
constexpr int kTransactionTooLarge = 2'101;
constexpr int kKeyTooLarge = 2'102;
constexpr int kValueTooLarge = 2'103;
constexpr size_t kMostKeyBytes = 10'000;
constexpr size_t kMostValueBytes = 100'000;
constexpr size_t kMostTransactionBytes = 10'000'000;
constexpr std::chrono::seconds kKept{5};
constexpr int kReadConflict = 0;
constexpr int kVersionstampedKey = 14;
constexpr int kVersionstampedValue = 15;
constexpr std::string_view kMetadataVersion = "\xff/metadataVersion";

std::string text(Bytes bytes, int size) { return {reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)}; }

[[noreturn]] void misuse(const char* what) {
  std::fprintf(stderr, "FoundationDB's double: %s\n", what);
  std::abort();
}

struct Span {
  std::string begin;
  std::string end;
};

Span only(const std::string& key) { return {key, key + '\0'}; }

bool meet(const Span& one, const Span& other) { return one.begin < other.end && other.begin < one.end; }

// Never destroyed: the engine ends it later than a library's own objects go.
WorkQueue& network() {
  static auto* const one = new WorkQueue;
  return *one;
}

// Of the network's thread alone.
class Faults {
 public:
  Faults() {
    const char* const asked = std::getenv("PARTITA_FDB_FAULTS");
    if (asked != nullptr) of_thousand_ = std::strtoul(asked, nullptr, 10);
  }
  bool strike() { return of_thousand_ != 0 && chance_() % 1'000 < of_thousand_; }

 private:
  unsigned long of_thousand_ = 0;
  std::mt19937_64 chance_{7};
};

// Of the network's thread alone.
struct Cluster {
  ~Cluster() { is_gone = true; }
  static inline std::atomic<bool> is_gone = false;
  using Versions = std::vector<std::pair<int64_t, std::optional<std::string>>>;
  std::map<std::string, Versions> rows;
  struct Commit {
    int64_t version;
    std::vector<Span> written;
  };
  std::deque<Commit> commits;
  int64_t version = 1;
  Faults faults;

  static const std::string* at(const Versions& versions, int64_t moment) {
    for (auto one = versions.rbegin(); one != versions.rend(); ++one) {
      if (one->first <= moment) return one->second ? &*one->second : nullptr;
    }
    return nullptr;
  }
};

// Made when it is first needed and destroyed at the end, as much of the real one's.
Cluster& cluster() {
  static Cluster one;
  return one;
}

}  // namespace

extern "C" {

struct FdbKeyValue;
struct FdbFuture;
struct FdbDatabase {};

#pragma pack(push, 4)
struct Row {
  Bytes key;
  int key_size;
  Bytes value;
  int value_size;
};
#pragma pack(pop)
}

namespace {

// What a future will have. Shared by whoever waits for it and the network's thread.
struct Answer {
  std::mutex mutex;
  bool is_ready = false;
  int code = 0;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::string>> pairs;
  std::vector<Row> rows;
  bool more = false;
  int64_t number = 0;
  void (*callback)(FdbFuture*, void*) = nullptr;
  void* with = nullptr;
  FdbFuture* future = nullptr;
};

struct Change {
  enum class Kind : uint8_t { kSet, kClear, kStampedKey, kStampedValue } kind;
  std::string key;
  std::string value;  // of a clear: the end
};

struct State {
  std::optional<int64_t> moment;
  Clock::time_point began;
  int fault = 0;
  std::vector<Span> relied_on;
  std::vector<Change> changes;

  // A transaction that is to fail fails at its first look at anything, whatever it has asked for.
  int look() {
    if (!moment) {
      moment = cluster().version;
      began = Clock::now();
      if (cluster().faults.strike()) fault = kTooOld;
      if (cluster().faults.strike()) fault = kFromTheFuture;
    }
    return Clock::now() - began > kKept ? kTooOld : fault;
  }
};

}  // namespace

struct FdbFuture {
  std::shared_ptr<Answer> answer;
};
struct FdbTransaction {
  std::shared_ptr<State> state = std::make_shared<State>();
};

namespace {

FdbFuture* ask(std::function<void(Answer&)> work) {
  auto* const future = new FdbFuture{std::make_shared<Answer>()};
  future->answer->future = future;
  network().post([answer = future->answer, work = std::move(work)] {
    work(*answer);
    std::unique_lock lock(answer->mutex);
    answer->is_ready = true;
    const auto callback = answer->callback;
    lock.unlock();
    if (callback != nullptr) callback(answer->future, answer->with);
  });
  return future;
}

int check(const State& state) {
  size_t bytes = 0;
  for (const Change& change : state.changes) {
    bytes += change.key.size() + change.value.size();
    if (change.key.size() > kMostKeyBytes) return kKeyTooLarge;
    if (change.kind != Change::Kind::kClear && change.value.size() > kMostValueBytes) return kValueTooLarge;
  }
  for (const Span& span : state.relied_on) bytes += span.begin.size() + span.end.size();
  return bytes > kMostTransactionBytes ? kTransactionTooLarge : 0;
}

void write(const std::string& key, std::optional<std::string> value) {
  cluster().rows[key].emplace_back(cluster().version, std::move(value));
}

// A key or a value, behind which it says where its stamp is.
std::string stamped(std::string text, int64_t version) {
  uint32_t at = 0;
  for (size_t i = 0; i < sizeof at; ++i) {
    at |= static_cast<uint32_t>(static_cast<uint8_t>(text[text.size() - sizeof at + i])) << (8 * i);
  }
  text.resize(text.size() - sizeof at);
  for (size_t i = 0; i < sizeof version; ++i) {
    text.at(at + i) = static_cast<char>(static_cast<uint64_t>(version) >> (8 * (sizeof version - 1 - i)));
  }
  return text;
}

void apply(const State& state) {
  Cluster& all = cluster();
  ++all.version;
  Cluster::Commit commit{all.version, {}};
  for (const Change& change : state.changes) {
    if (change.kind == Change::Kind::kClear) {
      commit.written.push_back({change.key, change.value});
      const auto end = all.rows.lower_bound(change.value);
      for (auto row = all.rows.lower_bound(change.key); row != end && row->first < change.value; ++row) {
        if (row->second.back().second) row->second.emplace_back(all.version, std::nullopt);
      }
      continue;
    }
    const bool has_stamp = change.kind == Change::Kind::kStampedKey;
    const std::string key = has_stamp ? stamped(change.key, all.version) : change.key;
    commit.written.push_back(only(key));
    write(key, change.kind == Change::Kind::kStampedValue ? stamped(change.value, all.version) : change.value);
  }
  all.commits.push_back(std::move(commit));
}

int commit(State& state) {
  Cluster& all = cluster();
  if (const int code = check(state); code != 0) return code;
  const int code = state.look();
  if (state.changes.empty()) return 0;
  if (code != 0) return code;
  if (all.faults.strike()) return kConflict;
  if (all.faults.strike()) return kUnknown;
  for (auto one = all.commits.rbegin(); one != all.commits.rend() && one->version > *state.moment; ++one) {
    for (const Span& written : one->written) {
      for (const Span& relied : state.relied_on) {
        if (meet(written, relied)) return kConflict;
      }
    }
  }
  apply(state);
  return all.faults.strike() ? kUnknown : 0;
}

struct Wanted {
  Span range;
  int limit;
  int target_bytes;
  bool reverse;
};

int read(State& state, const Wanted& wanted, Answer& answer) {
  if (const int code = state.look(); code != 0) return code;
  const auto& rows = cluster().rows;
  size_t bytes = 0;
  const auto take = [&](const auto& row) {
    const std::string* const value = Cluster::at(row.second, *state.moment);
    if (value == nullptr) return true;
    answer.pairs.emplace_back(row.first, *value);
    bytes += row.first.size() + value->size();
    answer.more = static_cast<int>(answer.pairs.size()) == wanted.limit ||
                  (wanted.target_bytes > 0 && bytes >= static_cast<size_t>(wanted.target_bytes));
    return !answer.more;
  };
  if (wanted.range.begin >= wanted.range.end) return 0;
  const auto begin = rows.lower_bound(wanted.range.begin);
  const auto end = rows.lower_bound(wanted.range.end);
  if (wanted.reverse) {
    for (auto row = end; row != begin && take(*std::prev(row));) --row;
  } else {
    for (auto row = begin; row != end && take(*row);) ++row;
  }
  for (const auto& [key, value] : answer.pairs) {
    answer.rows.push_back({reinterpret_cast<Bytes>(key.data()), static_cast<int>(key.size()),
                           reinterpret_cast<Bytes>(value.data()), static_cast<int>(value.size())});
  }
  return 0;
}

}  // namespace

extern "C" {

#define PARTITA_EXPORT __attribute__((visibility("default")))

PARTITA_EXPORT int fdb_get_max_api_version() { return 730; }
PARTITA_EXPORT int fdb_select_api_version_impl(int, int) { return 0; }
PARTITA_EXPORT const char* fdb_get_error(int) { return "An error of FoundationDB's double"; }
PARTITA_EXPORT int fdb_error_predicate(int predicate, int code) {
  constexpr int kMaybeCommitted = 50'001;
  constexpr int kNotCommitted = 50'002;
  if (predicate == kMaybeCommitted) return code == kUnknown ? 1 : 0;
  if (predicate != kNotCommitted) misuse("no such predicate");
  return code == kTooOld || code == kFromTheFuture || code == kConflict ? 1 : 0;
}
PARTITA_EXPORT int fdb_setup_network() { return 0; }
PARTITA_EXPORT int fdb_run_network() {
  network().run();
  if (Cluster::is_gone) misuse("its thread ended later than what it made");
  return 0;
}
PARTITA_EXPORT int fdb_stop_network() {
  network().stop();
  return 0;
}
PARTITA_EXPORT int fdb_create_database(const char*, FdbDatabase** made) {
  *made = new FdbDatabase;
  return 0;
}
PARTITA_EXPORT void fdb_database_destroy(FdbDatabase* database) { delete database; }
PARTITA_EXPORT int fdb_database_set_option(FdbDatabase*, int, Bytes, int) { return 0; }
PARTITA_EXPORT int fdb_database_create_transaction(FdbDatabase*, FdbTransaction** made) {
  *made = new FdbTransaction;
  return 0;
}
PARTITA_EXPORT void fdb_transaction_destroy(FdbTransaction* transaction) { delete transaction; }
PARTITA_EXPORT int fdb_transaction_set_option(FdbTransaction*, int, Bytes, int) { return 0; }

PARTITA_EXPORT FdbFuture* fdb_transaction_get_read_version(FdbTransaction* transaction) {
  return ask([state = transaction->state](Answer& answer) {
    answer.code = state->look();
    answer.number = state->moment.value_or(0);
  });
}

PARTITA_EXPORT FdbFuture* fdb_transaction_get(FdbTransaction* transaction, Bytes key, int size, int snapshot) {
  return ask([state = transaction->state, name = text(key, size), snapshot](Answer& answer) {
    answer.code = state->look();
    if (snapshot == 0) state->relied_on.push_back(only(name));
    const auto row = cluster().rows.find(name);
    if (answer.code != 0 || row == cluster().rows.end()) return;
    const std::string* const value = Cluster::at(row->second, *state->moment);
    if (value != nullptr) answer.value = *value;
  });
}

PARTITA_EXPORT FdbFuture* fdb_transaction_get_range(FdbTransaction* transaction, Bytes begin, int begin_size,
                                                    int begin_or_equal, int begin_offset, Bytes end, int end_size,
                                                    int end_or_equal, int end_offset, int limit, int target_bytes,
                                                    int mode, int, int snapshot, int reverse) {
  if (begin_or_equal != 0 || begin_offset != 1 || end_or_equal != 0 || end_offset != 1) misuse("no such selector");
  if (mode != 0 || limit <= 0 || snapshot == 0) misuse("no such range");
  const Wanted wanted{{text(begin, begin_size), text(end, end_size)}, limit, target_bytes, reverse != 0};
  return ask([state = transaction->state, wanted](Answer& answer) { answer.code = read(*state, wanted, answer); });
}

PARTITA_EXPORT FdbFuture* fdb_transaction_get_estimated_range_size_bytes(FdbTransaction* transaction, Bytes begin,
                                                                         int begin_size, Bytes end, int end_size) {
  const Wanted wanted{{text(begin, begin_size), text(end, end_size)}, 0, 0, false};
  return ask([state = transaction->state, wanted](Answer& answer) {
    answer.code = read(*state, wanted, answer);
    for (const auto& [key, value] : answer.pairs) answer.number += static_cast<int64_t>(key.size() + value.size());
  });
}

PARTITA_EXPORT void fdb_transaction_set(FdbTransaction* transaction, Bytes key, int key_size, Bytes value,
                                        int value_size) {
  transaction->state->changes.push_back({Change::Kind::kSet, text(key, key_size), text(value, value_size)});
}
PARTITA_EXPORT void fdb_transaction_clear(FdbTransaction* transaction, Bytes key, int key_size) {
  const Span one = only(text(key, key_size));
  transaction->state->changes.push_back({Change::Kind::kClear, one.begin, one.end});
}
PARTITA_EXPORT void fdb_transaction_clear_range(FdbTransaction* transaction, Bytes begin, int begin_size, Bytes end,
                                                int end_size) {
  transaction->state->changes.push_back({Change::Kind::kClear, text(begin, begin_size), text(end, end_size)});
}
PARTITA_EXPORT void fdb_transaction_atomic_op(FdbTransaction* transaction, Bytes key, int key_size, Bytes value,
                                              int value_size, int operation) {
  Change change{Change::Kind::kStampedKey, text(key, key_size), text(value, value_size)};
  if (operation == kVersionstampedValue) {
    const bool is_metadata = change.key == kMetadataVersion && change.value == std::string(14, '\0');
    if (!is_metadata) misuse("no such value with a stamp");
    change.kind = Change::Kind::kStampedValue;
  } else if (operation != kVersionstampedKey) {
    misuse("no such operation");
  }
  transaction->state->changes.push_back(std::move(change));
}
PARTITA_EXPORT int fdb_transaction_add_conflict_range(FdbTransaction* transaction, Bytes begin, int begin_size,
                                                      Bytes end, int end_size, int type) {
  if (type != kReadConflict) misuse("no such conflict");
  transaction->state->relied_on.push_back({text(begin, begin_size), text(end, end_size)});
  return 0;
}
PARTITA_EXPORT FdbFuture* fdb_transaction_commit(FdbTransaction* transaction) {
  return ask([state = transaction->state](Answer& answer) { answer.code = commit(*state); });
}
PARTITA_EXPORT FdbFuture* fdb_transaction_on_error(FdbTransaction* transaction, int code) {
  const bool again = code == kTooOld || code == kFromTheFuture || code == kConflict || code == kUnknown;
  if (again) transaction->state = std::make_shared<State>();
  return ask([again, code](Answer& answer) { answer.code = again ? 0 : code; });
}

PARTITA_EXPORT void fdb_future_destroy(FdbFuture* future) { delete future; }
PARTITA_EXPORT int fdb_future_is_ready(FdbFuture* future) {
  std::lock_guard lock(future->answer->mutex);
  return future->answer->is_ready ? 1 : 0;
}
PARTITA_EXPORT int fdb_future_get_error(FdbFuture* future) {
  std::lock_guard lock(future->answer->mutex);
  if (!future->answer->is_ready) misuse("a future that is not ready was asked");
  return future->answer->code;
}
PARTITA_EXPORT int fdb_future_set_callback(FdbFuture* future, void (*callback)(FdbFuture*, void*), void* with) {
  std::unique_lock lock(future->answer->mutex);
  if (!future->answer->is_ready) {
    future->answer->callback = callback;
    future->answer->with = with;
    return 0;
  }
  lock.unlock();
  callback(future, with);
  return 0;
}
PARTITA_EXPORT int fdb_future_get_value(FdbFuture* future, int* present, Bytes* value, int* size) {
  const Answer& answer = *future->answer;
  *present = answer.value ? 1 : 0;
  if (!answer.value) return answer.code;
  *value = reinterpret_cast<Bytes>(answer.value->data());
  *size = static_cast<int>(answer.value->size());
  return answer.code;
}
PARTITA_EXPORT int fdb_future_get_keyvalue_array(FdbFuture* future, const FdbKeyValue** rows, int* count, int* more) {
  const Answer& answer = *future->answer;
  *rows = reinterpret_cast<const FdbKeyValue*>(answer.rows.data());
  *count = static_cast<int>(answer.rows.size());
  *more = answer.more ? 1 : 0;
  return answer.code;
}
PARTITA_EXPORT int fdb_future_get_int64(FdbFuture* future, int64_t* number) {
  *number = future->answer->number;
  return future->answer->code;
}
}
