// Requests of the DynamoDB Streams API. See reads.h for what holds for all requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace partita::api {

struct StreamName {
  std::string table;
  std::string label;
  bool operator==(const StreamName&) const = default;
};

// Streams of a table, or of all tables if it is empty, after `after`, in byte order of their names; `limit` is 1 or
// more.
struct ListStreamsRequest {
  std::string table;
  std::optional<StreamName> after;
  size_t limit = 0;
};

struct DescribeStreamRequest {
  StreamName stream;
  std::string after;     // ExclusiveStartShardId
  std::string children;  // only the shards whose parent this is; empty: all
  size_t limit = 0;
};

enum class IteratorKind : uint8_t { kTrimHorizon, kLatest, kAtSequence, kAfterSequence, kAtTimestamp };

struct GetShardIteratorRequest {
  StreamName stream;
  std::string shard;  // its id
  IteratorKind kind = IteratorKind::kTrimHorizon;
  std::string sequence;  // of kAtSequence and kAfterSequence
  int64_t at_ms = 0;     // of kAtTimestamp, milliseconds since 1970
};

}  // namespace partita::api
