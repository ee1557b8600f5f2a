// Random writes of every kind over a table with every kind of index, compared with a model that is a map.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "expr/placeholders.h"
#include "model/fault_detail.h"
#include "model/size.h"
#include "table/control/ttl.h"
#include "table/items/transact.h"
#include "table/open/table_testing.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;
using model::Type;
using Place = std::pair<std::string, int64_t>;  // pk and sk

// A write as the test knows it, and what the code under test is given for it.
struct Write {
  Place place;
  std::optional<Item> wanted_after;  // if nothing is in the way
  bool condition_holds = true;
  bool creates = true;  // an update that only takes away leaves an absent item absent
  api::WriteAction action;
};

int64_t kilobytes(size_t bytes) { return std::max<int64_t>(1, static_cast<int64_t>((bytes + 1023) / 1024)); }

// Section by section as DynamoDB charges it, in whole units.
std::map<std::string, int64_t> expected_units(const TableInfo& table, const Item* before, const Item* after) {
  std::map<std::string, int64_t> units;
  units["T"] = kilobytes(std::max(before ? model::item_size(*before) : 0, after ? model::item_size(*after) : 0));
  for (const auto& index : table.indexes) {
    const auto old_view = before ? expected_view(table, index, *before) : std::nullopt;
    const auto new_view = after ? expected_view(table, index, *after) : std::nullopt;
    if (old_view == new_view) continue;
    const size_t old_bytes = old_view ? model::item_size(*old_view) : 0;
    const size_t new_bytes = new_view ? model::item_size(*new_view) : 0;
    const bool same_key =
        old_view && new_view && position_of(table, &index, *old_view) == position_of(table, &index, *new_view);
    int64_t& charged = units[index.name];
    if (same_key) {
      charged = kilobytes(std::max(old_bytes, new_bytes));
    } else {
      charged = (old_view ? kilobytes(old_bytes) : 0) + (new_view ? kilobytes(new_bytes) : 0);
    }
  }
  return units;
}

std::map<std::string, int64_t> units_of(const api::ConsumedCapacity& consumed) {
  std::map<std::string, int64_t> units;
  EXPECT_EQ(consumed.base.read, 0);
  units[std::string(consumed.table)] = consumed.base.write / 2;
  for (const auto* indexes : {&consumed.local_indexes, &consumed.global_indexes}) {
    for (const auto& [name, capacity] : *indexes) units[name] = capacity.write / 2;
  }
  return units;
}

api::CreateTableRequest property_table() {
  api::CreateTableRequest request = plain_table();
  request.definitions.insert(request.definitions.end(),
                             {{"l", Type::kS}, {"g1", Type::kS}, {"g2", Type::kN}, {"g3", Type::kB}});
  api::IndexRequest local = index_request("local", {hash("pk"), range("l")}, api::ProjectionKind::kKeysOnly);
  local.global = false;
  request.local_indexes = {{local}};
  api::IndexRequest some = index_request("some", {hash("g2"), range("pk")}, api::ProjectionKind::kInclude);
  some.projected = {{"big", "a"}};
  api::IndexRequest many =
      index_request("many", {hash("g1"), hash("g2"), range("l"), range("g3")}, api::ProjectionKind::kKeysOnly);
  request.global_indexes = {{index_request("all", {hash("g1")}), some, many}};
  return request;
}

class WritePropertyTest : public TableTest {
 protected:
  WritePropertyTest() {
    create(property_table());
    // Moments so long ago that nothing is deleted.
    EXPECT_TRUE(wait_for(update_ttl(db(), {"T", true, "g2"})).ok());
  }

  Item key_item(const Place& place) { return item({{"pk", s(place.first)}, {"sk", n(place.second)}}); }
  Place random_place() { return {"p" + std::to_string(chance_.below(3)), static_cast<int64_t>(chance_.below(6)) - 2}; }
  AttributeValue random_value(const std::string& name) {
    const auto number = static_cast<int64_t>(chance_.below(3));
    if (name == "g2") return n(number - 1);
    if (name == "g3") return b(std::string(chance_.below(2) + 1, '\0'));
    if (name == "big") return s(std::string(chance_.below(3'000), 'x'));
    return s(std::string(1, static_cast<char>('a' + number)));
  }

  Write random_put(const Place& place) {
    Write write{place, key_item(place), true, true, {}};
    for (const char* name : {"l", "g1", "g2", "g3", "big", "a", "z"}) {
      if (chance_.below(4) != 0) write.wanted_after->set(name, random_value(name));
    }
    write.action.kind = Kind::kPut;
    write.action.item = model::encode_item(*write.wanted_after);
    return write;
  }

  Write random_delete(const Place& place) {
    Write write{place, std::nullopt, true, true, {}};
    write.action.kind = Kind::kDelete;
    write.action.key = key_item(place);
    return write;
  }

  Write random_update(const Place& place, const Item* before) {
    Write write{place, before ? *before : key_item(place), true, true, {}};
    std::string set, removed;
    Item values;
    for (const char* name : {"l", "g1", "g2", "g3", "big", "a", "z"}) {
      const uint64_t what = chance_.below(6);
      if (what == 0) {
        removed += (removed.empty() ? "REMOVE " : ", ") + std::string(name);
        write.wanted_after->erase(name);
      } else if (what == 1) {
        const std::string placeholder = ":" + std::string(name);
        set += (set.empty() ? "SET " : ", ") + std::string(name) + " = " + placeholder;
        values.set(placeholder, write.wanted_after->set(name, random_value(name)));
      }
    }
    if (set.empty() && removed.empty()) return random_put(place);
    write.creates = !set.empty();
    if (!before && !write.creates) write.wanted_after.reset();
    write.action.kind = Kind::kUpdate;
    write.action.key = key_item(place);
    std::optional<Item> given;
    if (!values.empty()) given = std::move(values);
    auto placeholders = expr::Placeholders::make(std::nullopt, std::move(given)).value();
    write.action.update = expr::parse_update(set + " " + removed, placeholders).value();
    return write;
  }

  Write random_check(const Place& place, const Item* before) {
    Write write{place, before ? std::optional<Item>(*before) : std::nullopt, true, true, {}};
    write.action.kind = Kind::kCheck;
    write.action.key = key_item(place);
    return write;
  }

  void add_condition(Write& write, const Item* before) {
    const bool exists = chance_.below(4) != 0;
    expr::Placeholders none;
    const std::string text = exists ? "attribute_exists(pk)" : "attribute_not_exists(pk)";
    write.action.condition = expr::parse_condition(text, expr::ExpressionKind::kCondition, none).value();
    write.condition_holds = exists == (before != nullptr);
    write.action.return_item_on_failure = chance_.below(2) == 0;
  }

  const Item* stored(const Place& place) {
    const auto found = model_.find(place);
    return found == model_.end() ? nullptr : &found->second;
  }

  Write random_write(const Place& place, bool in_transaction) {
    const Item* before = stored(place);
    const uint64_t what = chance_.below(in_transaction ? 7 : 6);
    Write write = what < 3    ? random_put(place)
                  : what < 5  ? random_update(place, before)
                  : what == 5 ? random_delete(place)
                              : random_check(place, before);
    if (write.action.kind == Kind::kCheck || chance_.below(4) == 0) add_condition(write, before);
    return write;
  }

  std::vector<Write> several_writes(bool in_transaction) {
    std::vector<Write> writes;
    std::vector<Place> places;
    for (uint64_t left = 1 + chance_.below(5); left > 0; --left) {
      const Place place = random_place();
      if (std::ranges::find(places, place) != places.end()) continue;
      places.push_back(place);
      writes.push_back(in_transaction          ? random_write(place, true)
                       : chance_.below(3) == 0 ? random_delete(place)
                                               : random_put(place));
    }
    return writes;
  }

  // Compares one carried-out write with the model, and makes it in the model.
  void settle_in_model(const Write& write, const api::Written& written, int64_t factor) {
    const Item* before = stored(write.place);
    EXPECT_EQ(written.existed, before != nullptr);
    const Item* after = write.wanted_after ? &*write.wanted_after : nullptr;
    auto units = expected_units(*find("T"), before, after);
    for (auto& [name, charged] : units) charged *= factor;
    EXPECT_EQ(units_of(written.consumed), units);
    if (write.action.kind == Kind::kUpdate && factor == 1) {
      EXPECT_EQ(written.after, write.wanted_after);
    }
    if (after != nullptr) {
      model_[write.place] = *after;
    } else {
      model_.erase(write.place);
    }
  }

  void one_write() {
    const Write write = random_write(random_place(), false);
    const auto written = wait_for(write_item(db(), find("T"), write.action));
    ASSERT_EQ(written.ok(), write.condition_holds);
    if (written.ok()) return settle_in_model(write, *written, 1);
    EXPECT_EQ(model::fault_of(written.error()), Fault::kConditionFailed);
    expect_returned_item(write, written.error().detail());
  }

  void expect_returned_item(const Write& write, const std::shared_ptr<const ErrorDetail>& detail) {
    const auto* failed = dynamic_cast<const model::ConditionFailedDetail*>(detail.get());
    const Item* before = stored(write.place);
    ASSERT_EQ(failed != nullptr, write.action.return_item_on_failure && before != nullptr);
    if (failed != nullptr) {
      EXPECT_EQ(failed->item, encoded(*before));
    }
  }

  void one_batch() {
    const std::vector<Write> writes = several_writes(false);
    api::BatchWriteRequest batch;
    batch.parts.push_back({"T", {}});
    for (const auto& write : writes) batch.parts[0].actions.push_back(write.action);
    const auto done = carry_out(db(), batch);
    ASSERT_TRUE(done.ok());
    ASSERT_EQ(done->written.size(), writes.size());
    for (size_t i = 0; i < writes.size(); ++i) settle_in_model(writes[i], done->written[i], 1);
  }

  void one_transaction() {
    const std::vector<Write> writes = several_writes(true);
    api::TransactWriteRequest request;
    for (const auto& write : writes) request.parts.push_back({"T", write.action});
    const auto written = carry_out(db(), request);
    const bool all = std::ranges::all_of(writes, &Write::condition_holds);
    ASSERT_EQ(written.ok(), all);
    if (all) {
      ASSERT_EQ(written->written.size(), writes.size());
      for (size_t i = 0; i < writes.size(); ++i) settle_in_model(writes[i], written->written[i], 2);
      return;
    }
    ASSERT_EQ(model::fault_of(written.error()), Fault::kTransactionCancelled);
    const auto& detail = dynamic_cast<const model::TransactionCancelledDetail&>(*written.error().detail());
    ASSERT_EQ(detail.reasons.size(), writes.size());
    for (size_t i = 0; i < writes.size(); ++i) {
      EXPECT_EQ(detail.reasons[i].error.has_value(), !writes[i].condition_holds);
      if (detail.reasons[i].error) expect_returned_item(writes[i], detail.reasons[i].error->detail());
    }
  }

  void expect_items_as_in_model() {
    std::vector<std::string> wanted, found;
    for (const auto& [place, stored_item] : model_) wanted.push_back(encoded(stored_item));
    for (const auto& row : rows("T")) found.push_back(encoded(row));
    std::ranges::sort(wanted);
    std::ranges::sort(found);
    EXPECT_TRUE(wanted == found);
  }

  SeededRandom chance_{20'26};
  std::map<Place, Item> model_;
};

TEST_F(WritePropertyTest, IndexesCountersAndChargesFollowTheItems) {
  for (int round = 0; round < 1'500 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    switch (chance_.below(4)) {
      case 0:
        one_batch();
        break;
      case 1:
        one_transaction();
        break;
      default:
        one_write();
    }
    if (round % 5 != 0) continue;
    expect_items_as_in_model();
    expect_consistent("T");
  }
  // Nothing is left when every item is gone.
  for (const auto& [place, left] : model_) EXPECT_TRUE(write(Kind::kDelete, "T", key_item(place)).ok());
  EXPECT_EQ(stored_rows(find("T")->id), 0u);
  expect_consistent("T");
}

TEST_F(WritePropertyTest, AWrongIndexKeyChangesNothing) {
  const Item sound = item({{"pk", s("p")}, {"sk", n(1)}, {"g1", s("g")}});
  put("T", sound);
  const std::vector<std::pair<AttributeValue, Fault>> wrong = {
      {n(1), Fault::kIndexKeyTypeMismatch},
      {s(""), Fault::kIndexKeyEmpty},
      {s(std::string(2'049, 'x')), Fault::kIndexPartitionKeyTooLong},
  };
  for (const auto& [value, fault] : wrong) {
    Item bad = sound;
    bad.set("g1", value);
    const auto refused = write(Kind::kPut, "T", bad);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(model::fault_of(refused.error()), fault);
  }
  Item long_sort = sound;
  long_sort.set("l", s(std::string(1'025, 'x')));
  const auto refused = write(Kind::kPut, "T", long_sort);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kIndexSortKeyTooLong);
  EXPECT_EQ(rows("T"), std::vector<Item>{sound});
  expect_consistent("T");
}

TEST_F(WritePropertyTest, AnUpdateWritesNoEmptyIndexKeyAndLooksIntoNoKey) {
  const auto refused = [&](std::string_view text) {
    expr::Placeholders placeholders =
        expr::Placeholders::make(std::nullopt, item({{":e", s("")}, {":n", n(1)}})).value();
    api::WriteAction action;
    action.kind = Kind::kUpdate;
    action.key = item({{"pk", s("p")}, {"sk", n(1)}});
    action.update = expr::parse_update(text, placeholders).value();
    BoundWrite write(find("T"), action);
    const auto checked = check_write(write);
    return checked.ok() ? Fault::kCount : model::fault_of(checked.error());
  };
  EXPECT_EQ(refused("SET g1 = :e"), Fault::kUpdateIndexKeyEmpty);
  EXPECT_EQ(refused("SET g1 = :n"), Fault::kIndexKeyTypeMismatch);
  EXPECT_EQ(refused("SET v = pk.x"), Fault::kKeyNotScalar);
  EXPECT_EQ(refused("REMOVE g1[0]"), Fault::kIndexKeyNotScalar);
  EXPECT_EQ(refused("SET v = g1"), Fault::kCount);
}

TEST_F(WritePropertyTest, TheLongestKeysFit) {
  const std::string zeros(1'024, '\0');         // the worst case of the stored form
  const Item longest = item({{"pk", s(zeros)},  // the sort key of an index, too
                             {"sk", n(1)},
                             {"g1", s(zeros + zeros)},
                             {"g2", n(-7)},
                             {"l", s(zeros)},
                             {"g3", b(zeros)}});
  put("T", longest);
  expect_consistent("T");
  EXPECT_EQ(rows("T", "many").size(), 1u);
  Item too_long = longest;
  too_long.set("pk", s(zeros + zeros + "x"));
  const auto refused = write(Kind::kPut, "T", too_long);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kPartitionKeyTooLong);
}

TEST_F(WritePropertyTest, AFailedBatchWritesNothing) {
  api::WriteAction good;
  good.item = model::encode_item(item({{"pk", s("p")}, {"sk", n(1)}}));
  api::WriteAction bad;
  bad.item = model::encode_item(item({{"pk", s("p")}, {"sk", s("not a number")}}));
  api::BatchWriteRequest request;
  request.parts.push_back({"T", {good, bad}});
  const auto refused = carry_out(db(), request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kKeySchemaMismatch);
  EXPECT_TRUE(rows("T").empty());
}

}  // namespace
}  // namespace partita::table
