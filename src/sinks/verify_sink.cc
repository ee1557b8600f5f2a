#include "sinks/verify_sink.h"

#include <chrono>
#include <thread>
#include <utility>

#include "sinks/dead_letters.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::sinks {

namespace {

constexpr size_t kComparedRows = 500;
constexpr size_t kComparedBytes = size_t{1} << 20;
constexpr size_t kMostIds = 20;
constexpr size_t kReadAgain = 64;
constexpr size_t kMostDoubtfulKeys = 100'000;            // others that differ are not looked at again
constexpr std::chrono::milliseconds kSecondLook{1'000};  // what is on its way has arrived by then

}  // namespace

Task<Result<bool>> SinkVerifier::read(table::TableContext& context) {
  if (destination_ == nullptr) PARTITA_CO_TRY_VOID(co_await begin(context));
  rows_.clear();
  if (reads_table_) {
    PARTITA_CO_TRY_VOID(co_await read_page(context));
    co_return true;
  }
  if (looked_ == doubtful_.size()) co_return false;
  PARTITA_CO_TRY_VOID(co_await read_doubtful(context));
  co_return true;
}

Task<Result<void>> SinkVerifier::begin(table::TableContext& context) {
  PARTITA_CO_TRY(const SinkStatus status, co_await describe_sink(context, table_name_, name_));
  if (status.sink.changes) {
    co_return Error(ErrorKind::kInvalid, "This sink takes every change: there are no documents to compare.");
  }
  if (status.progress.generation != status.sink.generation || status.progress.filling) {
    co_return Error(ErrorKind::kInvalid, "The sink is filling: compare it after that.");
  }
  PARTITA_CO_TRY(const table::Table table, co_await context.newest_table(table_name_));
  if (table == nullptr) co_return Error(ErrorKind::kInvalid, "The table is gone.");
  sink_ = status.sink;
  generation_ = status.progress.generation;
  range_ = storage::range_of(model::index_prefix(table->id, model::kBaseIndex));
  PARTITA_CO_TRY(filter_, ItemFilter::parse(sink_.filter, sink_.filter_names, sink_.filter_values));
  PARTITA_CO_TRY(const DestinationFactory factory, find_(status.sink.url));
  PARTITA_CO_TRY(destination_, factory(settings_of(status.sink, table->keys), {}));
  co_return Result<void>();
}

Task<Result<void>> SinkVerifier::read_page(table::TableContext& context) {
  PARTITA_CO_TRY(const storage::Page page,
                 co_await context.engine().scan(range_, storage::Direction::kAscending, kComparedRows, kComparedBytes));
  for (size_t i = 0; i < page.size(); ++i)
    rows_.push_back({std::string(page[i].key), std::string(page[i].value), false});
  reads_table_ = storage::advance(range_, page);
  co_return Result<void>();
}

Task<Result<void>> SinkVerifier::read_doubtful(table::TableContext& context) {
  std::vector<storage::Key> keys;
  while (looked_ < doubtful_.size() && keys.size() < kReadAgain) {
    keys.push_back(table::key_of_row(doubtful_[looked_]));
    ++looked_;
  }
  PARTITA_CO_TRY(auto records, co_await context.engine().read(keys));
  std::vector<std::string> ids;
  for (const storage::Key& key : keys) ids.push_back(destination_->document_id(key.bytes));
  PARTITA_CO_TRY(const std::vector<bool> rejected, co_await have_dead_letters(context, sink_, std::move(ids)));
  for (size_t i = 0; i < keys.size(); ++i) {
    auto stored = records[i] ? std::optional(std::move(records[i]->value)) : std::nullopt;
    rows_.push_back({keys[i].bytes, std::move(stored), rejected[i]});
  }
  co_return Result<void>();
}

// The places of rows that the other end has otherwise. Adds to `items` those that it is to have.
Result<std::vector<size_t>> SinkVerifier::differing(uint64_t& items) {
  std::vector<std::optional<model::Item>> decoded(rows_.size());
  std::vector<Delivery> deliveries;
  for (size_t i = 0; i < rows_.size(); ++i) {
    PARTITA_TRY(decoded[i], filter_.select(rows_[i].stored));
    items += decoded[i].has_value();
    deliveries.push_back({rows_[i].key, 1, decoded[i] ? &*decoded[i] : nullptr});
  }
  PARTITA_TRY(const std::vector<bool> same, destination_->compare(generation_, deliveries));
  std::vector<size_t> places;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!same[i]) places.push_back(i);
  }
  return places;
}

void SinkVerifier::note_different(const Row& row) {
  if (row.is_rejected) {
    ++found_.rejected;
    return;
  }
  ++found_.different;
  if (found_.ids.size() < kMostIds) found_.ids.push_back(destination_->document_id(row.key));
}

Result<void> SinkVerifier::compare() {
  if (looked_ > 0) {
    uint64_t counted_before = 0;
    PARTITA_TRY(const std::vector<size_t> places, differing(counted_before));
    for (const size_t place : places) note_different(rows_[place]);
    return {};
  }
  PARTITA_TRY(const std::vector<size_t> places, differing(found_.items));
  for (const size_t place : places) {
    if (doubtful_.size() < kMostDoubtfulKeys) {
      doubtful_.push_back(std::move(rows_[place].key));
    } else {
      note_different(rows_[place]);
    }
  }
  if (reads_table_) return {};
  PARTITA_TRY(found_.documents, destination_->count(generation_));
  if (!doubtful_.empty()) std::this_thread::sleep_for(kSecondLook);
  return {};
}

}  // namespace partita::sinks
