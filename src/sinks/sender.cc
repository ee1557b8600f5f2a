#include "sinks/sender.h"

#include <algorithm>

#include "sinks/dead_letters.h"
#include "storage/positions.h"
#include "table/rows/item_rows.h"
#include "table/rows/system_rows.h"

namespace partita::sinks {

namespace {

constexpr size_t kSentBytes = size_t{3} << 20;  // of stored items in one request, about
constexpr size_t kSentRows = 6'000;
constexpr size_t kReadBytes = size_t{1} << 20;  // of items in one reading, about
constexpr size_t kReadAtOnce = 64;
constexpr size_t kFirstReadAtOnce = 4;  // of unknown size

// The version of an item that is read after the log ended there.
Result<uint64_t> version_of(const storage::Position& end) {
  const uint64_t number = std::max<uint64_t>(storage::leading_number(end), 1);
  if (number > INT64_MAX) {
    return Error(ErrorKind::kInvalid, "The store counts beyond 63 bits, which versions of documents cannot.");
  }
  return number;
}

model::Item key_within(const table::TableInfo& table, std::string_view key) {
  model::Item item;
  if (!model::take_row_place(key)) return item;
  for (const auto* elements : {&table.keys.partition, &table.keys.sort}) {
    auto values = model::take_key_values(*elements, key);
    for (size_t i = 0; values && i < elements->size(); ++i) item.set((*elements)[i].name, std::move((*values)[i]));
  }
  return item;
}

}  // namespace

Result<void> Sender::prepare() {
  PARTITA_TRY(filter_, ItemFilter::parse(sink_.filter, sink_.filter_names, sink_.filter_values));
  return {};
}

Task<Result<Sent>> Sender::send_keys(std::vector<std::string> keys, int64_t until_ns) {
  Sent sent;
  // Before any of the items is read.
  PARTITA_CO_TRY(const Positions ends, co_await backlog_.ends());
  std::vector<Row> rows;
  size_t bytes = 0;
  for (size_t at = 0; at < keys.size();) {
    const size_t fitting = row_bytes_ == 0 ? kFirstReadAtOnce : kReadBytes / row_bytes_;
    const size_t end = std::min(at + std::clamp(fitting, size_t{1}, kReadAtOnce), keys.size());
    std::vector<storage::Key> some;
    for (size_t i = at; i < end; ++i) some.push_back(table::key_of_row(keys[i]));
    PARTITA_CO_TRY(auto records, co_await context_.engine().read(some));
    const size_t bytes_before = bytes;
    for (size_t i = at; i < end; ++i) {
      std::optional<storage::Record>& record = records[i - at];
      bytes += keys[i].size() + (record ? record->value.size() : 0);
      rows.push_back({std::move(keys[i]), record ? std::optional(std::move(record->value)) : std::nullopt});
    }
    row_bytes_ = (bytes - bytes_before) / (end - at);
    at = end;
    if (at < keys.size() && bytes < kSentBytes && rows.size() < kSentRows) continue;
    PARTITA_CO_TRY_VOID(co_await send_rows(std::exchange(rows, {}), ends, true, sent));
    bytes = 0;
    // In trouble, it would say the same of the others.
    if (sent.trouble.empty() && !halted_() && context_.clock().monotonic_ns() < until_ns) continue;
    std::move(keys.begin() + static_cast<std::ptrdiff_t>(at), keys.end(), std::back_inserter(sent.later));
    break;
  }
  co_return sent;
}

Task<Result<Sent>> Sender::send_page(const storage::Page& page, Positions ends) {
  Sent sent;
  std::vector<Row> rows;
  for (size_t i = 0; i < page.size(); ++i) rows.push_back({std::string(page[i].key), std::string(page[i].value)});
  PARTITA_CO_TRY_VOID(co_await send_rows(std::move(rows), ends, false, sent));
  co_return sent;
}

Task<Result<void>> Sender::send_rows(std::vector<Row> rows, Positions ends, bool deletes, Sent& sent) {
  std::vector<uint64_t> versions;
  for (const Row& row : rows) {
    const size_t slice = table::sink_slice(row.key);
    sent.ends[slice] = ends[slice];
    PARTITA_CO_TRY(const uint64_t version, version_of(ends[slice]));
    versions.push_back(version);
  }
  const auto work = [&] { return send_blocking(rows, versions, deletes); };
  auto outcomes = co_await on_worker(workers_, work);
  if (!outcomes.ok() && outcomes.error().kind() == ErrorKind::kUnavailable) {
    sent.trouble = outcomes.error().sentence();
    for (Row& row : rows) sent.later.push_back(std::move(row.key));
    co_return Result<void>();
  }
  if (!outcomes.ok()) co_return std::move(outcomes).error();
  PARTITA_CHECK(outcomes->size() == rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!(*outcomes)[i]) continue;
    PARTITA_CO_TRY_VOID(co_await take(rows[i], *std::move((*outcomes)[i]), versions[i], sent));
  }
  co_return Result<void>();
}

Task<Result<void>> Sender::take(const Row& row, Outcome outcome, uint64_t version, Sent& sent) {
  switch (outcome.fate) {
    case Fate::kDone:
      ++sent.sent;
      sent.conflicts += outcome.conflict;
      break;
    case Fate::kLater:
      sent.later.push_back(row.key);
      sent.trouble = outcome.reason.empty() ? "It is overloaded." : std::move(outcome.reason);
      break;
    case Fate::kRejected: {
      if (halted_()) {
        sent.later.push_back(row.key);
        break;
      }
      ++sent.rejected;
      sent.rejected_keys.push_back(row.key);
      DeadLetter letter{
          destination_.document_id(row.key), key_within(*table_, row.key), std::move(outcome.reason), version, {}};
      PARTITA_CO_TRY_VOID(co_await put_dead_letter(context_, sink_, std::move(letter)));
      break;
    }
  }
  co_return Result<void>();
}

Result<std::vector<std::optional<Outcome>>> Sender::send_blocking(const std::vector<Row>& rows,
                                                                  const std::vector<uint64_t>& versions, bool deletes) {
  std::vector<std::optional<model::Item>> items(rows.size());
  std::vector<size_t> sent;  // by delivery: the row
  std::vector<Delivery> deliveries;
  deliveries.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    PARTITA_TRY(items[i], filter_.select(rows[i].stored));
    if (!items[i] && !deletes) continue;
    sent.push_back(i);
    deliveries.push_back({rows[i].key, versions[i], items[i] ? &*items[i] : nullptr});
  }
  std::vector<std::optional<Outcome>> outcomes(rows.size());
  if (deliveries.empty()) return outcomes;
  PARTITA_TRY(std::vector<Outcome> answers, destination_.send(sink_.generation, deliveries));
  PARTITA_CHECK(answers.size() == sent.size());
  for (size_t i = 0; i < sent.size(); ++i) outcomes[sent[i]] = std::move(answers[i]);
  return outcomes;
}

}  // namespace partita::sinks
