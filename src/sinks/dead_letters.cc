#include "sinks/dead_letters.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/clock.h"
#include "model/item_codec.h"
#include "model/key.h"
#include "sinks/sink_store.h"
#include "storage/ranges.h"
#include "table/items/write.h"
#include "table/rows/counts.h"
#include "table/rows/item_rows.h"
#include "wire/error_body.h"
#include "wire/legible.h"

namespace partita::sinks {

namespace {

using model::AttributeValue;
using model::Item;
using table::Sink;
using table::TableContext;

constexpr size_t kLettersAtOnce = 100;
constexpr size_t kMostReasonBytes = 1'000;

AttributeValue owner_of(const Sink& sink) { return AttributeValue::string(sink.table + '/' + sink.name); }

Item letter_key(const Sink& sink, const std::string& id) {
  Item key;
  key.set("id", AttributeValue::string(id));
  key.set("sink", owner_of(sink));
  return key;
}

// What a caller of PutItem would be told, as a sentence for the operator: an index of the table may have a key of
// another type.
Error refused_letter(const std::string& table, const Error& error) {
  if (error.kind() != ErrorKind::kInvalid || error.reason() == 0) return error;
  return Error(ErrorKind::kInvalid,
               "The table " + table + " does not take a dead letter: " + wire::message_of(error) + ".");
}

Task<Result<void>> write_letter(TableContext& context, std::string name, api::WriteAction action) {
  api::WriteRequest request;
  request.table = name;
  request.action = std::move(action);
  while (true) {
    PARTITA_CO_TRY(const table::Table table, co_await dead_letters_of(context, name));
    const auto plan = table::bind(request, table);
    if (!plan.ok()) co_return refused_letter(name, plan.error());
    const auto written = co_await table::run(context, *plan);
    if (written.ok()) co_return Result<void>();
    if (!TableContext::binds_again(written.error())) co_return refused_letter(name, written.error());
    PARTITA_CO_TRY_VOID(co_await context.before_binding_again(written.error()));
  }
}

}  // namespace

Task<Result<void>> put_dead_letter(TableContext& context, const Sink& sink, DeadLetter letter) {
  Item item = std::move(letter.more);
  item.set("id", AttributeValue::string(letter.id));
  item.set("sink", owner_of(sink));
  item.set("key", AttributeValue::map(std::move(letter.key)));
  std::string reason = wire::legible(utf8_prefix(letter.reason, kMostReasonBytes));
  item.set("reason", AttributeValue::string(wire::without_controls(std::move(reason))));
  item.set("time", AttributeValue::string(std::string(utc_text(context.clock().now_ms()).data()) + "Z"));
  if (letter.version != 0) {
    item.set("version", AttributeValue::number(model::Number::of(static_cast<int64_t>(letter.version))));
  }
  api::WriteAction put;
  put.kind = api::WriteAction::Kind::kPut;
  put.item = model::encode_item(item);
  co_return co_await write_letter(context, sink.dead_letters, std::move(put));
}

Task<Result<void>> erase_dead_letter(TableContext& context, const Sink& sink, std::string id) {
  api::WriteAction erase;
  erase.kind = api::WriteAction::Kind::kDelete;
  erase.key = letter_key(sink, id);
  co_return co_await write_letter(context, sink.dead_letters, std::move(erase));
}

Task<Result<std::vector<DeadLetter>>> read_dead_letters(TableContext& context, const Sink& sink, std::string after) {
  std::vector<DeadLetter> letters;
  PARTITA_CO_TRY(const table::Table table, co_await dead_letters_of(context, sink.dead_letters));
  const AttributeValue owner = owner_of(sink);
  const AttributeValue* const partition[] = {&owner};
  storage::Range range = storage::range_of(model::collection_prefix(table->id, model::kBaseIndex, partition));
  if (!after.empty()) {
    range = storage::behind(table::item_key(*table, letter_key(sink, after)).bytes, std::move(range));
  }
  PARTITA_CO_TRY(const storage::Page page, co_await context.engine().scan(range, storage::Direction::kAscending,
                                                                          kLettersAtOnce, size_t{1} << 20));
  for (size_t i = 0; i < page.size(); ++i) {
    PARTITA_CO_TRY(Item item, model::decode_item(page[i].value));
    DeadLetter letter;
    letter.id = item.find("id")->as_string();
    if (const auto* key = item.find("key"); key != nullptr && key->is(model::Type::kM)) letter.key = key->as_map();
    letter.more = std::move(item);
    letters.push_back(std::move(letter));
  }
  co_return letters;
}

Task<Result<std::vector<std::optional<storage::Record>>>> find_dead_letter_rows(TableContext& context, const Sink& sink,
                                                                                std::vector<std::string> ids) {
  PARTITA_CO_TRY(const table::Table table, co_await context.newest_table(sink.dead_letters));
  if (table == nullptr || !can_hold_dead_letters(*table)) {
    co_return std::vector<std::optional<storage::Record>>(ids.size());
  }
  std::vector<storage::Key> rows;
  for (const std::string& id : ids) rows.push_back(table::item_key(*table, letter_key(sink, id)));
  co_return co_await context.engine().read(rows);
}

Task<Result<std::vector<bool>>> have_dead_letters(TableContext& context, const Sink& sink,
                                                  std::vector<std::string> ids) {
  PARTITA_CO_TRY(const auto letters, co_await find_dead_letter_rows(context, sink, std::move(ids)));
  std::vector<bool> found;
  for (const auto& one : letters) found.push_back(one.has_value());
  co_return found;
}

Task<Result<uint64_t>> count_dead_letters(TableContext& context, const Sink& sink) {
  const table::Table table = context.catalog().find(sink.dead_letters);
  if (table == nullptr) co_return uint64_t{0};
  PARTITA_CO_TRY(const table::StoredCounts counts, co_await table::read_counts(context.engine(), table->id));
  co_return static_cast<uint64_t>(std::max<int64_t>(0, counts.total.of(model::kBaseIndex).items));
}

}  // namespace partita::sinks
