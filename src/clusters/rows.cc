#include "clusters/rows.h"

#include <utility>
#include <vector>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/rows/item_fields.h"
#include "table/rows/system_rows.h"

namespace partita::clusters {

namespace {

using model::AttributeValue;
using model::Item;
using model::Type;
using table::ItemFields;
using table::SystemRow;

// What follows the letter of these rows.
constexpr char kOfCluster = 'c';
constexpr char kOfEvent = 'e';
constexpr char kOfParameterGroup = 'p';
constexpr char kOfSubnetGroup = 's';

storage::Key key_of(char kind, std::string_view rest = {}) {
  return table::system_key(SystemRow::kCluster, std::string(1, kind).append(rest));
}

storage::Range range_of(char kind) { return storage::range_of(key_of(kind).bytes); }

Error damaged() { return Error(ErrorKind::kCorrupt, "a row of a DAX cluster is damaged"); }

AttributeValue whole(int64_t value) { return AttributeValue::number(model::Number::of(value)); }
AttributeValue text(std::string_view value) { return AttributeValue::string(std::string(value)); }

AttributeValue list_of(const std::vector<std::string>& all) {
  AttributeValue::List list;
  for (const std::string& one : all) list.push_back(text(one));
  return AttributeValue::list(std::move(list));
}

std::string row_of(const Item& item) {
  return std::string(1, static_cast<char>(table::kClusterFormat)).append(model::encode_item(item));
}

Result<Item> item_of(std::string_view row) {
  if (take_u8(row) != table::kClusterFormat) return damaged();
  return model::decode_item(row);
}

AttributeValue node_value(const Node& node) {
  Item item;
  item.set("created", whole(node.created_ms));
  item.set("id", text(node.id));
  item.set("parameter_group", text(node.parameter_group));
  item.set("rebooted", whole(node.rebooted_ms));
  item.set("removed", whole(node.removed_ms));
  item.set("zone", text(node.zone));
  return AttributeValue::map(std::move(item));
}

Result<Node> node_from(const AttributeValue& value) {
  if (!value.is(Type::kM)) return damaged();
  Node node;
  ItemFields fields(value.as_map());
  fields.take("created", node.created_ms);
  fields.take("id", node.id);
  fields.take("parameter_group", node.parameter_group);
  fields.take("rebooted", node.rebooted_ms);
  fields.take("removed", node.removed_ms);
  fields.take("zone", node.zone);
  if (!fields.sound()) return damaged();
  return node;
}

}  // namespace

storage::Key cluster_key() { return key_of(kOfCluster); }
storage::Key parameter_group_key(std::string_view name) { return key_of(kOfParameterGroup, name); }
storage::Key subnet_group_key(std::string_view name) { return key_of(kOfSubnetGroup, name); }

storage::Key event_key(const Event& event) {
  std::string rest;
  append_u64(rest, static_cast<uint64_t>(event.at_ms));
  append_u64(rest, event.number);
  return key_of(kOfEvent, rest);
}

storage::Range all_parameter_groups() { return range_of(kOfParameterGroup); }
storage::Range all_subnet_groups() { return range_of(kOfSubnetGroup); }
storage::Range all_events() { return range_of(kOfEvent); }

std::string cluster_row(const Cluster& cluster) {
  Item item;
  item.set("changed", whole(cluster.changed_ms));
  item.set("created", whole(cluster.created_ms));
  item.set("deleted", whole(cluster.deleted_ms));
  if (cluster.description) item.set("description", text(*cluster.description));
  item.set("encrypted", AttributeValue::boolean(cluster.encrypted));
  item.set("name", text(cluster.name));
  item.set("network", whole(static_cast<int64_t>(cluster.network)));
  item.set("node_type", text(cluster.node_type));
  AttributeValue::List nodes;
  for (const Node& node : cluster.nodes) nodes.push_back(node_value(node));
  item.set("nodes", AttributeValue::list(std::move(nodes)));
  item.set("parameter_group", text(cluster.parameter_group));
  item.set("role", text(cluster.role));
  item.set("security_groups", list_of(cluster.security_groups));
  item.set("subnet_group", text(cluster.subnet_group));
  Item tags;
  for (const auto& [key, value] : cluster.tags) tags.set(key, text(value));
  item.set("tags", AttributeValue::map(std::move(tags)));
  item.set("tls", AttributeValue::boolean(cluster.tls));
  if (cluster.topic) item.set("topic", text(*cluster.topic));
  item.set("window", text(cluster.window));
  return row_of(item);
}

Result<Cluster> cluster_from(std::string_view row) {
  PARTITA_TRY(const Item item, item_of(row));
  Cluster cluster;
  ItemFields fields(item);
  fields.take("changed", cluster.changed_ms);
  fields.take("created", cluster.created_ms);
  fields.take("deleted", cluster.deleted_ms);
  fields.take("description", cluster.description);
  fields.take("encrypted", cluster.encrypted);
  fields.take("name", cluster.name);
  fields.take("network", cluster.network, api::NetworkType::kDualStack);
  fields.take("node_type", cluster.node_type);
  fields.take("parameter_group", cluster.parameter_group);
  fields.take("role", cluster.role);
  fields.take("security_groups", cluster.security_groups);
  fields.take("subnet_group", cluster.subnet_group);
  fields.take("tls", cluster.tls);
  fields.take("topic", cluster.topic);
  fields.take("window", cluster.window);
  if (const auto* nodes = fields.find("nodes", Type::kL)) {
    for (const AttributeValue& value : nodes->as_list()) {
      PARTITA_TRY(Node node, node_from(value));
      cluster.nodes.push_back(std::move(node));
    }
  }
  if (const auto* tags = fields.find("tags", Type::kM)) {
    for (const auto& [key, value] : tags->as_map()) {
      if (!value.is(Type::kS)) return damaged();
      cluster.tags.emplace(key, value.as_string());
    }
  }
  if (!fields.sound() || cluster.name.empty() || cluster.nodes.empty()) return damaged();
  return cluster;
}

std::string parameter_group_row(const ParameterGroup& group) {
  Item item;
  item.set("description", text(group.description));
  item.set("name", text(group.name));
  item.set("query_ttl", whole(group.query_ttl_ms));
  item.set("record_ttl", whole(group.record_ttl_ms));
  return row_of(item);
}

Result<ParameterGroup> parameter_group_from(std::string_view row) {
  PARTITA_TRY(const Item item, item_of(row));
  ParameterGroup group;
  ItemFields fields(item);
  fields.take("description", group.description);
  fields.take("name", group.name);
  fields.take("query_ttl", group.query_ttl_ms);
  fields.take("record_ttl", group.record_ttl_ms);
  if (!fields.sound() || group.name.empty()) return damaged();
  return group;
}

std::string subnet_group_row(const SubnetGroup& group) {
  Item item;
  item.set("description", text(group.description));
  item.set("name", text(group.name));
  item.set("subnets", list_of(group.subnets));
  return row_of(item);
}

Result<SubnetGroup> subnet_group_from(std::string_view row) {
  PARTITA_TRY(const Item item, item_of(row));
  SubnetGroup group;
  ItemFields fields(item);
  fields.take("description", group.description);
  fields.take("name", group.name);
  fields.take("subnets", group.subnets);
  if (!fields.sound() || group.name.empty()) return damaged();
  return group;
}

std::string event_row(const Event& event) {
  Item item;
  item.set("at", whole(event.at_ms));
  item.set("message", text(event.message));
  item.set("name", text(event.name));
  item.set("number", whole(static_cast<int64_t>(event.number)));
  item.set("source", whole(static_cast<int64_t>(event.source)));
  return row_of(item);
}

Result<Event> event_from(std::string_view row) {
  PARTITA_TRY(const Item item, item_of(row));
  Event event;
  ItemFields fields(item);
  fields.take("at", event.at_ms);
  fields.take("message", event.message);
  fields.take("name", event.name);
  fields.take("number", event.number);
  fields.take("source", event.source, api::EventSource::kSubnetGroup);
  if (!fields.sound()) return damaged();
  return event;
}

}  // namespace partita::clusters
