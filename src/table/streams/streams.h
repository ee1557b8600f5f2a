// Reading streams: ListStreams, DescribeStream, GetShardIterator, GetRecords. Streams are named by table and label
// (api::StreamName); ARNs belong to ops. Callable from any thread; context and request outlive the task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/streams.h"
#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/catalog/table_context.h"
#include "table/rows/stream_record.h"
#include "table/rows/stream_rows.h"

namespace partita::table {

// "GetRecords", DynamoDB Streams API reference.
inline constexpr size_t kMostRecords = 1'000;
inline constexpr size_t kMostRecordBytes = size_t{1} << 20;
// "GetShardIterator", the same.
inline constexpr int64_t kIteratorLifetimeMs = 15LL * 60 * 1000;

// A position as 40 decimal digits. Their order, as text and as numbers, is the order of the records.
inline constexpr size_t kSequenceDigits = 40;
std::string sequence_number(const storage::Position& position);
void put_sequence_number(const storage::Position& position, char* out);  // kSequenceDigits bytes
// Absent: the text is not a number of 21 to 40 digits. A number that no record of Partita can have becomes a position
// before or behind all records.
std::optional<storage::Position> position_of(std::string_view sequence_number);
std::string shard_id(const StreamShard& shard);
// The shard's number; absent if the text is not the id of a shard.
std::optional<uint32_t> shard_number(std::string_view id);

Task<Result<api::ListStreamsReply>> list_streams(TableContext& context, const api::ListStreamsRequest& request);

// A shard and the range of its sequence numbers.
struct ShownShard {
  StreamShard shard;
  std::optional<storage::Position> start;
  std::optional<storage::Position> end;  // absent: the shard is open
};
struct DescribedStream {
  StreamRow row;
  api::StreamStatus status = api::StreamStatus::kEnabled;
  std::vector<ShownShard> shards;
  bool more = false;
};
// Fault: kStreamNotFound.
Task<Result<DescribedStream>> describe_stream(TableContext& context, const api::DescribeStreamRequest& request);

// Where a reader of a shard continues: behind `position`, which is all zero at the trim horizon.
struct ShardIterator {
  api::StreamName stream;
  int64_t created_ms = 0;  // of the stream
  uint32_t shard = 0;
  int64_t issued_ms = 0;
  storage::Position position;
};
std::string encode_iterator(std::string_view arn, const ShardIterator& iterator);
// The iterator without its stream's name, and the ARN that it was encoded with.
struct DecodedIterator {
  std::string arn;
  ShardIterator iterator;
};
// Absent: the text is not from encode_iterator().
std::optional<DecodedIterator> decode_iterator(std::string_view text);

// Faults: kStreamNotFound, kShardNotFound, kSequenceNumberInvalid, kRecordsTrimmed, kTimestampInFuture.
Task<Result<ShardIterator>> shard_iterator(TableContext& context, const api::GetShardIteratorRequest& request);

// A page of records as they are stored, each with its position. `records` has views into `entries`.
struct StreamRecords {
  struct One {
    storage::Position position;
    ItemRecord record;
  };
  StreamRow stream;
  std::vector<storage::LogEntry> entries;
  std::vector<One> records;
  std::optional<ShardIterator> next;  // absent: the shard is read to its end
};
// At most `limit` records, and kMostRecordBytes. Faults: kStreamNotFound, kShardOfIteratorNotFound, kIteratorExpired,
// kRecordsTrimmed.
Task<Result<StreamRecords>> read_records(TableContext& context, const ShardIterator& iterator, size_t limit);

}  // namespace partita::table
