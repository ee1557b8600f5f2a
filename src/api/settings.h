// Requests on the settings of a table: TTL, Contributor Insights, tags and resource policies. See reads.h for what
// holds for all requests.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace partita::api {

// What an ARN names: a table, or one of its streams.
struct Resource {
  std::string arn;
  std::string name;    // of the table
  std::string stream;  // the stream's label; empty: the table itself
};

struct UpdateTimeToLiveRequest {
  std::string name;
  bool enable = false;
  std::string attribute;
};

struct UpdateInsightsRequest {
  std::string name;                  // of the table
  std::optional<std::string> index;  // absent: the table itself
  bool enable = false;
  bool throttled_only = false;  // the mode THROTTLED_KEYS
};

struct DescribeInsightsRequest {
  std::string name;                  // of the table
  std::optional<std::string> index;  // absent: the table itself
};

struct ListInsightsRequest {
  std::string name;   // of the table; empty: all tables
  std::string after;  // where the previous page ended; empty: from the start
  size_t limit = 0;   // 1 or more
};

}  // namespace partita::api
