#include "sinks/verify_sink.h"

#include <optional>
#include <utility>

#include "base/blocking_scope.h"
#include "expr/condition.h"
#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::sinks {

namespace {

constexpr size_t kComparedRows = 500;
constexpr size_t kComparedBytes = size_t{1} << 20;
constexpr size_t kMostIds = 20;
constexpr int64_t kSecondLookMs = 1'000;  // what is on its way has arrived by then

class Comparison {
 public:
  Comparison(Destination& destination, Generation generation, std::optional<expr::Condition> filter)
      : destination_(destination), generation_(generation), filter_(std::move(filter)) {}

  struct Row {
    std::string key;
    std::optional<std::string> stored;
  };
  // The keys of rows that the other end has otherwise. Adds to `items` those that it is to have.
  Result<std::vector<std::string>> compare(const std::vector<Row>& rows, uint64_t& items) {
    std::vector<std::optional<model::Item>> decoded(rows.size());
    std::vector<Delivery> deliveries;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].stored) {
        PARTITA_TRY(decoded[i], model::decode_item(*rows[i].stored));
        if (filter_ && !expr::evaluate(*filter_, *decoded[i])) decoded[i].reset();
      }
      items += decoded[i].has_value();
      deliveries.push_back({rows[i].key, 1, decoded[i] ? &*decoded[i] : nullptr});
    }
    PARTITA_TRY(const std::vector<bool> same, destination_.compare(generation_, deliveries));
    std::vector<std::string> different;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!same[i]) different.push_back(rows[i].key);
    }
    return different;
  }

 private:
  Destination& destination_;
  const Generation generation_;
  const std::optional<expr::Condition> filter_;
};

Result<std::optional<expr::Condition>> filter_of(const table::Sink& sink) {
  std::optional<expr::Condition> filter;
  if (sink.filter.empty()) return filter;
  PARTITA_TRY(auto given,
              expr::Placeholders::make(sink.filter_names.empty() ? std::nullopt : std::optional(sink.filter_names),
                                       sink.filter_values.empty() ? std::nullopt : std::optional(sink.filter_values)));
  PARTITA_TRY(filter, expr::parse_condition(sink.filter, expr::ExpressionKind::kFilter, given));
  return filter;
}

}  // namespace

Task<Result<SinkComparison>> verify_sink(table::TableContext& context, std::string table_name, std::string name,
                                         FindDestination find) {
  PARTITA_CO_TRY(const SinkStatus status, co_await describe_sink(context, table_name, name));
  if (status.progress.generation != status.sink.generation || status.progress.filling) {
    co_return Error(ErrorKind::kInvalid, "The sink is filling: compare it after that.");
  }
  PARTITA_CO_TRY(const table::Table table, co_await context.newest_table(table_name));
  if (table == nullptr) co_return Error(ErrorKind::kInvalid, "The table is gone.");
  PARTITA_CO_TRY(const DestinationFactory factory, find(status.sink.url));
  PARTITA_CO_TRY(const std::unique_ptr<Destination> destination, factory(settings_of(status.sink, table->keys), {}));
  PARTITA_CO_TRY(std::optional<expr::Condition> filter, filter_of(status.sink));
  Comparison comparison(*destination, status.progress.generation, std::move(filter));
  SinkComparison found;
  std::vector<std::string> doubtful;
  storage::Range range = storage::range_of(model::index_prefix(table->id, model::kBaseIndex));
  for (bool more = true; more;) {
    PARTITA_CO_TRY(const storage::Page page, co_await context.engine().scan(range, storage::Direction::kAscending,
                                                                            kComparedRows, kComparedBytes));
    std::vector<Comparison::Row> rows;
    for (size_t i = 0; i < page.size(); ++i) rows.push_back({std::string(page[i].key), std::string(page[i].value)});
    PARTITA_CO_TRY(const std::vector<std::string> some, comparison.compare(rows, found.items));
    doubtful.insert(doubtful.end(), some.begin(), some.end());
    more = storage::advance(range, page);
  }
  PARTITA_CO_TRY(found.documents, destination->count(status.progress.generation));
  if (!doubtful.empty()) co_await context.background().sleep(kSecondLookMs);
  for (size_t at = 0; at < doubtful.size(); at += kComparedRows) {
    std::vector<storage::Key> keys;
    for (size_t i = at; i < std::min(at + kComparedRows, doubtful.size()); ++i) {
      keys.push_back(table::key_of_row(doubtful[i]));
    }
    PARTITA_CO_TRY(auto records, co_await context.engine().read(keys));
    std::vector<Comparison::Row> rows;
    for (size_t i = 0; i < keys.size(); ++i) {
      rows.push_back({keys[i].bytes, records[i] ? std::optional(std::move(records[i]->value)) : std::nullopt});
    }
    uint64_t counted_before = 0;
    PARTITA_CO_TRY(const std::vector<std::string> some, comparison.compare(rows, counted_before));
    found.different += some.size();
    for (const std::string& key : some) {
      if (found.ids.size() < kMostIds) found.ids.push_back(destination->document_id(key));
    }
  }
  co_return found;
}

}  // namespace partita::sinks
