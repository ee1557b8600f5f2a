#include <gtest/gtest.h>

#include "clusters/clusters_testing.h"
#include "clusters/store.h"

namespace partita::clusters {
namespace {

using api::EventSource;
using model::Fault;

class EventsTest : public ClustersTest {
 protected:
  std::vector<std::string> messages(const api::EventsRequest& request = {}) {
    std::vector<std::string> all;
    const auto page = wait_for(list_events(*database_, request)).value();
    for (const Event& event : page.found) all.push_back(event.message);
    return all;
  }
  Result<ParameterGroup> touch() { return put_parameters("fast", "query-ttl-millis", "1"); }
  void create_group() {
    const api::ParameterGroupRequest group{"fast", {}, {}};
    ASSERT_TRUE(wait_for(create_parameter_group(*database_, group)).ok());
  }
};

TEST_F(EventsTest, TheNewestAreFirstAndNoneIsAhead) {
  ASSERT_TRUE(create(wanted("cache", 2)).ok());
  EXPECT_TRUE(messages().empty());
  clock_.advance_ms(kCreatingMs);
  EXPECT_EQ(messages(), (std::vector<std::string>{"Cluster created.", "Added node cache-b.", "Added node cache-a."}));
  ASSERT_TRUE(wait_for(delete_cluster(*database_, "cache")).ok());
  settle_down();
  EXPECT_EQ(messages().size(), 6u);
  EXPECT_EQ(messages()[0], "Cluster deleted.");
}

TEST_F(EventsTest, AreSelected) {
  create_group();
  make("cache", 1);
  api::EventsRequest request;
  request.source = EventSource::kParameterGroup;
  EXPECT_EQ(messages(request).size(), 1u);
  request = {.name = "cache"};
  EXPECT_EQ(messages(request).size(), 2u);
  request.source = EventSource::kSubnetGroup;
  EXPECT_TRUE(messages(request).empty());

  const double now_s = static_cast<double>(clock_.now_ms()) / 1'000;
  EXPECT_EQ(messages({.start_s = now_s - 10}).size(), 3u);
  EXPECT_TRUE(messages({.start_s = now_s}).empty());
  EXPECT_TRUE(messages({.end_s = now_s - 10}).empty());
  EXPECT_EQ(messages({.start_s = now_s - 10, .minutes = 1}).size(), 3u);
  clock_.advance_ms(2LL * 24 * 60 * 60 * 1'000);
  EXPECT_TRUE(messages().empty());
  EXPECT_EQ(messages({.minutes = 3 * 24 * 60}).size(), 3u);
}

TEST_F(EventsTest, TimesAreChecked) {
  const auto fault = [&](const api::EventsRequest& request) {
    return fault_in(wait_for(list_events(*database_, request)));
  };
  EXPECT_EQ(fault({.start_s = 2, .end_s = 1}), Fault::kClusterCombination);
  EXPECT_EQ(fault({.start_s = 1, .end_s = 2, .minutes = 3}), Fault::kClusterCombination);
  EXPECT_EQ(fault({.minutes = 0}), Fault::kClusterValue);
  EXPECT_EQ(fault({.minutes = 20'161}), Fault::kClusterValue);
  EXPECT_EQ(fault({.start_s = 1e300}), Fault::kClusterValue);
  EXPECT_EQ(fault({.page = {.after = "x"}}), Fault::kClusterValue);
}

TEST_F(EventsTest, ArePaged) {
  create_group();
  for (int i = 0; i < 44; ++i) ASSERT_TRUE(touch().ok());
  api::EventsRequest request;
  request.page.most = 20;
  std::vector<size_t> sizes;
  do {
    const auto page = wait_for(list_events(*database_, request)).value();
    sizes.push_back(page.found.size());
    request.page.after = page.next;
  } while (!request.page.after.empty() && sizes.size() < 5);
  EXPECT_EQ(sizes, (std::vector<size_t>{20, 20, 5}));
}

TEST_F(EventsTest, OldOnesAndTooManyAreErased) {
  create_group();
  clock_.advance_ms(kEventsKeptMs + 1);
  ASSERT_TRUE(touch().ok());
  EXPECT_EQ(wait_for(read_events(*database_)).value().size(), 1u);
  for (size_t i = 0; i < kMostEvents + 20; ++i) {
    clock_.advance_ms(1);
    ASSERT_TRUE(touch().ok());
  }
  EXPECT_LE(wait_for(read_events(*database_)).value().size(), kMostEvents);
  EXPECT_GT(wait_for(read_events(*database_)).value().size(), kMostEvents / 2);
}

}  // namespace
}  // namespace partita::clusters
