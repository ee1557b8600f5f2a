#include <gtest/gtest.h>

#include <tuple>

#include "table/rows/schema.h"

namespace partita::table {
namespace {

using model::Type;

TableInfo rich_table() {
  TableInfo table;
  table.id = 0xfffffffe;
  table.name = "Orders";
  table.uuid = "2c0a9f5e-6c1e-4b0e-9d53-0f6f2d9d6f5e";
  table.keys = {{{"pk", Type::kS}}, {{"sk", Type::kB}}};
  table.attribute_definitions = {{"g", Type::kN}, {"pk", Type::kS}, {"sk", Type::kB}};
  table.billing_mode = api::BillingMode::kPayPerRequest;
  table.billing_changed_ms = 11;
  table.throughput = {1, 2, 3, 4, 5, Pending<api::Units>{{31, 32}, 33}, 34};
  table.on_demand.max_read_units = 6;
  table.limits_settle_at_ms = 35;
  table.warm = {7, 8};
  table.next_warm = {{36, 37}, 38};
  table.created_ms = 1'700'000'000'123;
  table.status = Status::kUpdating;
  table.settles_at_ms = 9;
  table.job = TableJob::kTableClass;
  table.next_index_id = 65'535;
  table.deletion_protection = true;
  table.table_class = "STANDARD_INFREQUENT_ACCESS";
  table.next_table_class = "STANDARD";
  table.table_class_changed_ms = 10;
  table.table_class_changed_before_ms = 39;
  table.replication_mode = "DISABLED";
  table.next_encryption = {{true, "40"}, 41};
  table.encryption = Encryption{true, "arn:aws:kms:eu-west-1:1:key/k"};
  table.stream = {true, "NEW_IMAGE", "2026-01-01T00:00:00.000", 43, {{44, 45, 46, 47, 48, 49}, {50, 51, 52, 53, 54, 0}},
                  {}};
  table.stream.tags = {{"of", "the stream"}};
  table.tags = {{"team", "blue"}, {"empty", ""}};
  table.tags_in_flight = {{{"team", "blue"}}, 49};
  table.insights = Insights{true, true, 43, 44, true};
  table.kinesis = {{.arn = "arn:one", .sink = 7, .precision = "MICROSECOND", .updating = true, .changed_ms = 47},
                   {.arn = "arn:two", .failure = "why", .changed_ms = 48}};
  table.ttl = TimeToLive{"expires", 47};
  table.ttl_changed_ms = 48;
  table.revision = 12;
  IndexInfo index;
  index.id = 3;
  index.name = "by-g";
  index.keys = {{{"g", Type::kN}, {"pk", Type::kS}}, {{"sk", Type::kB}}};
  index.projection = {api::ProjectionKind::kInclude, {"b", "a"}};
  index.throughput = {21, 22, 23, 24, 25, {}, 0};
  index.on_demand.max_write_units = 26;
  index.warm = {27, 28};
  index.status = Status::kCreating;
  index.settles_at_ms = 42;
  index.backfilling = true;
  index.insights = Insights{false, false, 45, 46, false};
  table.indexes.push_back(index);
  IndexInfo local;
  local.id = 1;
  local.name = "local";
  local.global = false;
  local.projection.kind = api::ProjectionKind::kKeysOnly;
  table.indexes.push_back(local);
  return table;
}

TEST(SchemaCodecTest, WhatIsStoredComesBack) {
  const model::Item stored = to_item(rich_table());
  const Result<TableInfo> table = table_from_item(stored);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->id, 0xfffffffe);
  EXPECT_EQ(table->name, "Orders");
  EXPECT_EQ(table->keys, rich_table().keys);
  EXPECT_EQ(table->attribute_definitions, rich_table().attribute_definitions);
  EXPECT_EQ(table->billing_mode, api::BillingMode::kPayPerRequest);
  EXPECT_EQ(table->throughput.decreases_today, 5);
  EXPECT_EQ(table->on_demand.max_read_units, 6);
  EXPECT_FALSE(table->on_demand.max_write_units);
  EXPECT_EQ(table->warm.write_units, 8);
  ASSERT_TRUE(table->next_warm);
  EXPECT_EQ(table->next_warm->value.read_units, 36);
  ASSERT_TRUE(table->throughput.next);
  EXPECT_EQ(table->throughput.next->value, (api::Units{31, 32}));
  EXPECT_EQ(table->ttl, rich_table().ttl);
  EXPECT_EQ(table->ttl_changed_ms, 48);
  EXPECT_EQ(table->insights, rich_table().insights);
  ASSERT_EQ(table->kinesis.size(), 2U);
  const KinesisStream& stream = table->kinesis[0];
  EXPECT_EQ(std::tie(stream.arn, stream.precision, stream.failure), std::tuple("arn:one", "MICROSECOND", ""));
  EXPECT_TRUE(stream.sink == 7 && stream.updating && stream.changed_ms == 47);
  EXPECT_TRUE(table->kinesis[1].failure == "why" && table->kinesis[1].sink == 0 && !table->kinesis[1].updating);
  EXPECT_EQ(table->indexes[0].insights, rich_table().indexes[0].insights);
  EXPECT_FALSE(table->indexes[1].insights);
  ASSERT_TRUE(table->next_encryption);
  EXPECT_EQ(table->next_encryption->due_ms, 41);
  EXPECT_EQ(table->status, Status::kUpdating);
  EXPECT_EQ(table->next_index_id, 65'535);
  ASSERT_TRUE(table->encryption);
  EXPECT_EQ(table->encryption->key, "arn:aws:kms:eu-west-1:1:key/k");
  EXPECT_EQ(table->stream.view_type, "NEW_IMAGE");
  EXPECT_EQ(table->tags, rich_table().tags);
  ASSERT_EQ(table->indexes.size(), 2u);
  EXPECT_EQ(table->indexes[0].keys, rich_table().indexes[0].keys);
  EXPECT_EQ(table->indexes[0].projection, rich_table().indexes[0].projection);
  EXPECT_EQ(table->indexes[0].status, Status::kCreating);
  EXPECT_TRUE(table->indexes[0].backfilling);
  EXPECT_FALSE(table->indexes[1].global);
  // Every field that is stored, whatever the list above forgets.
  EXPECT_EQ(to_item(*table), stored);
}

TEST(SchemaCodecTest, AFieldOfAnotherTypeIsDamage) {
  const model::Item sound = to_item(rich_table());
  for (const auto& [name, value] : sound) {
    model::Item damaged = sound;
    damaged.set(name, model::AttributeValue::binary("?"));
    const Result<TableInfo> table = table_from_item(damaged);
    ASSERT_FALSE(table.ok()) << name;
    EXPECT_EQ(table.error().kind(), ErrorKind::kCorrupt) << name;
  }
}

// What is counted on to be one of a few, or to fit, is looked at when it is read.
TEST(SchemaCodecTest, ANumberThatNoFieldTakesIsDamage) {
  const model::Item sound = to_item(rich_table());
  const auto number = [](int64_t value) { return model::AttributeValue::number(model::Number::of(value)); };
  const auto is_damage = [](const model::Item& stored) { return !table_from_item(stored).ok(); };
  for (const char* field : {"billing", "job", "status"}) {
    for (const int64_t value : {-1, 6, 256}) {
      model::Item damaged = sound;
      damaged.set(field, number(value));
      EXPECT_TRUE(is_damage(damaged)) << field << value;
    }
  }
  for (const int64_t value : {int64_t{-1}, int64_t{1} << 32}) {
    model::Item damaged = sound;
    damaged.set("id", number(value));
    EXPECT_TRUE(is_damage(damaged)) << value;
  }
  for (const char* field : {"projection", "status", "id"}) {
    model::AttributeMap index = sound.find("indexes")->as_list()[0].as_map();
    index.set(field, number(65'536));
    model::Item damaged = sound;
    damaged.set("indexes", model::AttributeValue::list({model::AttributeValue::map(index)}));
    EXPECT_TRUE(is_damage(damaged)) << field;
  }
  model::AttributeMap element;
  element.set("name", model::AttributeValue::string("pk"));
  element.set("type", number(static_cast<int64_t>(Type::kM)));
  model::Item damaged = sound;
  damaged.set("partition", model::AttributeValue::list({model::AttributeValue::map(element)}));
  EXPECT_TRUE(is_damage(damaged));
}

TEST(SchemaCodecTest, ANewFieldIsNoDamageAndAMissingOneHasItsDefault) {
  model::Item stored = to_item(rich_table());
  stored.set("zone", model::AttributeValue::string("from a later version"));
  stored.erase("protected");
  const Result<TableInfo> table = table_from_item(stored);
  ASSERT_TRUE(table.ok());
  EXPECT_FALSE(table->deletion_protection);
}

TEST(SchemaCodecTest, AnEntryWithoutANameOrAKeyIsDamage) {
  for (const char* field : {"name", "partition"}) {
    model::Item stored = to_item(rich_table());
    stored.erase(field);
    EXPECT_FALSE(table_from_item(stored).ok()) << field;
  }
}

}  // namespace
}  // namespace partita::table
