// The DynamoDB Streams API: ListStreams, DescribeStream and GetShardIterator. See reads.h for what holds for all
// requests and replies. GetRecords is not here: its iterator and its records are positions and entries of the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/key.h"

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

struct ListStreamsReply {
  std::vector<StreamName> streams;
  bool more = false;  // after the last of them
};

struct DescribeStreamRequest {
  StreamName stream;
  std::string after;     // ExclusiveStartShardId
  std::string children;  // only the shards whose parent this is; empty: all
  size_t limit = 0;
};

enum class StreamStatus : uint8_t { kEnabling, kEnabled, kDisabling, kDisabled };

struct DescribeStreamReply {
  struct Shard {
    std::string id;
    std::string parent;                // empty: none, or it was removed
    std::optional<std::string> start;  // sequence numbers; absent if unknown
    std::optional<std::string> end;    // of a closed shard
  };
  StreamName stream;
  int64_t created_ms = 0;  // milliseconds since 1970
  StreamStatus status = StreamStatus::kEnabled;
  std::string view_type;
  model::KeySchema keys;  // of the table
  std::vector<Shard> shards;
  bool more = false;  // after the last of them
};

enum class IteratorKind : uint8_t { kTrimHorizon, kLatest, kAtSequence, kAfterSequence, kAtTimestamp };

struct GetShardIteratorRequest {
  StreamName stream;
  std::string shard;  // its id
  IteratorKind kind = IteratorKind::kTrimHorizon;
  std::string sequence;  // of kAtSequence and kAfterSequence
  int64_t at_ms = 0;     // of kAtTimestamp, milliseconds since 1970
};

struct GetShardIteratorReply {
  std::string iterator;  // opaque to callers
};

}  // namespace partita::api
