#include "clusters/rows.h"

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/rows/field_visitor.h"
#include "table/rows/system_rows.h"

namespace partita::clusters {

namespace {

using model::AttributeValue;
using model::Item;
using model::Type;
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

// `Of` may be const.
template <class Of, class Row>
concept IsRow = std::same_as<std::remove_const_t<Of>, Row>;

// The fields of the rows. `each` is called with the name and the value of each of them; it writes or reads the value.
template <class Each, IsRow<Node> Of>
void visit_fields(Each& each, Of& node) {
  each("created", node.created_ms);
  each("id", node.id);
  each("parameter_group", node.parameter_group);
  each("rebooted", node.rebooted_ms);
  each("removed", node.removed_ms);
  each("zone", node.zone);
}

template <class Each, IsRow<Cluster> Of>
void visit_fields(Each& each, Of& cluster) {
  each("changed", cluster.changed_ms);
  each("created", cluster.created_ms);
  each("deleted", cluster.deleted_ms);
  each("description", cluster.description);
  each("encrypted", cluster.encrypted);
  each("name", cluster.name);
  each("network", cluster.network, api::NetworkType::kDualStack);
  each("node_type", cluster.node_type);
  each("nodes", cluster.nodes);
  each("parameter_group", cluster.parameter_group);
  each("role", cluster.role);
  each("security_groups", cluster.security_groups);
  each("subnet_group", cluster.subnet_group);
  each("tags", cluster.tags);
  each("tls", cluster.tls);
  each("topic", cluster.topic);
  each("window", cluster.window);
}

template <class Each, IsRow<ParameterGroup> Of>
void visit_fields(Each& each, Of& group) {
  each("description", group.description);
  each("name", group.name);
  each("query_ttl", group.query_ttl_ms);
  each("record_ttl", group.record_ttl_ms);
}

template <class Each, IsRow<SubnetGroup> Of>
void visit_fields(Each& each, Of& group) {
  each("description", group.description);
  each("name", group.name);
  each("subnets", group.subnets);
}

template <class Each, IsRow<Event> Of>
void visit_fields(Each& each, Of& event) {
  each("at", event.at_ms);
  each("message", event.message);
  each("name", event.name);
  each("number", event.number);
  each("source", event.source, api::EventSource::kSubnetGroup);
}

class RowWriter : public table::FieldWriter {
 public:
  using table::FieldWriter::operator();
  void operator()(std::string_view name, const std::vector<Node>& value) {
    AttributeValue::List list;
    for (const Node& node : value) {
      RowWriter fields;
      visit_fields(fields, node);
      list.push_back(AttributeValue::map(fields.item()));
    }
    set(name, AttributeValue::list(std::move(list)));
  }
};

class RowReader : public table::FieldReader {
 public:
  using table::FieldReader::FieldReader;
  using table::FieldReader::operator();
  void operator()(std::string_view name, std::vector<Node>& value) {
    const auto* const nodes = fields().find(name, Type::kL);
    if (nodes == nullptr) return;
    for (const AttributeValue& one : nodes->as_list()) {
      fields().require(one.is(Type::kM));
      if (!one.is(Type::kM)) return;
      RowReader node(one.as_map());
      visit_fields(node, value.emplace_back());
      fields().require(node.sound());
    }
  }
};

template <class Row>
std::string row_of(const Row& row) {
  RowWriter fields;
  visit_fields(fields, row);
  return std::string(1, static_cast<char>(table::kClusterFormat)).append(model::encode_item(fields.item()));
}

template <class Row>
Result<Row> row_from(std::string_view bytes) {
  if (take_u8(bytes) != table::kClusterFormat) return damaged();
  PARTITA_TRY(const Item item, model::decode_item(bytes));
  RowReader fields(item);
  Row row;
  visit_fields(fields, row);
  if (!fields.sound()) return damaged();
  return row;
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

std::string cluster_row(const Cluster& cluster) { return row_of(cluster); }
std::string parameter_group_row(const ParameterGroup& group) { return row_of(group); }
std::string subnet_group_row(const SubnetGroup& group) { return row_of(group); }
std::string event_row(const Event& event) { return row_of(event); }

Result<Cluster> cluster_from(std::string_view row) {
  PARTITA_TRY(Cluster cluster, row_from<Cluster>(row));
  if (cluster.name.empty() || cluster.nodes.empty()) return damaged();
  return cluster;
}

Result<ParameterGroup> parameter_group_from(std::string_view row) {
  PARTITA_TRY(ParameterGroup group, row_from<ParameterGroup>(row));
  if (group.name.empty()) return damaged();
  return group;
}

Result<SubnetGroup> subnet_group_from(std::string_view row) {
  PARTITA_TRY(SubnetGroup group, row_from<SubnetGroup>(row));
  if (group.name.empty()) return damaged();
  return group;
}

Result<Event> event_from(std::string_view row) { return row_from<Event>(row); }

}  // namespace partita::clusters
