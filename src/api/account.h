// DescribeLimits and DescribeEndpoints, which have no parameters.
#pragma once

#include <cstdint>
#include <string>

namespace partita::api {

// The largest provisioned throughput, in units per second.
struct DescribeLimitsReply {
  int64_t account_read_units = 0;
  int64_t account_write_units = 0;
  int64_t table_read_units = 0;
  int64_t table_write_units = 0;
};

struct DescribeEndpointsReply {
  std::string address;
  int64_t cache_minutes = 0;
};

}  // namespace partita::api
