// The log: order, atomicity, trimming.
#include <algorithm>

#include "contract.h"
#include "longest_topic.h"
#include "storage/positions.h"

namespace partita::contract {
namespace {

using namespace storage;
using Strings = std::vector<std::string>;

class Log : public EngineTest {};
PARTITA_EVERY_ENGINE(Log);

TEST_P(Log, AnUnknownTopicIsEmpty) {
  EXPECT_TRUE(read_log(engine(), "t").empty());
  EXPECT_EQ(log_end(engine(), "t"), Position{});
  trim(engine(), "t", kLastPosition);
  forget(engine(), "t");
  EXPECT_EQ(log_end(engine(), "t"), Position{});
}

TEST_P(Log, EntriesComeInOrderFromAnyPosition) {
  Strings expected;
  for (int i = 0; i < 20; ++i) {
    expected.push_back("entry" + std::to_string(i));
    append(engine(), "t", expected.back());
  }
  const auto log = read_log(engine(), "t");
  EXPECT_EQ(entries_of(log), expected);
  for (size_t i = 1; i < log.size(); ++i) EXPECT_LT(log[i - 1].position, log[i].position);
  EXPECT_GT(log[0].position, Position{});
  EXPECT_EQ(log_end(engine(), "t"), log.back().position);
  EXPECT_EQ(entries_of(read_log(engine(), "t", log[4].position, 3)), (Strings{"entry5", "entry6", "entry7"}));
  EXPECT_TRUE(read_log(engine(), "t", log.back().position).empty());
  EXPECT_TRUE(read_log(engine(), "t", Position{}, 0).empty());
  EXPECT_TRUE(read_log(engine(), "t", kLastPosition).empty());
}

TEST_P(Log, TopicsAreApart) {
  const std::string zero("t\0", 2);
  const std::string longest(longest_topic(engine()), 'x');
  for (const std::string& topic : {std::string("t"), zero, std::string(), longest, std::string("tt")}) {
    append(engine(), topic, "of " + topic);
  }
  for (const std::string& topic : {std::string("t"), zero, std::string(), longest, std::string("tt")}) {
    EXPECT_EQ(entries_of(read_log(engine(), topic)), (Strings{"of " + topic}));
  }
  trim(engine(), "t", log_end(engine(), "t"));
  EXPECT_TRUE(read_log(engine(), "t").empty());
  EXPECT_EQ(read_log(engine(), zero).size(), 1u);
  EXPECT_EQ(read_log(engine(), "tt").size(), 1u);
}

TEST_P(Log, TopicsAreListed) {
  std::vector<std::string> expected;
  for (int i = 0; i < 7; ++i) {
    expected.push_back("topic" + std::string(static_cast<size_t>(i), 'x'));
    append(engine(), expected.back(), "1");
    append(engine(), expected.back(), "2");
  }
  append(engine(), "gone", "entry");
  forget(engine(), "gone");
  trim(engine(), expected[3], log_end(engine(), expected[3]));
  std::vector<std::string> listed;
  for (std::string after;; after = listed.back()) {
    const auto page = wait_for(engine().topics(after, 3));
    ASSERT_TRUE(page.ok()) << page.error().sentence();
    if (page->empty()) break;
    EXPECT_LE(page->size(), 3U);
    listed.insert(listed.end(), page->begin(), page->end());
  }
  std::ranges::sort(listed);
  EXPECT_EQ(listed, expected);
}

TEST_P(Log, ARestoredLogIsAsItWasAndGoesOn) {
  constexpr uint64_t kFar = uint64_t{900} << 40;
  const auto at = [](uint64_t number) { return numbered_position(number); };
  const std::vector<LogEntry> entries{{at(7), "seven"}, {at(9), "nine"}, {at(kFar), "far"}};
  const auto restore = [&](const std::string& topic, std::vector<LogEntry> some, uint64_t end) {
    const auto restored = wait_for(engine().restore_log(topic, std::move(some), at(end)));
    EXPECT_TRUE(restored.ok());
  };
  restore("t", {entries[0], entries[1]}, 9);
  restore("t", {entries[1], entries[2]}, kFar);  // as after a kill
  restore("t", {}, kFar);
  restore("trimmed", {}, kFar + 5);
  const auto log = read_log(engine(), "t");
  EXPECT_EQ(entries_of(log), (Strings{"seven", "nine", "far"}));
  for (size_t i = 0; i < log.size(); ++i) EXPECT_EQ(log[i].position, entries[i].position);
  EXPECT_EQ(log_end(engine(), "t"), at(kFar));
  EXPECT_EQ(log_end(engine(), "trimmed"), at(kFar + 5));
  EXPECT_TRUE(read_log(engine(), "trimmed").empty());
  restore("older", {entries[0]}, kFar);
  trim(engine(), "older", at(7));
  EXPECT_EQ(log_end(engine(), "older"), at(kFar));
  append(engine(), "t", "next");
  append(engine(), "trimmed", "first");
  EXPECT_GT(log_end(engine(), "t"), at(kFar));
  EXPECT_GT(log_end(engine(), "trimmed"), at(kFar + 5));
  EXPECT_EQ(entries_of(read_log(engine(), "t", at(9))), (Strings{"far", "next"}));
  Position strange;
  strange.bytes.back() = 1;
  const auto refused = wait_for(engine().restore_log("t", {}, strange));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kTooLarge);
}

TEST_P(Log, ATransactionsEntriesCommitTogetherAndKeepTheirOrder) {
  const auto outcome = transact(engine(), {"a"}, [](auto, Changes& changes) {
    changes.append("t", "1");
    changes.put(key("a"), "v");
    changes.append("u", "2");
    changes.append("t", "3");
    changes.append("t", "");
    return Decision::kCommit;
  });
  EXPECT_EQ(outcome, Outcome::kCommitted);
  EXPECT_EQ(entries_of(read_log(engine(), "t")), (Strings{"1", "3", ""}));
  EXPECT_EQ(entries_of(read_log(engine(), "u")), (Strings{"2"}));
  EXPECT_EQ(value_of(engine(), "a"), "v");
}

TEST_P(Log, TrimmingForgetsTheOldestAndNoPositionComesBack) {
  for (int i = 0; i < 10; ++i) append(engine(), "t", std::to_string(i));
  const auto log = read_log(engine(), "t");
  trim(engine(), "t", log[3].position);
  EXPECT_EQ(entries_of(read_log(engine(), "t")), (Strings{"4", "5", "6", "7", "8", "9"}));
  EXPECT_EQ(entries_of(read_log(engine(), "t", log[1].position, 2)), (Strings{"4", "5"}));
  trim(engine(), "t", log[1].position);
  EXPECT_EQ(read_log(engine(), "t").size(), 6u);
  EXPECT_EQ(log_end(engine(), "t"), log[9].position);
  trim(engine(), "t", log[9].position);
  trim(engine(), "t", log[9].position);
  EXPECT_TRUE(read_log(engine(), "t").empty());
  EXPECT_EQ(log_end(engine(), "t"), log[9].position);
  append(engine(), "t", "new");
  const auto later = read_log(engine(), "t");
  EXPECT_EQ(entries_of(later), (Strings{"new"}));
  EXPECT_GT(later[0].position, log[9].position);
}

TEST_P(Log, TrimmingBeyondTheEndLeavesLaterEntries) {
  append(engine(), "t", "1");
  const Position end = log_end(engine(), "t");
  trim(engine(), "t", kLastPosition);
  EXPECT_TRUE(read_log(engine(), "t").empty());
  EXPECT_EQ(log_end(engine(), "t"), end);
  append(engine(), "t", "2");
  EXPECT_EQ(entries_of(read_log(engine(), "t")), (Strings{"2"}));
}

// More than an engine may want to erase at a time.
TEST_P(Log, ManyEntriesAreTrimmedAndForgotten) {
  for (int i = 0; i < 5; ++i) {
    transact(engine(), {}, [](auto, Changes& changes) {
      for (int n = 0; n < 600; ++n) changes.append("t", "e");
      return Decision::kCommit;
    });
  }
  const auto log = read_log(engine(), "t");
  ASSERT_EQ(log.size(), 3'000u);
  trim(engine(), "t", log[2'499].position);
  EXPECT_EQ(read_log(engine(), "t").size(), 500u);
  EXPECT_EQ(read_log(engine(), "t").front().position, log[2'500].position);
  transact(engine(), {}, [](auto, Changes& changes) {
    for (int n = 0; n < 2'000; ++n) changes.append("t", "e");
    return Decision::kCommit;
  });
  const Position end = log_end(engine(), "t");
  forget(engine(), "t");
  EXPECT_EQ(log_end(engine(), "t"), Position{});
  append(engine(), "t", "anew");
  EXPECT_EQ(entries_of(read_log(engine(), "t")), Strings{"anew"});
  EXPECT_GT(log_end(engine(), "t"), end);
}

TEST_P(Log, PagesEndAtTheirBytes) {
  for (int i = 0; i < 10; ++i) append(engine(), "t", std::string(100, static_cast<char>('0' + i)));
  // The entry that reaches the limit is the last.
  EXPECT_EQ(read_log(engine(), "t", Position{}, 100, 300).size(), 3u);
  EXPECT_EQ(read_log(engine(), "t", Position{}, 100, 301).size(), 4u);
  EXPECT_EQ(read_log(engine(), "t", Position{}, 100, 0).size(), 1u);
  EXPECT_EQ(read_log(engine(), "t", Position{}, 2, 301).size(), 2u);
  EXPECT_EQ(read_log(engine(), "t", Position{}, 100, 1'001).size(), 10u);
}

TEST_P(Log, AForgottenTopicBeginsAnewAndNoPositionComesBack) {
  for (int i = 0; i < 10; ++i) append(engine(), "t", std::to_string(i));
  append(engine(), "u", "other");
  const Position end = log_end(engine(), "t");
  trim(engine(), "t", read_log(engine(), "t")[2].position);
  forget(engine(), "t");
  EXPECT_TRUE(read_log(engine(), "t").empty());
  EXPECT_EQ(log_end(engine(), "t"), Position{});
  EXPECT_EQ(read_log(engine(), "u").size(), 1u);
  append(engine(), "t", "new");
  EXPECT_EQ(entries_of(read_log(engine(), "t")), (Strings{"new"}));
  EXPECT_EQ(entries_of(read_log(engine(), "t", end)), (Strings{"new"}));
  EXPECT_GT(log_end(engine(), "t"), end);
}

}  // namespace
}  // namespace partita::contract
