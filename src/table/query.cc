#include "table/query.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "model/limits.h"

namespace partita::table {

namespace {

using model::AttributeValue;
using model::Fault;
using model::Item;
using model::refuse;

constexpr size_t kRowsAtOnce = 1024;
// Keys, lengths and types take room beside what DynamoDB counts of an item.
constexpr size_t kBytesAtOnce = model::kMaxPageBytes + model::kMaxPageBytes / 4;

std::string end_of(const std::string& prefix) { return prefix_end(prefix).value_or(""); }

uint16_t index_id(const RangeRead& request) { return request.index == nullptr ? model::kBaseIndex : request.index->id; }

std::string with_value(const std::string& prefix, const AttributeValue& value) {
  std::string bytes = prefix;
  model::append_key_value(value, bytes);
  return bytes;
}

storage::Range narrowed(const std::string& prefix, const expr::SortCondition& condition) {
  const std::string at = with_value(prefix, condition.value);
  switch (condition.op) {
    case expr::SortOp::kLess:
      return {prefix, at};
    case expr::SortOp::kLessEqual:
      return {prefix, end_of(at)};
    case expr::SortOp::kGreater:
      return {end_of(at), end_of(prefix)};
    case expr::SortOp::kGreaterEqual:
      return {at, end_of(prefix)};
    case expr::SortOp::kBetween:
      return {at, end_of(with_value(prefix, condition.upper))};
    case expr::SortOp::kBeginsWith: {
      std::string begin = prefix;
      model::append_key_prefix(condition.value, begin);
      return {begin, end_of(begin)};
    }
  }
  PARTITA_CHECK(false);
}

storage::Range query_range(const RangeRead& request) {
  std::vector<const AttributeValue*> partition;
  for (const auto& value : request.range->partition) partition.push_back(&value);
  std::string prefix = model::collection_prefix(request.table->id, index_id(request), partition);
  for (const auto& value : request.range->sort_equals) model::append_key_value(value, prefix);
  if (request.range->sort_range) return narrowed(prefix, *request.range->sort_range);
  return {prefix, end_of(prefix)};
}

storage::Range segment_range(const RangeRead& request) {
  const auto [index, total] = request.segment;
  auto cut = [&](uint64_t part) { return static_cast<uint64_t>((static_cast<unsigned __int128>(part) << 64) / total); };
  const uint32_t table_id = request.table->id;
  storage::Range range;
  range.begin = model::hash_prefix(table_id, index_id(request), cut(index));
  range.end = index + 1 == total ? end_of(model::index_prefix(table_id, index_id(request)))
                                 : model::hash_prefix(table_id, index_id(request), cut(index + 1));
  return range;
}

// The row that the start key names.
Result<std::string> start_row(const RangeRead& request) {
  const Item& start = *request.start;
  if (!request.range && request.index == nullptr) {
    if (!check_key(*request.table, start).ok()) return refuse(Fault::kStartKeyMismatch);
    return item_key(*request.table, start).bytes;
  }
  const auto names = key_attributes(*request.table, request.index);
  if (start.size() != names.size()) return refuse(Fault::kStartKeyInvalid);
  for (const auto& name : names) {
    const AttributeValue* value = start.find(name);
    const model::KeyElement* definition = request.table->find_definition(name);
    if (value == nullptr || definition == nullptr || !value->is(definition->type)) {
      return refuse(Fault::kStartKeyInvalid);
    }
  }
  PARTITA_TRY_VOID(check_key(*request.table, key_of(*request.table, start)));
  if (request.index == nullptr) return item_key(*request.table, start).bytes;
  const auto key = index_key(*request.table, *request.index, start);
  if (!key) return refuse(Fault::kStartKeyInvalid);
  return key->bytes;
}

bool outside(const storage::Range& range, const std::string& row) {
  return row < range.begin || (!range.end.empty() && row >= range.end);
}

// The partition that a query reads, whatever it asks of the sort key.
bool in_partition(const RangeRead& request, const std::string& row) {
  std::vector<const AttributeValue*> partition;
  for (const auto& value : request.range->partition) partition.push_back(&value);
  return row.starts_with(model::collection_prefix(request.table->id, index_id(request), partition));
}

Result<storage::Range> range_of(const RangeRead& request) {
  storage::Range range = request.range ? query_range(request) : segment_range(request);
  if (!request.start) return range;
  PARTITA_TRY(const std::string row, start_row(request));
  if (request.range && !in_partition(request, row)) return refuse(Fault::kStartKeyOutsideQuery);
  if (request.range && outside(range, row)) return refuse(Fault::kStartKeyOutsideRange);
  if (!request.range && outside(range, row)) {
    return refuse(Fault::kStartKeyOutsideSegment,
                  {std::to_string(request.segment.total), std::to_string(request.segment.index)});
  }
  if (request.forward) {
    range.begin = row + '\0';
  } else {
    range.end = row;
  }
  return range;
}

// Collects rows into a page until one of the limits is met.
class Collector {
 public:
  explicit Collector(const RangeRead& request) : request_(request) {}

  // False when the page is full and the row is not in it.
  Result<bool> take(const storage::Page::Row& row) {
    if (request_.limit && page_.scanned == *request_.limit) return false;
    PARTITA_TRY(const size_t size, model::encoded_item_size(row.value));
    if (page_.scanned > 0 && bytes_ + size > model::kMaxPageBytes) return false;
    bytes_ += size;
    ++page_.scanned;
    last_row_ = row.value;
    if (request_.whole_items) fetched_.push_back(std::string(row.value));
    if (!request_.whole_items) PARTITA_TRY_VOID(keep(row.value));
    return true;
  }

  // Filters, projects and keeps one item.
  Result<void> keep(std::string_view stored) {
    const bool decode = request_.filter || (request_.projection && !request_.count_only);
    std::optional<Item> item;
    if (decode) {
      PARTITA_TRY(item, model::decode_item(stored));
    }
    if (request_.filter && !expr::evaluate(*request_.filter, *item)) return {};
    ++page_.count;
    if (request_.count_only) return {};
    if (request_.projection) {
      page_.items.emplace_back(expr::project(*request_.projection, *item));
    } else {
      page_.items.emplace_back(std::string(stored));
    }
    return {};
  }

  bool limit_met() const { return request_.limit && page_.scanned == *request_.limit; }

  // The rows as they were in the index, when whole items are wanted.
  const std::vector<std::string>& fetched() const { return fetched_; }

  Result<RangePage> finish(bool more) && {
    if (more && !last_row_.empty()) {
      PARTITA_TRY(const Item item, model::decode_item(last_row_));
      page_.last_key = position_of(*request_.table, request_.index, item);
    }
    return std::move(page_);
  }

  // `fetched` is what reading whole items from the table cost.
  void charge(model::HalfUnits fetched) {
    page_.consumed.table = request_.table->name;
    const model::HalfUnits units = model::read_half_units(bytes_, request_.consistent);
    if (request_.index == nullptr) {
      page_.consumed.base.read += units;
    } else if (request_.index->global) {
      page_.consumed.global_indexes[request_.index->name].read += units;
    } else {
      page_.consumed.local_indexes[request_.index->name].read += units;
    }
    page_.consumed.base.read += fetched;
  }

 private:
  const RangeRead& request_;
  RangePage page_;
  size_t bytes_ = 0;
  std::string last_row_;
  std::vector<std::string> fetched_;
};

// Reads from the table what a local index does not project; returns the charge of it.
Task<Result<model::HalfUnits>> fetch_whole_items(Database& database, const RangeRead& request, Collector& collector) {
  ReadKeys reads;
  reads.table = request.table;
  reads.consistent = request.consistent;
  for (const auto& row : collector.fetched()) {
    PARTITA_CO_TRY(const Item view, model::decode_item(row));
    reads.keys.push_back(key_of(*request.table, view));
  }
  auto read = co_await read_items(database, std::move(reads));
  if (!read.ok()) co_return std::move(read).error();
  model::HalfUnits charge = 0;
  for (const ReadItem& item : *read) {
    if (!item.item) continue;  // deleted since the index was read
    charge += model::read_half_units(item.bytes, request.consistent);
    PARTITA_CO_TRY_VOID(collector.keep(std::get<std::string>(*item.item)));
  }
  co_return charge;
}

size_t rows_wanted(const RangeRead& request, uint64_t scanned) {
  if (!request.limit) return kRowsAtOnce;
  return std::min<uint64_t>(kRowsAtOnce, *request.limit - scanned);
}

}  // namespace

Task<Result<RangePage>> read_range(Database& database, const RangeRead& request) {
  PARTITA_CO_TRY(storage::Range range, range_of(request));
  const auto direction = request.forward ? storage::Direction::kAscending : storage::Direction::kDescending;
  Collector collector(request);
  uint64_t scanned = 0;
  bool more = true;
  bool full = false;
  while (more && !full) {
    auto read = co_await database.engine().scan(range, direction, rows_wanted(request, scanned), kBytesAtOnce);
    if (!read.ok()) co_return std::move(read).error();
    const storage::Page page = std::move(read).value();
    for (size_t i = 0; i < page.size() && !full; ++i) {
      PARTITA_CO_TRY(const bool taken, collector.take(page[i]));
      full = !taken;
      scanned += taken ? 1 : 0;
    }
    full = full || collector.limit_met();
    more = page.more;
    if (!more || full || page.empty()) break;
    const std::string_view last = page[page.size() - 1].key;
    if (request.forward) {
      range.begin = std::string(last) + '\0';
    } else {
      range.end = std::string(last);
    }
  }
  model::HalfUnits fetched = 0;
  if (request.whole_items) {
    PARTITA_CO_TRY(fetched, co_await fetch_whole_items(database, request, collector));
  }
  collector.charge(fetched);
  co_return std::move(collector).finish(full);
}

}  // namespace partita::table
