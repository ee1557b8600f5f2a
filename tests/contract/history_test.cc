// Concurrent transactions. Whatever they do, the log has to tell a story that a store with one caller would tell too:
// replayed in the order of the log on the memory engine, every transaction sees what it saw and the end is the same.
#include <algorithm>
#include <atomic>
#include <future>
#include <numeric>
#include <thread>

#include "base/bytes.h"
#include "contract.h"
#include "engines/memory/memory_engine.h"

namespace partita::contract {
namespace {

using namespace storage;

using Strings = std::vector<std::string>;

constexpr char kTopic[] = "history";

// What one transaction is going to do, decided beforehand so that its Decide is pure.
struct Plan {
  std::vector<std::string> reads;
  std::vector<std::string> compares;
  std::vector<std::pair<std::string, std::optional<std::string>>> writes;
  bool refuse_when_first_is_present = false;
};

Plan make_plan(Random& random, const std::string& id, uint64_t key_count) {
  const auto some_key = [&] { return "key" + std::to_string(random.below(key_count)); };
  Plan plan;
  const uint64_t reads = random.below(5);
  for (uint64_t i = 0; i < reads; ++i) {
    const std::string name = some_key();
    if (std::find(plan.reads.begin(), plan.reads.end(), name) == plan.reads.end()) plan.reads.push_back(name);
  }
  for (uint64_t compares = random.below(3); compares > 0; --compares) {
    const std::string name = some_key();
    if (std::ranges::find(plan.compares, name) == plan.compares.end()) plan.compares.push_back(name);
  }
  plan.refuse_when_first_is_present = random.below(5) == 0;
  const uint64_t writes = random.below(4);
  for (uint64_t i = 0; i < writes; ++i) {
    // Two of three go to a key that was read, the others are blind.
    const std::string name =
        plan.reads.empty() || random.below(3) == 0 ? some_key() : plan.reads[i % plan.reads.size()];
    plan.writes.emplace_back(name, std::nullopt);
    if (random.below(4) != 0) plan.writes.back().second = id + "." + std::to_string(i);
  }
  return plan;
}

void append_optional(std::string& out, const std::optional<std::string>& value) {
  append_sized(out, value ? "+" + *value : "-");
}

std::optional<std::string> take_optional(std::string_view& in) {
  const std::string_view text = take_sized(in).value();
  return text.front() == '+' ? std::optional(std::string(text.substr(1))) : std::nullopt;
}

using Assumed = std::vector<std::pair<std::string, std::optional<Record>>>;

// What the plan's compared keys are now, as anybody would see it.
Assumed look_up(Engine& engine, const Plan& plan) {
  Assumed assumed;
  for (const std::string& name : plan.compares) assumed.emplace_back(name, get(engine, name));
  return assumed;
}

std::vector<Compare> compare_of(const Assumed& assumed) {
  std::vector<Compare> compare;
  for (const auto& [name, record] : assumed) {
    compare.push_back({key(name), record ? std::optional(record->version) : std::nullopt});
  }
  return compare;
}

// A log entry: the id, what was assumed and read, what was written. No two writes carry the same value, so that a value
// stands for its version.
std::string describe(const std::string& id, const Plan& plan, const Assumed& assumed,
                     std::span<const Record* const> found) {
  std::string out;
  append_sized(out, id);
  append_varint(out, plan.reads.size() + assumed.size());
  for (const auto& [name, record] : assumed) {
    append_sized(out, name);
    append_optional(out, record ? std::optional(record->value) : std::nullopt);
  }
  for (size_t i = 0; i < plan.reads.size(); ++i) {
    append_sized(out, plan.reads[i]);
    append_optional(out, found[i] ? std::optional(found[i]->value) : std::nullopt);
  }
  append_varint(out, plan.writes.size());
  for (const auto& [name, value] : plan.writes) {
    append_sized(out, name);
    append_optional(out, value);
  }
  return out;
}

Outcome run(Engine& engine, const std::string& id, const Plan& plan) {
  const Assumed assumed = look_up(engine, plan);
  const Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    if (plan.refuse_when_first_is_present && !plan.reads.empty() && found[0] != nullptr) return Decision::kRefuse;
    for (const auto& [name, value] : plan.writes) value ? changes.put(key(name), *value) : changes.erase(key(name));
    changes.append(kTopic, describe(id, plan, assumed, found));
    return Decision::kCommit;
  };
  return transact(engine, plan.reads, decide, compare_of(assumed));
}

// Checks the entry against the oracle and applies it there; returns its id.
std::string replay(Engine& oracle, std::string_view entry) {
  const std::string id(take_sized(entry).value());
  for (uint64_t reads = take_varint(entry).value(); reads > 0; --reads) {
    const std::string name(take_sized(entry).value());
    EXPECT_EQ(take_optional(entry), value_of(oracle, name)) << id << " read " << name;
  }
  for (uint64_t writes = take_varint(entry).value(); writes > 0; --writes) {
    const std::string name(take_sized(entry).value());
    const std::optional<std::string> value = take_optional(entry);
    value ? put(oracle, name, *value) : erase(oracle, name);
  }
  return id;
}

std::vector<std::pair<std::string, std::string>> rows_of(Engine& engine, Direction direction, size_t page_rows) {
  std::vector<std::pair<std::string, std::string>> rows;
  Range range;
  for (;;) {
    const Page page = scan(engine, range, direction, page_rows);
    for (size_t i = 0; i < page.size(); ++i) rows.emplace_back(page[i].key, page[i].value);
    if (!page.more) return rows;
    (direction == Direction::kAscending ? range.begin : range.end) = rows.back().first;
    if (direction == Direction::kAscending) range.begin.push_back('\0');
  }
}

// Reads the log while it grows; what it saw must be the log's beginning, with nothing skipped.
std::vector<std::string> follow_log(Engine& engine, const std::atomic<bool>& finished) {
  std::vector<std::string> seen;
  Position after{};
  for (bool last = false; !last;) {
    last = finished;
    const auto news = read_log(engine, kTopic, after, 7);
    if (!news.empty()) last = false;
    for (const LogEntry& entry : news) seen.push_back(entry.entry);
    if (!news.empty()) after = news.back().position;
  }
  return seen;
}

class History : public EngineTest {};
PARTITA_EVERY_ENGINE(History);

TEST_P(History, ReplayedInLogOrderGivesTheSame) {
  const uint64_t start_seed = seed();
  const uint64_t threads = setting("PARTITA_THREADS", 8);
  const uint64_t each = setting("PARTITA_TRANSACTIONS", 300);
  std::vector<std::vector<std::string>> committed(threads);
  std::atomic<bool> finished{false};
  auto followed = std::async(std::launch::async, [&] { return follow_log(engine(), finished); });
  std::vector<std::thread> running;
  for (uint64_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      SeededRandom random(start_seed * 1000 + t);
      for (uint64_t i = 0; i < each; ++i) {
        const std::string id = std::to_string(t) + "/" + std::to_string(i);
        const Plan plan = make_plan(random, id, 12);
        if (run(engine(), id, plan) == Outcome::kCommitted) committed[t].push_back(id);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  finished = true;

  const std::unique_ptr<Engine> oracle = open_memory_engine();
  std::vector<std::vector<std::string>> logged(threads);
  const std::vector<std::string> log = entries_of(read_log(engine(), kTopic));
  for (const std::string& entry : log) {
    const std::string id = replay(*oracle, entry);
    logged[std::stoul(id)].push_back(id);
  }
  // One entry for each commit, in each caller's own order, and none for a refusal.
  EXPECT_EQ(logged, committed);
  EXPECT_EQ(followed.get(), log);
  const auto expected = rows_of(*oracle, Direction::kAscending, 5);
  EXPECT_EQ(rows_of(engine(), Direction::kAscending, 3), expected);
  auto descending = rows_of(engine(), Direction::kDescending, 3);
  std::reverse(descending.begin(), descending.end());
  EXPECT_EQ(descending, expected);
}

int sum_of_scan(Engine& engine) {
  const Page page = scan(engine, {"account", "accounu"}, Direction::kAscending);
  int sum = 0;
  for (size_t i = 0; i < page.size(); ++i) sum += std::stoi(std::string(page[i].value));
  return sum;
}

int sum_of_read(Engine& engine, int accounts) {
  std::vector<Key> keys;
  for (int i = 0; i < accounts; ++i) keys.push_back(key("account" + std::to_string(i)));
  const auto records = wait_for(engine.read(keys));
  int sum = 0;
  for (const auto& record : records.value()) sum += std::stoi(record->value);
  return sum;
}

TEST_P(History, MoneyIsNeitherMadeNorLost) {
  constexpr int kAccounts = 10;
  constexpr int kStart = 100;
  const uint64_t start_seed = seed();
  for (int i = 0; i < kAccounts; ++i) put(engine(), "account" + std::to_string(i), std::to_string(kStart));
  std::atomic<bool> finished{false};
  std::atomic<int> wrong{0};
  std::thread auditor([&] {
    while (!finished) {
      if (sum_of_scan(engine()) != kAccounts * kStart) ++wrong;
      if (sum_of_read(engine(), kAccounts) != kAccounts * kStart) ++wrong;
    }
  });
  std::vector<std::thread> running;
  for (uint64_t t = 0; t < 4; ++t) {
    running.emplace_back([&, t] {
      SeededRandom random(start_seed + t);
      for (int i = 0; i < 200; ++i) {
        const uint64_t from = random.below(kAccounts);
        const uint64_t to = (from + 1 + random.below(kAccounts - 1)) % kAccounts;
        const std::vector<std::string> names{"account" + std::to_string(from), "account" + std::to_string(to)};
        const int amount = static_cast<int>(random.below(60));
        transact(engine(), names, [&](std::span<const Record* const> found, Changes& changes) {
          const int balance = std::stoi(found[0]->value);
          if (balance < amount) return Decision::kRefuse;
          changes.put(key(names[0]), std::to_string(balance - amount));
          changes.put(key(names[1]), std::to_string(std::stoi(found[1]->value) + amount));
          return Decision::kCommit;
        });
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  finished = true;
  auditor.join();
  EXPECT_EQ(wrong, 0);
  const Page page = scan(engine(), {"account", "accounu"}, Direction::kAscending);
  for (size_t i = 0; i < page.size(); ++i) EXPECT_GE(std::stoi(std::string(page[i].value)), 0);
  EXPECT_EQ(sum_of_scan(engine()), kAccounts * kStart);
}

Decision increment(std::span<const Record* const> found, Changes& changes) {
  const int count = found[0] == nullptr ? 0 : std::stoi(found[0]->value);
  changes.put(key("counter"), std::to_string(count + 1));
  return Decision::kCommit;
}

TEST_P(History, NoIncrementOfAHotKeyIsLost) {
  std::vector<std::thread> running;
  for (int t = 0; t < 8; ++t) {
    running.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(transact(engine(), {"counter"}, increment), Outcome::kCommitted);
        // What was acknowledged is seen by whoever reads next.
        EXPECT_GE(std::stoi(value_of(engine(), "counter").value_or("0")), i + 1);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(value_of(engine(), "counter"), "800");
}

// Many transactions of one caller under way at once: each sees the one before it, durable or not.
TEST_P(History, ALaterTransactionSeesEarlierPendingOnes) {
  constexpr int kCalls = 2000;
  std::promise<void> finished;
  std::atomic<int> left{kCalls};
  std::atomic<int> failed{0};
  std::vector<int> seen;
  auto done = [&](Result<Outcome> outcome) {
    if (!outcome.ok() || outcome.value() != Outcome::kCommitted) ++failed;
    if (--left == 0) finished.set_value();
  };
  LoopThread loop;
  loop.post([&] {
    for (int i = 0; i < kCalls; ++i) {
      std::vector<Key> keys{key("counter")};
      const Decide decide = increment;
      std::vector<Compare> compare;
      start(engine().transact(std::move(keys), std::move(compare), decide), done);
    }
  });
  finished.get_future().wait();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(value_of(engine(), "counter"), std::to_string(kCalls));
}

// Blind writes of several keys in opposite orders: no deadlock, and no mixture.
TEST_P(History, BlindWritesAreAtomic) {
  std::vector<std::thread> running;
  for (int t = 0; t < 4; ++t) {
    running.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        transact(engine(), {"seen" + std::to_string(t % 2)}, [&](auto, Changes& changes) {
          const std::string value = std::to_string(t) + "." + std::to_string(i);
          for (int k = 0; k < 20; ++k) changes.put(key("blind" + std::to_string(t % 2 == 0 ? k : 19 - k)), value);
          return Decision::kCommit;
        });
        const Page page = scan(engine(), {"blind", "bline"}, Direction::kAscending);
        for (size_t k = 1; k < page.size(); ++k) EXPECT_EQ(page[k].value, page[0].value);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
}

// Erased while it is put, unseen by both: whichever is the later in the log has the last word.
TEST_P(History, BlindErasuresAreOrderedToo) {
  for (int round = 0; round < 60; ++round) {
    const std::string name = "k" + std::to_string(round);
    std::vector<std::thread> running;
    for (const bool puts : {true, false, true, false}) {
      running.emplace_back([&, puts] {
        transact(engine(), {}, [&](auto, Changes& changes) {
          puts ? changes.put(key(name), "put") : changes.erase(key(name));
          changes.append(name, puts ? "put" : "");
          return Decision::kCommit;
        });
      });
    }
    for (std::thread& thread : running) thread.join();
    const Strings log = entries_of(read_log(engine(), name));
    ASSERT_EQ(log.size(), 4u);
    ASSERT_EQ(value_of(engine(), name).value_or(""), log.back()) << "round " << round;
  }
}

}  // namespace
}  // namespace partita::contract
