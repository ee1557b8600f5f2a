// A store that is closed: "T" has an index of each kind, a stream, a time to live and a policy; "U" is beside it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/engine.h"
#include "table/control/policy.h"
#include "table/control/ttl.h"
#include "table/open/table_testing.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/item_rows.h"
#include "table/rows/stream_rows.h"

namespace partita::table {

class FullStoreTest : public TableTest {
 protected:
  static constexpr int kItems = 30;  // that were put into "T"
  static constexpr int kLeft = 24;   // a fifth was deleted again

  FullStoreTest() {
    api::CreateTableRequest request = plain_table();
    request.definitions.insert(request.definitions.end(), {{"l", model::Type::kS}, {"g", model::Type::kS}});
    api::IndexRequest local = index_request("local", {hash("pk"), range("l")}, api::ProjectionKind::kKeysOnly);
    local.global = false;
    request.local_indexes = {{local}};
    request.global_indexes = {{index_request("all", {hash("g")})}};
    api::IndexRequest near = index_request("near", {}, api::ProjectionKind::kKeysOnly);
    near.vector = api::VectorRequest{"v", 3, api::Distance::kCosine, {}};
    request.vector_indexes = {{near}};
    request.stream = api::StreamRequest{true, "NEW_AND_OLD_IMAGES"};
    const ResourcePolicy policy{"{}"};
    create(request);
    api::Resource resource;
    resource.name = "T";
    EXPECT_TRUE(wait_for(put_policy(db(), resource, policy, std::nullopt)).ok());
    EXPECT_TRUE(wait_for(update_ttl(db(), {"T", true, "expires"})).ok());
    create(plain_table("U"));
    for (int i = 0; i < kItems; ++i) put("T", row(i));
    for (int i = 0; i < kItems; i += 5) EXPECT_TRUE(write(api::WriteAction::Kind::kDelete, "T", key(i)).ok());
    put("U", row(1));
    wait_for_jobs();
    table_ = find("T");
    id_of_u_ = find("U")->id;
    close();
  }

  static Item key(int i) { return item({{"pk", s("p" + std::to_string(i % 4))}, {"sk", n(i)}}); }
  static Item row(int i) {
    Item made = key(i);
    made.set("l", s("l" + std::to_string(i % 3)));
    if (i % 2 == 0) made.set("g", s("g" + std::to_string(i % 5)));
    if (i % 3 == 0) made.set("expires", n(2'000'000'000 + i));
    if (i % 4 != 0) made.set("v", AttributeValue::list({n(i), n(1), n(2)}));
    return made;
  }

  const TableInfo& table() const { return *table_; }
  uint32_t id_of_u() const { return id_of_u_; }
  const IndexInfo& index(const char* name) const { return *table_->find_index(name); }
  storage::Key row_of(const char* name, int i) const { return *index_key(table(), index(name), row(i)); }
  storage::Key expiry_of_item(int i) {
    storage::Changes changes;
    put_expiry_row(table(), item_key(table(), row(i)), 2'000'000'000 + i, changes);
    return changes.writes()[0].key;
  }
  std::string topic(uint32_t shard = 1) const { return topic_of(table().id, table().stream.created_ms, shard); }

  void change(const std::function<void(storage::Changes&)>& how) {
    std::vector<storage::Key> none;
    std::vector<storage::Compare> nothing;
    const storage::Decide decide = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
      how(changes);
      return storage::Decision::kCommit;
    };
    ASSERT_TRUE(wait_for(engine_.transact(std::move(none), std::move(nothing), decide, nullptr)).ok());
  }
  void erase(const storage::Key& one) {
    change([&](storage::Changes& changes) { changes.erase(one); });
  }
  std::string stored(const storage::Key& one) {
    const std::vector<storage::Key> keys{one};
    return wait_for(engine_.read(keys)).value()[0].value().value;
  }
  bool holds(const storage::Key& one) {
    const std::vector<storage::Key> keys{one};
    return wait_for(engine_.read(keys)).value()[0].has_value();
  }

 private:
  Table table_;
  uint32_t id_of_u_ = 0;
};

}  // namespace partita::table
