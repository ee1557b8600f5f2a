#include "app/cache_times.h"

#include <gtest/gtest.h>

#include "clusters/clusters_testing.h"

namespace partita::app {
namespace {

class CacheTimesTest : public clusters::ClustersTest {
 protected:
  ops::Service service_{*database_};
  CacheTimesThread times_{service_};
};

TEST_F(CacheTimesTest, AreDaxsDefaultsWithoutACluster) {
  times_.tick();
  EXPECT_EQ(times_.times().item_ttl_ms, 300'000);
  EXPECT_EQ(times_.times().query_ttl_ms, 300'000);
}

TEST_F(CacheTimesTest, FollowTheGroupOfTheCluster) {
  const api::ParameterGroupRequest group{.name = "short"};
  ASSERT_TRUE(wait_for(clusters::create_parameter_group(*database_, group)).ok());
  auto request = wanted();
  request.parameter_group = "short";
  ASSERT_TRUE(create(request).ok());
  settle_down();
  ASSERT_TRUE(put_parameters("short", "record-ttl-millis", "1500").ok());
  ASSERT_TRUE(put_parameters("short", "query-ttl-millis", "0").ok());
  EXPECT_EQ(times_.times().item_ttl_ms, 300'000);
  times_.tick();
  EXPECT_EQ(times_.times().item_ttl_ms, 1'500);
  EXPECT_EQ(times_.times().query_ttl_ms, 0);
}

TEST_F(CacheTimesTest, StayWhileTheDatabaseIsChanged) {
  service_.pause();
  service_.resume_without();
  times_.tick();
  EXPECT_EQ(times_.times().item_ttl_ms, 300'000);
}

}  // namespace
}  // namespace partita::app
