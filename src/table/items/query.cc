#include "table/items/query.h"

#include <algorithm>

#include "base/yield_budget.h"
#include "expr/condition_checks.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "model/item_walk.h"
#include "model/limits.h"
#include "storage/ranges.h"
#include "table/rows/vector_rows.h"

namespace partita::table {

namespace {

using model::AttributeValue;
using model::Fault;
using model::Item;
using model::refuse;

constexpr size_t kRowsAtOnce = YieldBudget::kBytes / YieldBudget::kLeastBytes;

using storage::end_of;

uint16_t index_id(const RangePlan& plan) { return plan.index == nullptr ? model::kBaseIndex : plan.index->id; }

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

std::string partition_prefix(const RangePlan& plan) {
  std::vector<const AttributeValue*> partition;
  for (const auto& value : plan.range->partition) partition.push_back(&value);
  return model::collection_prefix(plan.table->id, index_id(plan), partition);
}

storage::Range query_range(const RangePlan& plan) {
  std::string prefix = partition_prefix(plan);
  for (const auto& value : plan.range->sort_equals) model::append_key_value(value, prefix);
  if (plan.range->sort_range) return narrowed(prefix, *plan.range->sort_range);
  return storage::range_of(std::move(prefix));
}

storage::Range segment_range(const RangePlan& plan) {
  const auto [index, total] = plan.request->segment;
  auto cut = [&](uint64_t part) { return static_cast<uint64_t>((static_cast<unsigned __int128>(part) << 64) / total); };
  const uint32_t table_id = plan.table->id;
  storage::Range range;
  range.begin = model::hash_prefix(table_id, index_id(plan), cut(index));
  range.end = index + 1 == total ? end_of(model::index_prefix(table_id, index_id(plan)))
                                 : model::hash_prefix(table_id, index_id(plan), cut(index + 1));
  return range;
}

// A query of the table with an equality on every key attribute: its page has no LastEvaluatedKey.
bool reads_one_row(const RangePlan& plan) {
  return plan.range && plan.index == nullptr && plan.range->sort_equals.size() == plan.table->keys.sort.size();
}

// For a Query, or a Scan of an index: checks the number of attributes of the start key.
Result<void> check_start_size(const RangePlan& plan) {
  const auto& start = plan.request->start;
  if (!start || (!plan.request->keys && !plan.range && plan.index == nullptr)) return {};
  if (start->size() != key_attributes(*plan.table, plan.index).size()) return refuse(Fault::kStartKeyInvalid);
  return {};
}

// The same, and the key attributes of the table or index.
Result<void> check_start(const RangePlan& plan) {
  PARTITA_TRY_VOID(check_start_size(plan));
  if (!plan.request->start || (!plan.range && plan.index == nullptr)) return {};
  const model::KeySchema& keys = plan.index == nullptr ? plan.table->keys : plan.index->keys;
  for (const auto& key : keys.partition) PARTITA_TRY_VOID(expr::check_start_key(*plan.request->start, key));
  for (const auto& key : keys.sort) PARTITA_TRY_VOID(expr::check_start_key(*plan.request->start, key));
  return {};
}

// The row of the start key.
Result<std::string> start_row(const RangePlan& plan) {
  PARTITA_TRY_VOID(check_start(plan));
  const Item& start = *plan.request->start;
  const bool whole_table = !plan.range && plan.index == nullptr;
  const auto checked = check_key(*plan.table, plan.index == nullptr ? start : key_of(*plan.table, start));
  if (!checked.ok()) {
    const bool mismatch = model::fault_of(checked.error()) == Fault::kKeySchemaMismatch;
    return whole_table || mismatch ? refuse(Fault::kStartKeyMismatch) : checked.error();
  }
  if (plan.index == nullptr) return item_key(*plan.table, start).bytes;
  const auto key = index_key(*plan.table, *plan.index, start);
  if (!key) return refuse(Fault::kStartKeyInvalid);
  return key->bytes;
}

bool outside(const storage::Range& range, const std::string& row) {
  return row < range.begin || (!range.end.empty() && row >= range.end);
}

// Whether the row is in the partition of the query, ignoring the sort condition.
bool in_partition(const RangePlan& plan, const std::string& row) { return row.starts_with(partition_prefix(plan)); }

bool has_sort_condition(const RangePlan& plan) {
  return !plan.range->sort_equals.empty() || plan.range->sort_range.has_value();
}

// The row of the start key, moved to the partition of the query.
std::string moved_there(const RangePlan& plan, const std::string& row) {
  const model::KeySchema& keys = plan.index == nullptr ? plan.table->keys : plan.index->keys;
  std::vector<const AttributeValue*> partition;
  for (const auto& key : keys.partition) partition.push_back(plan.request->start->find(key.name));
  const std::string prefix = model::collection_prefix(plan.table->id, index_id(plan), partition);
  return partition_prefix(plan) + row.substr(prefix.size());
}

// Whether a Query of that range may start after the row. DynamoDB's order: the sort key before the partition, whose
// fault differs if there is a sort condition.
Result<void> check_place(const RangePlan& plan, const storage::Range& range, const std::string& row) {
  if (reads_one_row(plan)) {
    if (!plan.table->keys.sort.empty()) return refuse(Fault::kStartKeyOfOneRow);
    const std::string& name = plan.table->keys.partition.front().name;
    return refuse(Fault::kStartKeyOfSingleItems, {name, expr::shown(*plan.request->start->find(name))});
  }
  const bool sorted = has_sort_condition(plan);
  const bool inside = in_partition(plan, row);
  if (sorted && outside(range, inside ? row : moved_there(plan, row))) return refuse(Fault::kStartKeyOutsideRange);
  if (!inside) return refuse(sorted ? Fault::kStartKeyOfOneRow : Fault::kStartKeyOutsideQuery);
  return {};
}

// One row of a page: as stored in the table or index, or the whole item of an index row.
struct Seen {
  std::string_view row;
  std::string_view item;  // `row`, or what was fetched; empty when it was deleted since
};

// The cost of a unit of a filter's work, in bytes read.
constexpr size_t kWorkBytes = 32;
// Our limit: a page ends early if its filter has taken about a tenth of a second.
constexpr uint64_t kMaxPageWork = 1'000'000;

// Collects rows into a page until a limit is reached.
class Collector {
 public:
  explicit Collector(const RangePlan& plan)
      : plan_(plan),
        request_(*plan.request),
        vectors_(has_vectors(*plan.table)),
        keeps_rows_(!request_.filter && !request_.projection && request_.select != api::Select::kCount &&
                    !plan.whole_items && !vectors_) {}

  // Starts on the rows of this page, which is kept meanwhile. Precondition: not empty.
  const storage::Page& open(storage::Page page) {
    close();
    items_before_ = page_.items.size();
    const bool all_are_kept = !request_.filter && request_.select != api::Select::kCount;
    if (all_are_kept) page_.items.reserve(items_before_ + page.size());
    return *(open_ = std::make_shared<storage::Page>(std::move(page)));
  }

  // False: the page is full, without this row.
  Result<bool> take(const Seen& seen) {
    if (limit_met()) return false;
    PARTITA_TRY(const size_t row_bytes, model::encoded_item_size(seen.row));
    size_t item_bytes = row_bytes;
    if (plan_.whole_items && !seen.item.empty()) {
      PARTITA_TRY(item_bytes, model::encoded_item_size(seen.item));
    }
    if (page_.scanned > 0 && page_bytes_ + item_bytes > model::kMaxPageBytes) return false;
    page_bytes_ += item_bytes;
    size_t charged = row_bytes;
    if (vectors_ && plan_.index == nullptr) {
      PARTITA_TRY(charged, charged_bytes(*plan_.table, seen.row, row_bytes));
    }
    charged_rows_ += charged;
    ++page_.scanned;
    last_row_ = seen.row;
    yield_budget_.spend(item_bytes);
    if (seen.item.empty()) return true;
    if (plan_.whole_items) {
      PARTITA_TRY(const size_t whole, charged_bytes(*plan_.table, seen.item, item_bytes));
      fetched_ += model::read_half_units(whole, request_.consistent);
    }
    PARTITA_TRY_VOID(keep(seen.item));
    return true;
  }

  // take() of a row that is an item of the page as it is stored, as most are. False: nothing was done; take() decides.
  bool take_as_it_is(std::string_view row) {
    if (!keeps_rows_ || limit_met()) return false;
    model::ItemReader in = model::ItemReader::open(row);
    const size_t bytes = in.varint();
    if (!in.ok() || page_bytes_ + bytes > model::kMaxPageBytes) return false;
    page_bytes_ += bytes;
    charged_rows_ += bytes;
    ++page_.scanned;
    ++page_.count;
    last_row_ = row;
    yield_budget_.spend(bytes);
    page_.items.emplace_back(row);
    page_.bytes += row.size();
    return true;
  }

  // Whether as much was taken as may be at once.
  YieldBudget& yield_budget() { return yield_budget_; }
  bool limit_met() const { return (request_.limit && page_.scanned == *request_.limit) || work_ >= kMaxPageWork; }
  uint64_t scanned() const { return page_.scanned; }

  Result<api::RangeReply> finish(bool more) && {
    if (more && !last_row_.empty() && !reads_one_row(plan_)) {
      PARTITA_TRY(const Item item, model::decode_item(last_row_));
      if (!names_a_row(item)) return Error(ErrorKind::kCorrupt, "the last row of a page is damaged");
      page_.last_key = position_of(*plan_.table, plan_.index, item);
    }
    charge();
    close();
    return std::move(page_);
  }

 private:
  bool names_a_row(const Item& item) const {
    return check_item_key(*plan_.table, item).ok() &&
           (plan_.index == nullptr || index_key(*plan_.table, *plan_.index, item));
  }

  // Releases a page without items, except for its last row.
  void close() {
    const bool kept = page_.items.size() > items_before_ && !plan_.whole_items;
    if (kept) page_.owners.push_back(std::move(open_));
    closed_ = std::move(open_);
  }

  // Filters, projects and keeps one item.
  Result<void> keep(std::string_view stored) {
    const bool counted = request_.select == api::Select::kCount;
    std::optional<Item> item;
    if (request_.filter || (request_.projection && !counted)) {
      PARTITA_TRY(item, model::decode_item(stored));
    }
    if (request_.filter) {
      const uint64_t work_before = work_;
      const bool passes = expr::evaluate(*request_.filter, *item, work_);
      yield_budget_.spend((work_ - work_before) * kWorkBytes);
      if (!passes) return {};
    }
    ++page_.count;
    if (counted) return {};
    if (request_.projection) {
      page_.items.push_back(trees_.keep(expr::project(*request_.projection, *item), stored.size()));
    } else if (plan_.whole_items) {
      page_.items.emplace_back(std::string(stored));
    } else {
      page_.items.emplace_back(stored);
    }
    page_.bytes += stored.size();
    return {};
  }

  void charge() {
    page_.consumed.table = plan_.table->name;
    const model::HalfUnits units = model::read_half_units(charged_rows_, request_.consistent);
    if (plan_.index == nullptr) {
      page_.consumed.base.read += units;
    } else if (plan_.index->global) {
      page_.consumed.global_indexes[plan_.index->name].read += units;
    } else {
      page_.consumed.local_indexes[plan_.index->name].read += units;
    }
    page_.consumed.base.read += fetched_;
  }

  const RangePlan& plan_;
  const api::RangeRequest& request_;
  const bool vectors_;     // the table has indexes of vectors
  const bool keeps_rows_;  // every row is an item of the page
  TreesKept trees_;
  api::RangeReply page_;
  size_t page_bytes_ = 0;    // of what the page is made of
  size_t charged_rows_ = 0;  // of the rows alone, as they are charged
  model::HalfUnits fetched_ = 0;
  uint64_t work_ = 0;  // that the filter took
  YieldBudget yield_budget_;
  std::shared_ptr<storage::Page> open_;
  std::shared_ptr<storage::Page> closed_;  // the last one before it, unless kept
  size_t items_before_ = 0;                // it was opened
  std::string_view last_row_;              // in the open page, in the one before it, or in one that is kept
};

// Takes rows until the page is full. True: it is full.
Task<Result<bool>> take_rows(const storage::Page& page, Collector& collector) {
  for (size_t i = 0; i < page.size(); ++i) {
    if (collector.yield_budget().is_spent()) co_await collector.yield_budget().yield();
    const std::string_view row = page[i].value;
    if (collector.take_as_it_is(row)) continue;
    PARTITA_CO_TRY(const bool taken, collector.take({row, row}));
    if (!taken) co_return true;
  }
  co_return collector.limit_met();
}

// The same for rows of a local index whose whole items are needed. They are read from the table a few at a time, so
// that at most one batch is read in vain.
Task<Result<bool>> take_whole_items(TableContext& context, const RangePlan& plan, const storage::Page& page,
                                    Collector& collector) {
  constexpr size_t kFetchedAtOnce = 16;
  for (size_t begin = 0; begin < page.size(); begin += kFetchedAtOnce) {
    const size_t end = std::min(begin + kFetchedAtOnce, page.size());
    if (collector.yield_budget().is_spent()) co_await collector.yield_budget().yield();
    std::vector<storage::Key> keys;
    for (size_t i = begin; i < end; ++i) {
      PARTITA_CO_TRY(const Item view, model::decode_item(page[i].value));
      if (!check_item_key(*plan.table, view).ok()) co_return Error(ErrorKind::kCorrupt, "a row of an index is damaged");
      keys.push_back(item_key(*plan.table, view));
    }
    auto read = co_await context.engine().read(keys);
    if (!read.ok()) co_return std::move(read).error();
    for (size_t i = begin; i < end; ++i) {
      const auto& record = (*read)[i - begin];
      const std::string_view item = record ? std::string_view(record->value) : std::string_view();
      PARTITA_CO_TRY(const bool taken, collector.take({page[i].value, item}));
      if (!taken) co_return true;
      if (collector.yield_budget().is_spent()) co_await collector.yield_budget().yield();
    }
  }
  co_return collector.limit_met();
}

size_t rows_wanted(const RangePlan& plan, uint64_t scanned) {
  if (!plan.request->limit) return kRowsAtOnce;
  return std::min<uint64_t>(kRowsAtOnce, *plan.request->limit - scanned);
}

bool needs_whole_items(const RangePlan& plan) {
  const api::RangeRequest& request = *plan.request;
  if (request.select == api::Select::kAllAttributes) return plan.index->projection.kind != api::ProjectionKind::kAll;
  const auto lacks = [&](const auto& part) {
    return part && !not_projected(*plan.table, *plan.index, part->attributes()).empty();
  };
  return lacks(request.projection) || (lacks(request.filter) && !request.of_statement);
}

Result<void> choose_index(RangePlan& plan) {
  const api::RangeRequest& request = *plan.request;
  if (!request.index) return {};
  plan.index = plan.table->find_index(*request.index);
  if (plan.index == nullptr || plan.index->status == Status::kDeleting) {
    return refuse(Fault::kIndexNotFound, {*request.index});
  }
  if (plan.index->vector) {
    if (request.keys && request.consistent) return refuse(Fault::kConsistentGlobalIndex);
    return refuse(request.keys ? Fault::kQueryOfVectors : Fault::kScanOfVectors);
  }
  const std::string& index = plan.index->name;
  if (plan.index->status != Status::kActive) return refuse(Fault::kIndexBackfilling, {index});
  if (!plan.index->global) {
    plan.whole_items = needs_whole_items(plan);
    return {};
  }
  if (request.consistent) return refuse(Fault::kConsistentGlobalIndex);
  return {};
}

// Checks that a global index projects the requested attributes.
Result<void> check_index_holds(const RangePlan& plan) {
  if (plan.index == nullptr || !plan.index->global) return {};
  const api::RangeRequest& request = *plan.request;
  const std::string& index = plan.index->name;
  if (request.select == api::Select::kAllAttributes && plan.index->projection.kind != api::ProjectionKind::kAll) {
    return refuse(Fault::kSelectAllOnIndex, {index});
  }
  if (request.projection) {
    const auto missing = not_projected(*plan.table, *plan.index, request.projection->attributes());
    if (!missing.empty()) return refuse(Fault::kProjectionNotInIndex, {index, bracketed(missing)});
  }
  return {};
}

// Checks that no document path leads into a key.
Result<void> check_projection_paths(const RangePlan& plan) {
  const auto& projection = plan.request->projection;
  return projection ? check_scalar_keys(*plan.table, projection->nested_attributes()) : Result<void>();
}

Result<void> check_filter_paths(const RangePlan& plan) {
  const auto& filter = plan.request->filter;
  return filter ? check_scalar_keys(*plan.table, filter->nested_attributes()) : Result<void>();
}

// Checks that a Query's filter names no key attribute.
Result<void> check_filter(const RangePlan& plan, const model::KeySchema& keys) {
  if (!plan.request->filter || plan.request->of_statement) return {};
  for (const auto& attribute : plan.request->filter->attributes()) {
    if (!keys.names(attribute)) continue;
    return refuse(plan.request->legacy_filter ? Fault::kQueryFilterNamesKey : Fault::kFilterNamesKey, {attribute});
  }
  return {};
}

Access access_of(const RangePlan& plan) {
  const api::RangeRequest& request = *plan.request;
  Access access;
  access.verb = plan.range ? Verb::kQuery : Verb::kScan;
  access.name = plan.table->name;
  access.table = plan.table.get();
  access.index = plan.index;
  access.position = row_position(request.forward ? plan.rows.begin : plan.rows.end);
  access.range = plan.range ? &*plan.range : nullptr;
  access.keys = request.keys ? &*request.keys : nullptr;
  access.projection = request.projection ? &*request.projection : nullptr;
  access.condition = request.filter ? &*request.filter : nullptr;
  access.select = request.select;
  return access;
}

}  // namespace

std::vector<std::string> not_projected(const TableInfo& table, const IndexInfo& index,
                                       const std::vector<std::string>& attributes) {
  if (index.projection.kind == api::ProjectionKind::kAll) return {};
  std::vector<std::string> stored = key_attributes(table, &index);
  stored.insert(stored.end(), index.projection.attributes.begin(), index.projection.attributes.end());
  std::vector<std::string> missing;
  std::ranges::copy_if(attributes, std::back_inserter(missing),
                       [&](const auto& name) { return std::ranges::find(stored, name) == stored.end(); });
  return missing;
}

std::string bracketed(const std::vector<std::string>& names) {
  std::string list = "[";
  for (const auto& name : names) {
    if (list.size() > 1) list += ", ";
    list += name;
  }
  return list + "]";
}

Result<storage::Range> rows_of(const RangePlan& plan) {
  storage::Range range = plan.range ? query_range(plan) : segment_range(plan);
  if (!plan.request->start) return range;
  PARTITA_TRY(const std::string row, start_row(plan));
  if (plan.range) PARTITA_TRY_VOID(check_place(plan, range, row));
  if (!plan.range && outside(range, row)) {
    return refuse(Fault::kStartKeyOutsideSegment,
                  {std::to_string(plan.request->segment.total), std::to_string(plan.request->segment.index)});
  }
  if (plan.request->forward) {
    range = storage::behind(row, std::move(range));
  } else {
    range.end = row;
  }
  return range;
}

Result<RangePlan> bind(const api::RangeRequest& request, Table table) {
  RangePlan plan;
  plan.table = std::move(table);
  plan.request = &request;
  PARTITA_TRY_VOID(choose_index(plan));
  if (request.keys) {
    PARTITA_TRY_VOID(check_start_size(plan));
    const model::KeySchema& keys = plan.index == nullptr ? plan.table->keys : plan.index->keys;
    PARTITA_TRY(plan.range, expr::resolve(*request.keys, keys, request.start ? &*request.start : nullptr));
    PARTITA_TRY(plan.rows, rows_of(plan));
    PARTITA_TRY_VOID(check_projection_paths(plan));
    PARTITA_TRY_VOID(check_filter(plan, keys));
    PARTITA_TRY_VOID(check_index_holds(plan));
  } else {
    PARTITA_TRY_VOID(check_start(plan));
    PARTITA_TRY_VOID(check_index_holds(plan));
    PARTITA_TRY(plan.rows, rows_of(plan));
    PARTITA_TRY_VOID(check_projection_paths(plan));
  }
  PARTITA_TRY_VOID(check_filter_paths(plan));
  return plan;
}

Result<void> admit(const RangePlan& plan, AccessChecker& checker) {
  return checker.admit_and_reserve(access_of(plan), model::read_half_units(0, plan.request->consistent));
}

void charge(const RangePlan& plan, const api::RangeReply& page, AccessChecker& checker) {
  checker.charge(access_of(plan), page.consumed);
}

Task<Result<api::RangeReply>> run(TableContext& context, const RangePlan& plan) {
  storage::Range range = plan.rows;
  const auto direction = plan.request->forward ? storage::Direction::kAscending : storage::Direction::kDescending;
  Collector collector(plan);
  bool more = true;
  bool full = false;
  while (more && !full) {
    const size_t wanted = rows_wanted(plan, collector.scanned());
    auto read = co_await context.engine().scan(range, direction, wanted, YieldBudget::kBytes);
    if (!read.ok()) co_return std::move(read).error();
    if (read->empty()) break;
    const storage::Page& page = collector.open(std::move(read).value());
    if (plan.whole_items) {
      PARTITA_CO_TRY(full, co_await take_whole_items(context, plan, page, collector));
    } else {
      PARTITA_CO_TRY(full, co_await take_rows(page, collector));
    }
    more = storage::advance(range, page, direction);
  }
  co_return std::move(collector).finish(full);
}

}  // namespace partita::table
