// Reading, scanning and single transactions.
#include <algorithm>
#include <atomic>
#include <future>
#include <set>

#include "contract.h"

namespace partita::contract {
namespace {

using namespace storage;
using Strings = std::vector<std::string>;

class Records : public EngineTest {};
PARTITA_EVERY_ENGINE(Records);

TEST_P(Records, ReadGivesOneElementForEachKeyInOrder) {
  put(engine(), "a", "1");
  put(engine(), "c", "");
  const std::vector<Key> keys{key("c"), key("b"), key("a"), key("a")};
  const auto records = wait_for(engine().read(keys));
  ASSERT_TRUE(records.ok());
  ASSERT_EQ(records->size(), 4u);
  EXPECT_EQ(records.value()[0]->value, "");
  EXPECT_FALSE(records.value()[1].has_value());
  EXPECT_EQ(records.value()[2]->value, "1");
  EXPECT_EQ(records.value()[3]->value, "1");
  const std::vector<Key> none;
  const auto nothing = wait_for(engine().read(none));
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE(nothing->empty());
}

TEST_P(Records, ManyKeysAreReadAtOnce) {
  std::vector<Key> keys;
  for (int i = 0; i < 500; ++i) {
    keys.push_back(key("k" + std::to_string(i)));
    if (i % 3 != 0) put(engine(), keys.back().bytes, std::to_string(i));
  }
  const auto records = wait_for(engine().read(keys));
  ASSERT_TRUE(records.ok());
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(records.value()[i].has_value(), i % 3 != 0);
    if (i % 3 == 0) continue;
    EXPECT_EQ(records.value()[i]->value, std::to_string(i));
  }
}

TEST_P(Records, AnyBytesAreKeysAndValues) {
  const std::string zeros("\0\0\xff\0", 4);
  const std::string big(3 << 20, 'v');
  const std::string longest(engine().limits().key_bytes, 'k');
  put(engine(), zeros, zeros);
  put(engine(), "", "empty key");
  put(engine(), longest, big);
  EXPECT_EQ(value_of(engine(), zeros), zeros);
  EXPECT_EQ(value_of(engine(), ""), "empty key");
  EXPECT_EQ(value_of(engine(), longest), big);
}

TEST_P(Records, EveryTransactionHasAnotherVersionAndTellsIt) {
  std::set<Version> seen;
  for (int i = 0; i < 50; ++i) {
    put(engine(), i % 2 == 0 ? "a" : "b", "same");
    EXPECT_TRUE(seen.insert(get(engine(), i % 2 == 0 ? "a" : "b")->version).second);
  }
  const Decide both = [](auto, Changes& changes) {
    changes.put(key("x"), "1");
    changes.put(key("y"), "1");
    return Decision::kCommit;
  };
  Version version{};
  transact(engine(), {}, both, {}, &version);
  EXPECT_TRUE(seen.insert(version).second);
  EXPECT_EQ(get(engine(), "x")->version, version);
  EXPECT_EQ(get(engine(), "y")->version, version);
}

TEST_P(Records, ScanGoesBothWaysBetweenItsBounds) {
  for (const char* name : {"a", "b", "b\xff", "c", "d"}) put(engine(), name, name);
  EXPECT_EQ(keys_of(scan(engine(), {"", ""}, Direction::kAscending)), (Strings{"a", "b", "b\xff", "c", "d"}));
  EXPECT_EQ(keys_of(scan(engine(), {"", ""}, Direction::kDescending)), (Strings{"d", "c", "b\xff", "b", "a"}));
  EXPECT_EQ(keys_of(scan(engine(), {"b", "d"}, Direction::kAscending)), (Strings{"b", "b\xff", "c"}));
  EXPECT_EQ(keys_of(scan(engine(), {"b", "d"}, Direction::kDescending)), (Strings{"c", "b\xff", "b"}));
  EXPECT_EQ(keys_of(scan(engine(), {"bb", ""}, Direction::kDescending)), (Strings{"d", "c", "b\xff"}));
  for (const Direction direction : {Direction::kAscending, Direction::kDescending}) {
    for (const Range& range : {Range{"c", "c"}, Range{"d", "b"}, Range{"e", ""}, Range{"bb", "bc"}}) {
      const Page page = scan(engine(), range, direction);
      EXPECT_TRUE(page.empty());
      EXPECT_FALSE(page.more);
    }
  }
}

TEST_P(Records, ScanRowsCarryValuesAndVersions) {
  put(engine(), "a", "1");
  put(engine(), "b", "");
  const Page page = scan(engine(), {"", ""}, Direction::kAscending);
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[0].value, "1");
  EXPECT_EQ(page[0].version, get(engine(), "a")->version);
  EXPECT_EQ(page[1].value, "");
  EXPECT_EQ(page.bytes(), 3u);
}

TEST_P(Records, PagesEndAtTheirLimits) {
  for (int i = 0; i < 10; ++i) put(engine(), "k" + std::to_string(i), std::string(98, 'v'));  // 100 bytes each
  const Page three = scan(engine(), {"k2", "k8"}, Direction::kAscending, 3);
  EXPECT_EQ(keys_of(three), (Strings{"k2", "k3", "k4"}));
  EXPECT_TRUE(three.more);
  EXPECT_FALSE(scan(engine(), {"k2", "k8"}, Direction::kAscending, 6).more);
  EXPECT_EQ(keys_of(scan(engine(), {"", ""}, Direction::kDescending, 2)), (Strings{"k9", "k8"}));
  // The row that reaches the limit is the last.
  EXPECT_EQ(scan(engine(), {"", ""}, Direction::kAscending, 100, 300).size(), 3u);
  EXPECT_EQ(scan(engine(), {"", ""}, Direction::kAscending, 100, 301).size(), 4u);
  EXPECT_EQ(scan(engine(), {"", ""}, Direction::kAscending, 100, 0).size(), 1u);
  const Page all = scan(engine(), {"", ""}, Direction::kAscending, 100, 1000);
  EXPECT_EQ(all.size(), 10u);
  EXPECT_FALSE(all.more);
  const Page none = scan(engine(), {"", ""}, Direction::kAscending, 0);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.more);
}

TEST_P(Records, DecideSeesRecordsInTheOrderOfTheKeys) {
  put(engine(), "a", "1");
  put(engine(), "c", "3");
  const Record a = *get(engine(), "a");
  const Record c = *get(engine(), "c");
  bool right = false;
  transact(engine(), {"c", "b", "a"}, [&](std::span<const Record* const> found, Changes&) {
    right = found.size() == 3 && found[0]->value == "3" && found[0]->version == c.version && found[1] == nullptr &&
            found[2]->value == "1" && found[2]->version == a.version;
    return Decision::kCommit;
  });
  EXPECT_TRUE(right);
}

TEST_P(Records, RefusingChangesNothing) {
  put(engine(), "a", "1");
  const auto outcome = transact(engine(), {"a"}, [](auto, Changes& changes) {
    changes.put(key("a"), "2");
    changes.put(key("b"), "2");
    changes.append("topic", "entry");
    return Decision::kRefuse;
  });
  EXPECT_EQ(outcome, Outcome::kRefused);
  EXPECT_EQ(value_of(engine(), "a"), "1");
  EXPECT_FALSE(get(engine(), "b").has_value());
  EXPECT_TRUE(read_log(engine(), "topic").empty());
}

TEST_P(Records, CommittingWritesSeenAndUnseenKeys) {
  put(engine(), "gone", "x");
  const auto outcome = transact(engine(), {"a"}, [](auto, Changes& changes) {
    changes.put(key("a"), "1");
    changes.put(key("unseen"), "2");
    changes.erase(key("gone"));
    changes.erase(key("never there"));
    return Decision::kCommit;
  });
  EXPECT_EQ(outcome, Outcome::kCommitted);
  EXPECT_EQ(keys_of(scan(engine(), {"", ""}, Direction::kAscending)), (Strings{"a", "unseen"}));
}

TEST_P(Records, TheLaterChangeOfAKeyReplacesTheEarlier) {
  transact(engine(), {"a"}, [](auto, Changes& changes) {
    changes.put(key("a"), "1");
    changes.put(key("a"), "2");
    changes.put(key("b"), "1");
    changes.erase(key("b"));
    changes.erase(key("c"));
    changes.put(key("c"), "3");
    return Decision::kCommit;
  });
  EXPECT_EQ(value_of(engine(), "a"), "2");
  EXPECT_EQ(value_of(engine(), "b"), std::nullopt);
  EXPECT_EQ(value_of(engine(), "c"), "3");
}

TEST_P(Records, ATransactionOfManyKeysCommitsWhole) {
  Strings names;
  for (int i = 0; i < 300; ++i) names.push_back("k" + std::to_string(i));
  transact(engine(), names, [&](std::span<const Record* const> found, Changes& changes) {
    for (size_t i = 0; i < found.size(); ++i) {
      changes.put(key(names[i]), "v");
      changes.put(key("blind-" + names[i]), "v");
    }
    return Decision::kCommit;
  });
  EXPECT_EQ(scan(engine(), {"", ""}, Direction::kAscending).size(), 600u);
}

// Longer than an index of some databases takes.
TEST_P(Records, LongKeysAreInOrderToo) {
  const std::string head(2'600, 'h');
  Strings names{"a", head.substr(1), head, "z"};
  for (const char* tail : {"a", "aa", "b", "b\xff", "c"}) names.push_back(head + tail);
  names.push_back(head + std::string(3'000, 'a'));
  names.push_back(head + std::string(3'000, 'a') + "b");
  names.push_back(head.substr(0, 2'599) + "i");
  for (const std::string& name : names) put(engine(), name, name.substr(name.size() - 1));
  std::ranges::sort(names);
  const auto all = [&](const Range& range, Direction direction, size_t page_rows) {
    Strings keys;
    Range left = range;
    for (;;) {
      const Page page = scan(engine(), left, direction, page_rows);
      std::ranges::move(keys_of(page), std::back_inserter(keys));
      if (!page.more) return keys;
      (direction == Direction::kAscending ? left.begin : left.end) = keys.back();
      if (direction == Direction::kAscending) left.begin.push_back('\0');
    }
  };
  for (const size_t page_rows : {1u, 2u, 100u}) {
    EXPECT_EQ(all({"", ""}, Direction::kAscending, page_rows), names);
    const Strings middle(names.begin() + 2, names.end() - 3);
    EXPECT_EQ(all({names[2], names[names.size() - 3]}, Direction::kAscending, page_rows), middle);
    EXPECT_EQ(all({names[2], names[names.size() - 3]}, Direction::kDescending, page_rows),
              Strings(middle.rbegin(), middle.rend()));
  }
  EXPECT_EQ(value_of(engine(), head + "b\xff"), "\xff");
  erase(engine(), head + "b");
  ASSERT_TRUE(wait_for(engine().erase_range({head + "aa", head + "c"})).ok());
  std::erase_if(names, [&](const std::string& name) { return name >= head + "aa" && name < head + "c"; });
  EXPECT_EQ(all({"", ""}, Direction::kDescending, 3), Strings(names.rbegin(), names.rend()));
}

TEST_P(Records, EraseRangeErasesNothingElse) {
  for (const char* name : {"a", "b", "c", "d", "\xff\xff"}) put(engine(), name, "v");
  ASSERT_TRUE(wait_for(engine().erase_range({"b", "d"})).ok());
  EXPECT_EQ(keys_of(scan(engine(), {"", ""}, Direction::kAscending)), (Strings{"a", "d", "\xff\xff"}));
  ASSERT_TRUE(wait_for(engine().erase_range({"d", "b"})).ok());
  EXPECT_EQ(scan(engine(), {"", ""}, Direction::kAscending).size(), 3u);
  put(engine(), "b", "again");
  EXPECT_EQ(value_of(engine(), "b"), "again");
  ASSERT_TRUE(wait_for(engine().erase_range({"b", ""})).ok());
  EXPECT_EQ(keys_of(scan(engine(), {"", ""}, Direction::kAscending)), (Strings{"a"}));
}

TEST_P(Records, ApproximateBytesFollowsTheData) {
  const auto before = wait_for(engine().approximate_bytes({"k", "l"}));
  ASSERT_TRUE(before.ok());
  Random& random = system_random();
  for (int i = 0; i < 200; ++i) {
    std::string value;
    while (value.size() < 5000) value += std::to_string(random.next());
    put(engine(), "k" + std::to_string(i), value);
  }
  const auto after = wait_for(engine().approximate_bytes({"k", "l"}));
  ASSERT_TRUE(after.ok());
  EXPECT_GT(after.value(), before.value() + 200'000);
  EXPECT_LT(after.value(), before.value() + 10'000'000);
  const auto elsewhere = wait_for(engine().approximate_bytes({"x", ""}));
  ASSERT_TRUE(elsewhere.ok());
  EXPECT_LT(elsewhere.value(), 200'000u);
}

TEST_P(Records, ApproximateBytesOfManyRecords) {
  constexpr int kMany = 5'000;
  const auto outcome = transact(engine(), {}, [](auto, Changes& changes) {
    for (int i = 0; i < kMany; ++i) changes.put(key("k" + std::to_string(i)), std::string(100, 'v'));
    return Decision::kCommit;
  });
  ASSERT_EQ(outcome, Outcome::kCommitted);
  const auto bytes = wait_for(engine().approximate_bytes({"k", "l"}));
  ASSERT_TRUE(bytes.ok()) << bytes.error().sentence();
  EXPECT_LT(bytes.value(), 10'000'000u);
}

// Where a task goes on: on the thread of the executor that was current when it was awaited.
TEST_P(Records, ResumesThroughTheExecutorOfTheCaller) {
  LoopThread loop;
  std::atomic<int> elsewhere{0};
  constexpr int kCalls = 100;
  std::promise<void> finished;
  std::atomic<int> left{kCalls};
  auto done = [&](auto&& result) {
    if (!result.ok() || std::this_thread::get_id() != loop.id()) ++elsewhere;
    if (--left == 0) finished.set_value();
  };
  loop.post([&] {
    for (int i = 0; i < kCalls; ++i) {
      const Decide decide = [i](auto, Changes& changes) {
        changes.put(key("k" + std::to_string(i)), "v");
        return Decision::kCommit;
      };
      const std::vector<Key> keys{key("k" + std::to_string(i))};
      switch (i % 4) {
        case 0:
          start(engine().erase_range({"x", "y"}), done);
          break;
        case 1:
          start(engine().approximate_bytes({"x", "y"}), done);
          break;
        default:
          start(engine().transact(keys, {}, decide), done);
      }
    }
  });
  finished.get_future().wait();
  EXPECT_EQ(elsewhere, 0);
}

}  // namespace
}  // namespace partita::contract
