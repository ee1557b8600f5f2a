#include "table/streams/streams.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/bytes.h"
#include "model/fault.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;
using storage::Position;

__extension__ using Wide = unsigned __int128;  // a position as a number

constexpr Wide kChunk = 10'000'000'000'000'000'000U;  // as many digits as a word holds
constexpr size_t kChunkDigits = 19;
constexpr size_t kFewestDigits = 21;
constexpr size_t kStreamsAtOnce = 1'000;
constexpr size_t kStreamBytesAtOnce = size_t{4} << 20;
constexpr char kIteratorFormat = 1;
constexpr int kMostPages = 8;

Wide number_of(const Position& position) {
  Wide number = 0;
  for (const uint8_t byte : position.bytes) number = number << 8 | byte;
  return number;
}

Position position_at(Wide number) {
  Position position;
  for (size_t i = position.bytes.size(); i-- > 0; number >>= 8) position.bytes[i] = static_cast<uint8_t>(number);
  return position;
}

// Behind it is what is at `position` or later.
Position just_before(const Position& position) {
  const Wide number = number_of(position);
  return position_at(number == 0 ? 0 : number - 1);
}

std::string topic_of(const StreamRow& stream, uint32_t shard) {
  return table::topic_of(stream.table_id, stream.created_ms, shard);
}

Task<Result<StreamRow>> find_stream(TableContext& context, const api::StreamName& name) {
  const std::vector<storage::Key> keys{stream_row_key(name.table, name.label)};
  auto read = co_await context.engine().read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (!records[0]) co_return refuse(Fault::kStreamNotFound);
  co_return decode_stream_row(records[0]->value);
}

Task<Result<std::optional<storage::LogEntry>>> entry_behind(TableContext& context, std::string topic, Position after) {
  auto read = co_await context.engine().read_log(std::move(topic), after, 1, 1);
  PARTITA_CO_TRY(auto entries, std::move(read));
  if (entries.empty()) co_return std::optional<storage::LogEntry>();
  co_return std::optional(std::move(entries.front()));
}

// The oldest position that a reader may be at without having lost anything: of the oldest entry, which is itself too
// old to be read when older ones were trimmed.
Task<Result<Position>> horizon_of(TableContext& context, std::string topic) {
  PARTITA_CO_TRY(const auto first, co_await entry_behind(context, topic, {}));
  if (first) co_return first->position;
  co_return co_await context.engine().log_end(std::move(topic));
}

// The last entry older than that. Times grow with positions, as far as a clock's do, so halving finds it.
Task<Result<Position>> last_before(TableContext& context, std::string topic, int64_t at_ms) {
  PARTITA_CO_TRY(Position low, co_await horizon_of(context, topic));
  PARTITA_CO_TRY(Position high, co_await context.engine().log_end(topic));
  low = just_before(low);
  // What is behind `low` may be older, what is behind `high` is not.
  while (low < high) {
    const Position middle = position_at(number_of(low) + (number_of(high) - number_of(low)) / 2);
    PARTITA_CO_TRY(const auto next, co_await entry_behind(context, topic, middle));
    bool older = false;
    if (next && next->position <= high) {
      PARTITA_CO_TRY(const StreamEntry entry, decode_entry(next->entry));
      const auto* record = std::get_if<ItemRecord>(&entry);
      const auto* mark = std::get_if<ShardMark>(&entry);
      older = record != nullptr ? record->at_ms < at_ms : *mark == ShardMark::kOpened;
    }
    if (older) {
      low = next->position;
    } else {
      high = middle;
    }
  }
  co_return low;
}

api::StreamStatus status_of(TableContext& context, const StreamRow& row) {
  const Table table = context.catalog().find(row.table);
  const bool newest = table != nullptr && table->id == row.table_id && table->stream.label == row.label;
  const int64_t now_ms = context.clock().now_ms();
  const Status status = newest ? table->status_at(now_ms) : Status::kActive;
  const bool moving = status == Status::kCreating || (status == Status::kUpdating && table->job == TableJob::kStream);
  if (row.ended_ms == 0) return moving ? api::StreamStatus::kEnabling : api::StreamStatus::kEnabled;
  return moving ? api::StreamStatus::kDisabling : api::StreamStatus::kDisabled;
}

Task<Result<ShownShard>> shown(TableContext& context, const StreamRow& row, const StreamShard& shard) {
  ShownShard one{.shard = shard, .start = {}, .end = {}};
  const std::string topic = topic_of(row, shard.number);
  PARTITA_CO_TRY(const auto first, co_await entry_behind(context, topic, {}));
  if (first) one.start = first->position;
  if (shard.closed_ms != 0) {
    PARTITA_CO_TRY(const Position end, co_await context.engine().log_end(topic));
    if (end != Position()) one.end = end;
  }
  co_return one;
}

}  // namespace

void put_sequence_number(const Position& position, char* out) {
  std::fill_n(out, kSequenceDigits, '0');
  out[0] = '1';
  Wide number = number_of(position);
  for (size_t end = kSequenceDigits; number != 0; number /= kChunk, end -= kChunkDigits) {
    auto chunk = static_cast<uint64_t>(number % kChunk);
    for (size_t i = end; chunk != 0; chunk /= 10) out[--i] = static_cast<char>('0' + chunk % 10);
  }
}

std::string sequence_number(const Position& position) {
  std::string digits(kSequenceDigits, '0');
  put_sequence_number(position, digits.data());
  return digits;
}

std::optional<Position> position_of(std::string_view sequence_number) {
  if (sequence_number.size() < kFewestDigits || sequence_number.size() > kSequenceDigits) return std::nullopt;
  if (!std::ranges::all_of(sequence_number, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  if (sequence_number.size() < kSequenceDigits || sequence_number.front() == '0') return Position();
  Wide number = 0;
  if (sequence_number.front() != '1') return position_at(~number);
  for (const char digit : sequence_number.substr(1)) {
    const Wide next = number * 10 + static_cast<Wide>(digit - '0');
    if (number > (~Wide{0} - 9) / 10) return position_at(~Wide{0});
    number = next;
  }
  return position_at(number);
}

std::string shard_id(const StreamShard& shard) {
  char text[48];
  std::snprintf(text, sizeof text, "shardId-%020lld-%08x", static_cast<long long>(shard.opened_ms), shard.number);
  return text;
}

std::optional<uint32_t> shard_number(std::string_view id) {
  constexpr size_t kDigits = 8;
  if (!id.starts_with("shardId-") || id.size() < kDigits + 1 || id[id.size() - kDigits - 1] != '-') return std::nullopt;
  const std::string_view digits = id.substr(id.size() - kDigits);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

Task<Result<api::ListStreamsReply>> list_streams(TableContext& context, const api::ListStreamsRequest& request) {
  storage::Range range =
      request.table.empty() ? system_rows(SystemRow::kStream) : storage::range_of(stream_row_prefix(request.table));
  if (request.after) {
    const std::string after = stream_row_key(request.after->table, request.after->label).bytes;
    if (after >= range.begin) range = storage::behind(after, std::move(range));
  }
  api::ListStreamsReply page;
  for (bool more = true; more && page.streams.size() <= request.limit;) {
    auto scanned =
        co_await context.engine().scan(range, storage::Direction::kAscending, kStreamsAtOnce, kStreamBytesAtOnce);
    PARTITA_CO_TRY(const storage::Page rows, std::move(scanned));
    for (size_t i = 0; i < rows.size() && page.streams.size() <= request.limit; ++i) {
      PARTITA_CO_TRY(StreamRow row, decode_stream_row(rows[i].value));
      page.streams.push_back({std::move(row.table), std::move(row.label)});
    }
    more = storage::advance(range, rows);
  }
  page.more = page.streams.size() > request.limit;
  if (page.more) page.streams.resize(request.limit);
  co_return page;
}

Task<Result<DescribedStream>> describe_stream(TableContext& context, const api::DescribeStreamRequest& request) {
  DescribedStream described;
  PARTITA_CO_TRY(described.row, co_await find_stream(context, request.stream));
  described.status = status_of(context, described.row);
  const uint32_t after = request.after.empty() ? 0 : shard_number(request.after).value_or(UINT32_MAX);
  const uint32_t parent = request.children.empty() ? 0 : shard_number(request.children).value_or(UINT32_MAX);
  for (const StreamShard& shard : described.row.shards) {
    if (shard.number <= after || (parent != 0 && shard.parent != parent)) continue;
    described.more = described.shards.size() == request.limit;
    if (described.more) break;
    PARTITA_CO_TRY(ShownShard one, co_await shown(context, described.row, shard));
    described.shards.push_back(std::move(one));
  }
  co_return described;
}

std::string encode_iterator(std::string_view arn, const ShardIterator& iterator) {
  std::string bytes(1, kIteratorFormat);
  append_u64(bytes, static_cast<uint64_t>(iterator.created_ms));
  append_u32(bytes, iterator.shard);
  append_u64(bytes, static_cast<uint64_t>(iterator.issued_ms));
  bytes.append(iterator.position.bytes.begin(), iterator.position.bytes.end());
  std::string text(arn);
  append_u32(bytes, crc32(text + bytes));
  text += "|1|";
  append_base64(text, bytes);
  return text;
}

std::optional<DecodedIterator> decode_iterator(std::string_view text) {
  const size_t bar = text.find("|1|");
  if (bar == std::string_view::npos) return std::nullopt;
  const std::optional<std::string> decoded = decode_base64(text.substr(bar + 3));
  if (!decoded || decoded->empty()) return std::nullopt;
  std::string_view bytes = *decoded;
  DecodedIterator found{.arn = std::string(text.substr(0, bar)), .iterator = {}};
  const auto format = take_u8(bytes);
  const auto created_ms = take_u64(bytes);
  const auto shard = take_u32(bytes);
  const auto issued_ms = take_u64(bytes);
  auto& position = found.iterator.position.bytes;
  if (format != kIteratorFormat || !created_ms || !shard || !issued_ms || bytes.size() < position.size()) {
    return std::nullopt;
  }
  std::ranges::copy(bytes.substr(0, position.size()), position.begin());
  bytes.remove_prefix(position.size());
  const auto sum = take_u32(bytes);
  if (!bytes.empty() || sum != crc32(found.arn + decoded->substr(0, decoded->size() - sizeof(uint32_t)))) {
    return std::nullopt;
  }
  found.iterator.created_ms = static_cast<int64_t>(*created_ms);
  found.iterator.shard = *shard;
  found.iterator.issued_ms = static_cast<int64_t>(*issued_ms);
  if (found.iterator.issued_ms < 0) return std::nullopt;  // ours are not, and how old one is is reckoned
  return found;
}

Task<Result<ShardIterator>> shard_iterator(TableContext& context, const api::GetShardIteratorRequest& request) {
  PARTITA_CO_TRY(const StreamRow row, co_await find_stream(context, request.stream));
  const auto number = shard_number(request.shard);
  const StreamShard* shard = number ? row.find(*number) : nullptr;
  if (shard == nullptr || shard_id(*shard) != request.shard) co_return refuse(Fault::kShardNotFound);
  ShardIterator iterator{.stream = request.stream,
                         .created_ms = row.created_ms,
                         .shard = *number,
                         .issued_ms = context.clock().now_ms(),
                         .position = {}};
  const std::string topic = topic_of(row, *number);
  switch (request.kind) {
    case api::IteratorKind::kTrimHorizon:
      break;
    case api::IteratorKind::kLatest: {
      PARTITA_CO_TRY(iterator.position, co_await context.engine().log_end(topic));
      break;
    }
    case api::IteratorKind::kAtSequence:
    case api::IteratorKind::kAfterSequence: {
      const auto position = position_of(request.sequence);
      if (!position) co_return refuse(Fault::kSequenceNumberInvalid);
      PARTITA_CO_TRY(const Position horizon, co_await horizon_of(context, topic));
      if (*position < horizon) co_return refuse(Fault::kRecordsTrimmed);
      iterator.position = request.kind == api::IteratorKind::kAtSequence ? just_before(*position) : *position;
      break;
    }
    case api::IteratorKind::kAtTimestamp: {
      if (request.at_ms > iterator.issued_ms) co_return refuse(Fault::kTimestampInFuture);
      PARTITA_CO_TRY(iterator.position, co_await last_before(context, topic, request.at_ms));
      break;
    }
  }
  co_return iterator;
}

Task<Result<StreamRecords>> read_records(TableContext& context, const ShardIterator& iterator, size_t limit) {
  const int64_t now_ms = context.clock().now_ms();
  if (now_ms - iterator.issued_ms > kIteratorLifetimeMs) co_return refuse(Fault::kIteratorExpired);
  StreamRecords read;
  // Before its log is: a shard that is closed then has all its records.
  PARTITA_CO_TRY(read.stream, co_await find_stream(context, iterator.stream));
  const StreamShard* shard = read.stream.find(iterator.shard);
  if (read.stream.created_ms != iterator.created_ms || shard == nullptr) {
    co_return refuse(Fault::kShardOfIteratorNotFound);
  }
  const std::string topic = topic_of(read.stream, iterator.shard);
  Position at = iterator.position;
  if (at != Position()) {
    PARTITA_CO_TRY(const Position horizon, co_await horizon_of(context, topic));
    // One may stand right before the oldest entry, when that was asked for by its number.
    if (at < just_before(horizon)) co_return refuse(Fault::kRecordsTrimmed);
  }
  bool ended = false;
  // A page of nothing but marks and what is too old is not worth a reply of its own.
  for (int pages = 0; pages < kMostPages && read.records.empty() && !ended; ++pages) {
    auto page = co_await context.engine().read_log(topic, at, limit, kMostRecordBytes);
    PARTITA_CO_TRY(read.entries, std::move(page));
    ended = read.entries.empty() && shard->closed_ms != 0;
    if (read.entries.empty()) break;
    at = read.entries.back().position;
    for (const storage::LogEntry& one : read.entries) {
      PARTITA_CO_TRY(const StreamEntry entry, decode_entry(one.entry));
      if (const auto* record = std::get_if<ItemRecord>(&entry)) {
        if (now_ms - record->at_ms < kStreamLifetimeMs) read.records.push_back({one.position, *record});
      } else {
        ended = ended || std::get<ShardMark>(entry) == ShardMark::kClosed;
      }
    }
  }
  if (!read.records.empty()) {
    const int64_t age_ms = now_ms - read.records.back().record.at_ms;
    context.stream_ages().add(static_cast<uint64_t>(std::max<int64_t>(0, age_ms)));
  }
  if (!ended) {
    read.next = iterator;
    read.next->position = at;
    read.next->issued_ms = now_ms;
  }
  co_return read;
}

}  // namespace partita::table
