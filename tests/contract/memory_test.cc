// Memory that runs out at any moment of a transaction ends that transaction and nothing else.
#include <future>
#include <memory>
#include <new>

#include "contract.h"
#include "engines/memory/memory_engine.h"
#include "faulty_files.h"
#include "little_memory.h"

namespace partita::contract {
namespace {

using namespace storage;

// Puts `value` under each name; after the decision that many allocations succeed. False when memory ran out.
Task<bool> put_with_little_memory(Engine& engine, std::vector<std::string> names, std::string value, int64_t left) {
  std::vector<Key> keys;
  for (const std::string& name : names) keys.push_back(key(name));
  std::vector<Compare> none;
  Decide decide = [&](auto, Changes& changes) {
    for (const std::string& name : names) changes.put(key(name), value);
    changes.append("t", value);
    allocations_left = left;
    return Decision::kCommit;
  };
  try {
    const auto outcome = co_await engine.transact(std::move(keys), std::move(none), std::move(decide));
    allocations_left = -1;
    EXPECT_TRUE(outcome.ok());
  } catch (const std::bad_alloc&) {
    allocations_left = -1;
    co_return false;
  }
  co_return true;
}

std::future<bool> begin_put(Engine& engine, std::vector<std::string> names, std::string value, int64_t left = -1) {
  const auto done = std::make_shared<std::promise<bool>>();
  start(put_with_little_memory(engine, std::move(names), std::move(value), left),
        [done](bool whole) { done->set_value(whole); });
  allocations_left = -1;
  return done->get_future();
}

TEST(Memory, ATransactionThatItRunsOutInEndsAlone) {
  const TempDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  const std::unique_ptr<Engine> engine = open_rocksdb(directory.path() / "store", files);
  ASSERT_NE(engine, nullptr);
  int64_t left = 0;
  for (bool whole = false; !whole; ++left) {
    // "a" is pending already while the disk takes its time, "b" is not.
    std::promise<void> gate;
    files->set_rule([open = gate.get_future().share()](FileAct act, std::string_view file) {
      if (act == FileAct::kSync && file.ends_with(".log")) open.wait();
      return rocksdb::IOStatus::OK();
    });
    const std::string number = std::to_string(left);
    std::future<bool> first = begin_put(*engine, {"a"}, "first " + number);
    std::future<bool> second = begin_put(*engine, {"a", "b", "c"}, "second " + number, left);
    const bool ran_out = second.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    std::future<bool> third = begin_put(*engine, {"c"}, "third " + number);
    gate.set_value();
    EXPECT_TRUE(first.get() && third.get());
    whole = second.get();
    EXPECT_EQ(whole, !ran_out);
    EXPECT_EQ(value_of(*engine, "a"), (whole ? "second " : "first ") + number);
    EXPECT_EQ(value_of(*engine, "c"), "third " + number);
    EXPECT_EQ(value_of(*engine, "b").has_value(), whole);
    files->heal();
  }
  EXPECT_GT(left, 5);
  EXPECT_EQ(read_log(*engine, "t").size(), static_cast<size_t>(2 * left + 1));
}

TEST(Memory, OfATransactionInMemoryThatItRunsOutInNothingIsLeft) {
  const std::unique_ptr<Engine> engine = open_memory_engine();
  ASSERT_TRUE(begin_put(*engine, {"b"}, "before").get());
  int64_t left = 0;
  for (; !begin_put(*engine, {"a", "b", "c"}, "after", left).get(); ++left) {
    const auto page = scan(*engine, {}, Direction::kAscending);
    ASSERT_EQ(page.size(), 1) << left;
    EXPECT_EQ(value_of(*engine, "a"), std::nullopt) << left;
    EXPECT_EQ(value_of(*engine, "b"), "before") << left;
    EXPECT_EQ(read_log(*engine, "t").size(), 1) << left;
  }
  EXPECT_GT(left, 2);
  EXPECT_EQ(value_of(*engine, "a"), "after");
  EXPECT_EQ(scan(*engine, {}, Direction::kAscending).size(), 3);
  EXPECT_EQ(read_log(*engine, "t").size(), 2);
}

// What a transaction changes twice is as the later change leaves it.
TEST(Memory, AKeyThatIsErasedAndPutInOneTransactionIsThere) {
  const std::unique_ptr<Engine> engine = open_memory_engine();
  for (const char* const value : {"first", "second"}) {
    Decide decide = [value](auto, Changes& changes) {
      changes.erase(key("kept")), changes.put(key("kept"), value);
      changes.put(key("gone"), value), changes.erase(key("gone")), changes.erase(key("gone"));
      return Decision::kCommit;
    };
    std::vector<Key> keys{key("kept"), key("gone")};
    EXPECT_TRUE(wait_for(engine->transact(std::move(keys), {}, std::move(decide))).ok());
    EXPECT_EQ(value_of(*engine, "kept"), value);
    EXPECT_EQ(scan(*engine, {}, Direction::kAscending).size(), 1);
  }
}

}  // namespace
}  // namespace partita::contract
