// What FoundationDB alone does with rows of the same sizes, driven by its C client: the other end of the comparison.
//
//   foundationdb_baseline CLUSTER_FILE fill
//   foundationdb_baseline CLUSTER_FILE put|get|query IN_FLIGHT SECONDS
//
// `put` sets a row of 300 bytes and commits, `get` reads one, `query` reads a range of 50 rows of 1 KiB: a transaction
// each, so many of them at any time, all from the callbacks of the client's one thread. Prints one line of JSON.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engines/foundationdb/attempt.h"
#include "engines/foundationdb/client.h"

namespace {

using namespace partita::foundationdb;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kItems = 10'000;
constexpr uint64_t kCollections = 40;
constexpr uint64_t kCollectionItems = 50;
constexpr size_t kItemBytes = 300;
constexpr size_t kLineBytes = 1024;
constexpr uint64_t kFilledAtOnce = 500;

void must(int code) {
  if (code == 0) return;
  std::fprintf(stderr, "foundationdb_baseline: %s\n", client().get_error(code));
  std::_Exit(1);
}

const uint8_t* bytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }
int length(std::string_view text) { return static_cast<int>(text.size()); }

std::string key(char kind, uint64_t number) {
  char text[64];
  const int written = std::snprintf(text, sizeof(text), "direct/%c-%010llu-partition-key", kind,
                                    static_cast<unsigned long long>(number));
  return std::string(text, static_cast<size_t>(written));
}

// Text that does not compress to nothing.
std::string value(size_t length, uint64_t seed) {
  std::string text(length, ' ');
  for (char& letter : text) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    letter = static_cast<char>('a' + (seed >> 33) % 26);
  }
  return text;
}

void set(FdbTransaction* transaction, const std::string& name, const std::string& what) {
  client().transaction_set(transaction, bytes(name), length(name), bytes(what), length(what));
}

// Its code.
int wait_for(FdbFuture* future) {
  while (client().future_is_ready(future) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const int code = client().future_get_error(future);
  client().future_destroy(future);
  return code;
}

void fill_rows(FdbDatabase* database, char kind, uint64_t count, size_t length) {
  for (uint64_t first = 0; first < count; first += kFilledAtOnce) {
    FdbTransaction* transaction = nullptr;
    must(client().database_create_transaction(database, &transaction));
    int code = 0;
    do {
      for (uint64_t n = first; n < first + kFilledAtOnce && n < count; ++n)
        set(transaction, key(kind, n), value(length, n));
      code = wait_for(client().transaction_commit(transaction));
      if (code != 0) must(wait_for(client().transaction_on_error(transaction, code)));
    } while (code != 0);
    client().transaction_destroy(transaction);
  }
}

std::atomic<bool> stopping{false};
std::atomic<uint64_t> finished{0};
std::atomic<int> left{0};

// One after the other, for ever.
class Client {
 public:
  Client(FdbDatabase* database, std::string_view what, uint64_t seed)
      : database_(database), what_(what), seed_(seed), item_(value(kItemBytes, seed)) {}

  void begin() {
    if (transaction_ != nullptr) client().transaction_destroy(transaction_);
    transaction_ = nullptr;
    if (stopping) {
      --left;
      return;
    }
    must(client().database_create_transaction(database_, &transaction_));
    ask();
  }

 private:
  static const partita::foundationdb::Client& client() { return partita::foundationdb::client(); }

  uint64_t below(uint64_t bound) {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return (seed_ >> 33) % bound;
  }

  void ask() {
    if (what_ == "put") {
      set(transaction_, key('i', below(kItems)), item_);
      future_ = client().transaction_commit(transaction_);
    } else if (what_ == "get") {
      const std::string name = key('i', below(kItems));
      future_ = client().transaction_get(transaction_, bytes(name), length(name), 1);
    } else {
      const uint64_t first = below(kCollections) * kCollectionItems;
      const std::string from = key('l', first);
      const std::string to = key('l', first + kCollectionItems);
      future_ = client().transaction_get_range(transaction_, bytes(from), length(from), 0, 1, bytes(to), length(to), 0,
                                               1, static_cast<int>(kCollectionItems), 0, kStreamExact, 1, 1, 0);
    }
    must(client().future_set_callback(future_, &Client::answered, this));
  }

  static void answered(FdbFuture* future, void* asked) {
    auto* const self = static_cast<Client*>(asked);
    const int code = client().future_get_error(future);
    if (self->pauses_) {
      must(code);
    } else if (code == 0) {
      self->check();
      ++finished;
    } else {
      client().future_destroy(future);
      self->pauses_ = true;
      self->future_ = client().transaction_on_error(self->transaction_, code);
      must(client().future_set_callback(self->future_, &Client::answered, self));
      return;
    }
    self->pauses_ = false;
    client().future_destroy(future);
    self->begin();
  }

  void check() const {
    if (what_ == "put") return;
    int found = 0;
    if (what_ == "get") {
      const uint8_t* text = nullptr;
      int found_bytes = 0;
      must(client().future_get_value(future_, &found, &text, &found_bytes));
    } else {
      const FdbKeyValue* rows = nullptr;
      int more = 0;
      must(client().future_get_keyvalue_array(future_, &rows, &found, &more));
      found = found == static_cast<int>(kCollectionItems) ? 1 : 0;
    }
    if (found != 1) {
      std::fprintf(stderr, "foundationdb_baseline: rows are missing: fill first\n");
      std::_Exit(1);
    }
  }

  FdbDatabase* const database_;
  const std::string_view what_;
  uint64_t seed_;
  const std::string item_;
  FdbTransaction* transaction_ = nullptr;
  FdbFuture* future_ = nullptr;
  bool pauses_ = false;
};

void measure(FdbDatabase* database, std::string_view what, int in_flight, double seconds) {
  std::vector<std::unique_ptr<Client>> clients;
  left = in_flight;
  for (int i = 0; i < in_flight; ++i) {
    clients.push_back(std::make_unique<Client>(database, what, static_cast<uint64_t>(i) * 7919 + 1));
  }
  const auto began = Clock::now();
  for (const auto& one : clients) one->begin();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const uint64_t count = finished;
  const double took = std::chrono::duration<double>(Clock::now() - began).count();
  stopping = true;
  while (left > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::printf("{\"operation\": \"%.*s\", \"in_flight\": %d, \"per_second\": %.1f}\n", static_cast<int>(what.size()),
              what.data(), in_flight, static_cast<double>(count) / took);
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count > 2 ? words[2] : "";
  const bool measures = count == 5 && (what == "put" || what == "get" || what == "query");
  if (!measures && !(count == 3 && what == "fill")) {
    std::fprintf(stderr, "usage: foundationdb_baseline CLUSTER_FILE fill | put|get|query IN_FLIGHT SECONDS\n");
    return 2;
  }
  // As the engine opens it, so nothing waits for ever, and the client's thread ends before what the client has made.
  const auto database = Cluster::open(words[1]);
  if (!database.ok()) {
    std::fprintf(stderr, "foundationdb_baseline: %s\n", std::string(database.error().sentence()).c_str());
    return 1;
  }
  if (measures) {
    measure(database->handle(), what, std::atoi(words[3]), std::atof(words[4]));
  } else {
    fill_rows(database->handle(), 'i', kItems, kItemBytes);
    fill_rows(database->handle(), 'l', kCollections * kCollectionItems, kLineBytes);
  }
  return 0;
}
