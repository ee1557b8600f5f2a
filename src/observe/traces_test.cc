#include "observe/traces.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace partita::observe {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kParent = "00f067aa0ba902b7";

TEST(TraceParent, OfHeaders) {
  const TraceParent sampled = TraceParent::parse("00-" + kTrace + "-" + kParent + "-01");
  EXPECT_EQ(sampled.trace_id, kTrace);
  EXPECT_EQ(sampled.parent_id, kParent);
  EXPECT_TRUE(sampled.sampled);
  EXPECT_FALSE(TraceParent::parse("00-" + kTrace + "-" + kParent + "-00").sampled);
  EXPECT_TRUE(TraceParent::parse("00-" + kTrace + "-" + kParent + "-0b").sampled);
  EXPECT_FALSE(TraceParent::parse("00-" + kTrace + "-" + kParent + "-fe").sampled);
  // Of a version to come, which may say more.
  EXPECT_EQ(TraceParent::parse("01-" + kTrace + "-" + kParent + "-01-more").trace_id, kTrace);
}

TEST(TraceParent, RefusesWhatIsNone) {
  const std::string whole = "00-" + kTrace + "-" + kParent + "-01";
  std::vector<std::string> wrong{"",
                                 "00",
                                 whole + "-more",
                                 whole + "x",
                                 whole.substr(0, whole.size() - 1),
                                 "ff" + whole.substr(2),
                                 "00-" + std::string(32, '0') + "-" + kParent + "-01",
                                 "00-" + kTrace + "-" + std::string(16, '0') + "-01"};
  for (const size_t at : {0UZ, 2UZ, 5UZ, 35UZ, 40UZ, 52UZ, 53UZ, 54UZ}) {
    wrong.push_back(whole);
    wrong.back()[at] = 'G';
  }
  for (const std::string& header : wrong) EXPECT_TRUE(TraceParent::parse(header).trace_id.empty()) << header;
}

}  // namespace
}  // namespace partita::observe
