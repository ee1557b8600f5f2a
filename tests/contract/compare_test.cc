// Compared versions, and what is too large: the two ways in which an engine itself says no.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "contract.h"
#include "longest_topic.h"

namespace partita::contract {
namespace {

using namespace storage;

class CompareKeys : public EngineTest {
 protected:
  // Writes `name` if `compared` is as assumed.
  Outcome write_if(const std::string& name, const std::string& compared, std::optional<Version> assumed,
                   Decision decision = Decision::kCommit) {
    return write_if_all(name, {{key(compared), assumed}}, decision);
  }
  Outcome write_if_all(const std::string& name, std::vector<Compare> compare, Decision decision = Decision::kCommit) {
    const Decide decide = [&](auto, Changes& changes) {
      changes.put(key(name), "written");
      changes.append("writes", name);
      return decision;
    };
    return transact(engine(), {name}, decide, std::move(compare));
  }
  Version version_of(const std::string& name) { return get(engine(), name)->version; }
};
PARTITA_EVERY_ENGINE(CompareKeys);

TEST_P(CompareKeys, CommitsWhenAllIsAsAssumed) {
  put(engine(), "present", "1");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(write_if("a", "present", version_of("present")), Outcome::kCommitted);
    EXPECT_EQ(write_if("b", "absent", std::nullopt), Outcome::kCommitted);
  }
  EXPECT_EQ(read_log(engine(), "writes").size(), 6u);
}

TEST_P(CompareKeys, IsStaleAndChangesNothingOtherwise) {
  put(engine(), "d", "1");
  const Version first = version_of("d");
  EXPECT_EQ(write_if("a", "d", first), Outcome::kCommitted);
  erase(engine(), "a");
  put(engine(), "d", "1");
  EXPECT_EQ(write_if("a", "d", first), Outcome::kStale);
  EXPECT_EQ(write_if("a", "d", std::nullopt), Outcome::kStale);
  erase(engine(), "d");
  EXPECT_EQ(write_if("a", "d", first), Outcome::kStale);
  EXPECT_EQ(write_if("a", "d", std::nullopt), Outcome::kCommitted);
  erase(engine(), "a");
  put(engine(), "d", "1");
  EXPECT_EQ(write_if("a", "d", std::nullopt), Outcome::kStale);
  EXPECT_EQ(value_of(engine(), "a"), std::nullopt);
  EXPECT_EQ(read_log(engine(), "writes").size(), 2u);
}

TEST_P(CompareKeys, AnErasedRangeMakesStaleToo) {
  put(engine(), "d1", "1");
  const Version version = version_of("d1");
  EXPECT_EQ(write_if("a", "d1", version), Outcome::kCommitted);
  ASSERT_TRUE(wait_for(engine().erase_range({"d", "e"})).ok());
  EXPECT_EQ(write_if("a", "d1", version), Outcome::kStale);
  EXPECT_EQ(write_if("a", "d1", std::nullopt), Outcome::kCommitted);
}

TEST_P(CompareKeys, ARefusalOnStaleAssumptionsIsStale) {
  put(engine(), "d", "1");
  const Version first = version_of("d");
  EXPECT_EQ(write_if("a", "d", first, Decision::kRefuse), Outcome::kRefused);
  put(engine(), "d", "2");
  EXPECT_EQ(write_if("a", "d", first, Decision::kRefuse), Outcome::kStale);
}

// Whoever may name tables may look for such names.
TEST_P(CompareKeys, TwoKeysWithOneHashAreTwo) {
  const std::string zeroes_what_follows("\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe");
  const std::string one = zeroes_what_follows + "onetable" + std::string(16, '.');
  const std::string other = zeroes_what_follows + "another." + std::string(16, '.');
  ASSERT_EQ(hash64(one), hash64(other));
  put(engine(), one, "1");
  put(engine(), other, "1");
  const auto outcome = [&] {
    return write_if_all("a", {{key(one), version_of(one)}, {key(other), version_of(other)}});
  };
  EXPECT_EQ(outcome(), Outcome::kCommitted);
  const Version first = version_of(one);
  put(engine(), one, "2");
  EXPECT_EQ(outcome(), Outcome::kCommitted);
  EXPECT_EQ(write_if_all("a", {{key(one), first}, {key(other), version_of(other)}}), Outcome::kStale);
}

TEST_P(CompareKeys, OneOfManyIsEnough) {
  std::vector<Compare> compare;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "d" + std::to_string(i);
    put(engine(), name, "1");
    compare.push_back({key(name), version_of(name)});
  }
  const Decide decide = [](auto, Changes& changes) { return changes.put(key("a"), "1"), Decision::kCommit; };
  EXPECT_EQ(transact(engine(), {}, decide, compare), Outcome::kCommitted);
  put(engine(), "d3", "2");
  EXPECT_EQ(transact(engine(), {}, decide, compare), Outcome::kStale);
}

// What a transaction writes may be what it compares, and its version is what the next one has to assume.
TEST_P(CompareKeys, AChainOfVersionsNeedsNoRead) {
  std::optional<Version> known;
  for (int i = 0; i < 5; ++i) {
    Version next{};
    const Decide decide = [&](auto, Changes& changes) {
      changes.put(key("d"), std::to_string(i));
      return Decision::kCommit;
    };
    EXPECT_EQ(transact(engine(), {"d"}, decide, {{key("d"), known}}, &next), Outcome::kCommitted);
    EXPECT_EQ(transact(engine(), {"d"}, decide, {{key("d"), known}}, &next), Outcome::kStale);
    known = next;
  }
}

// One caller changes a description, others write by it, as servers with a cache of it do: each write stands in the log
// behind the description that it was made by and before the next one. Whoever is told stale finds a new one at once.
TEST_P(CompareKeys, WritesAreOrderedAgainstTheChangeOfWhatTheyCompare) {
  constexpr int kChanges = 60;
  std::atomic<bool> finished{false};
  std::atomic<int> committed{0};
  put(engine(), "d", "0");
  append(engine(), "t", "d0");
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&, t] {
      const std::string mine = "w" + std::to_string(t);
      std::optional<Record> cached = get(engine(), "d");
      while (!finished) {
        const Decide decide = [&](auto, Changes& changes) {
          changes.put(key(mine), cached->value);
          changes.append("t", "w" + cached->value);
          return Decision::kCommit;
        };
        if (transact(engine(), {mine}, decide, {{key("d"), cached->version}}) == Outcome::kCommitted) {
          ++committed;
          std::this_thread::sleep_for(std::chrono::microseconds(10));  // the log is read whole
          continue;
        }
        const Version old = std::exchange(cached, get(engine(), "d"))->version;
        EXPECT_NE(cached->version, old);
      }
    });
  }
  for (int i = 1; i <= kChanges; ++i) {
    const int target = committed + 3;
    while (committed < target) std::this_thread::yield();
    transact(engine(), {"d"}, [&](auto, Changes& changes) {
      changes.put(key("d"), std::to_string(i));
      changes.append("t", "d" + std::to_string(i));
      return Decision::kCommit;
    });
  }
  finished = true;
  for (std::thread& writer : writers) writer.join();
  std::string now;
  int writes = 0;
  for (const std::string& entry : entries_of(read_log(engine(), "t"))) {
    if (entry.front() == 'd') now = entry.substr(1);
    if (entry.front() == 'w') ++writes;
    ASSERT_EQ(entry.substr(1), now);
  }
  EXPECT_EQ(now, std::to_string(kChanges));
  EXPECT_EQ(writes, committed);
}

class Sizes : public EngineTest {
 protected:
  void expect_too_large(const Decide& decide) {
    const auto outcome = wait_for(blind(engine(), decide));
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().kind(), ErrorKind::kTooLarge);
    EXPECT_TRUE(scan(engine(), {"", ""}, Direction::kAscending).empty());
    EXPECT_TRUE(read_log(engine(), "t").empty());
  }
  // Fills a transaction up to `bytes`.
  static void fill(const Limits& limits, size_t bytes, Changes& changes) {
    for (int i = 0; bytes > 0; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      const size_t size = std::min(limits.record_bytes, bytes - 1);
      changes.put(key(name), std::string(size, 'v'));
      bytes -= 1 + size;
    }
  }
};
PARTITA_EVERY_ENGINE(Sizes);

TEST_P(Sizes, WhatIsOverALimitChangesNothing) {
  const Limits limits = engine().limits();
  EXPECT_TRUE(engine().health().ok());
  expect_too_large([&](auto, Changes& changes) {
    changes.put(key("small"), "1");
    changes.put(key(std::string(limits.key_bytes + 1, 'k')), "1");
    return Decision::kCommit;
  });
  expect_too_large([&](auto, Changes& changes) {
    changes.put(key("small"), "1");
    changes.put(key("k"), std::string(limits.record_bytes + 1, 'v'));
    return Decision::kCommit;
  });
  expect_too_large([&](auto, Changes& changes) {
    changes.append("t", "1");
    changes.append("t", std::string(limits.record_bytes + 1, 'v'));
    return Decision::kCommit;
  });
  expect_too_large([&](auto, Changes& changes) {
    changes.append("t", "1");
    changes.append(std::string(longest_topic(engine()) + 1, 't'), "1");
    return Decision::kCommit;
  });
  expect_too_large([&](auto, Changes& changes) {
    fill(limits, limits.transaction_bytes + 1, changes);
    return Decision::kCommit;
  });
  const Decide nothing = [](auto, Changes&) { return Decision::kCommit; };
  const Key long_key = key(std::string(limits.key_bytes + 1, 'k'));
  EXPECT_EQ(wait_for(engine().transact({long_key}, {}, nothing)).error().kind(), ErrorKind::kTooLarge);
  EXPECT_EQ(wait_for(engine().transact({}, {{long_key, {}}}, nothing)).error().kind(), ErrorKind::kTooLarge);
  EXPECT_TRUE(engine().health().ok());
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kLargest =
    size_t{32} << 20;  // a sanitizer makes more take longer than an engine waits for its database
#else
constexpr size_t kLargest = SIZE_MAX;
#endif

TEST_P(Sizes, WhatIsAtTheLimitsFits) {
  const Limits limits = engine().limits();
  const size_t bytes = std::min(limits.transaction_bytes, kLargest);
  transact(engine(), {std::string(limits.key_bytes, 'k')}, [&](auto, Changes& changes) {
    fill(limits, bytes, changes);
    return Decision::kCommit;
  });
  const Page page = scan(engine(), {"", ""}, Direction::kAscending, 1'000'000, kMaxPageBytes);
  EXPECT_EQ(page.bytes(), bytes);
}

}  // namespace
}  // namespace partita::contract
