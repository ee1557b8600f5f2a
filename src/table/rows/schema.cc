#include "table/rows/schema.h"

#include <algorithm>
#include <utility>

namespace partita::table {

namespace {

constexpr int64_t kDayMs = 24LL * 60 * 60 * 1000;

void settle_units(Throughput& throughput, WarmThroughput& warm, int64_t now_ms) {
  if (!throughput.next || !is_due(throughput.next->due_ms, now_ms)) return;
  throughput.read_units = throughput.next->value.read;
  throughput.write_units = throughput.next->value.write;
  throughput.decreases_today = throughput.next_decreases;
  throughput.next.reset();
  warm = warmer(warm, {throughput.read_units, throughput.write_units});
}

void settle_limits(api::OnDemandLimits& limits, int64_t due_ms, int64_t now_ms) {
  if (!is_due(due_ms, now_ms)) return;
  for (auto* limit : {&limits.max_read_units, &limits.max_write_units}) {
    if (limit->value_or(0) < 0) limit->reset();
  }
}

// What a table and a global index have in common.
template <class Owner>
void settle_capacity(Owner& owner, int64_t now_ms) {
  settle_units(owner.throughput, owner.warm, now_ms);
  settle_limits(owner.on_demand, owner.limits_settle_at_ms, now_ms);
  if (owner.next_warm && is_due(owner.next_warm->due_ms, now_ms)) {
    owner.warm = warmer(owner.warm, owner.next_warm->value);
    owner.next_warm.reset();
  }
}

}  // namespace

WarmThroughput initial_warmth(api::BillingMode mode, const Throughput& throughput) {
  // "On-demand capacity mode" in DynamoDB's developer guide.
  if (mode == api::BillingMode::kPayPerRequest) return {12'000, 4'000};
  return {throughput.read_units, throughput.write_units};
}

WarmThroughput warmer(const WarmThroughput& one, const WarmThroughput& other) {
  return {std::max(one.read_units, other.read_units), std::max(one.write_units, other.write_units)};
}

int64_t Throughput::decreases_on(int64_t now_ms) const {
  return last_decrease_ms / kDayMs == now_ms / kDayMs ? decreases_today : 0;
}

void TableInfo::settle(int64_t now_ms) {
  const bool done = status != status_at(now_ms);
  if (done) {
    const bool became_on_demand = status == Status::kCreating || job == TableJob::kBilling;
    if (became_on_demand && billing_mode == api::BillingMode::kPayPerRequest) {
      billing_changed_ms = status == Status::kCreating ? created_ms : settles_at_ms;
      warm = warmer(warm, initial_warmth(billing_mode, throughput));
      for (auto& index : indexes) index.warm = warmer(index.warm, initial_warmth(billing_mode, index.throughput));
    }
    if (job == TableJob::kTableClass) {
      table_class = std::move(next_table_class);
      next_table_class.clear();
      table_class_changed_before_ms = table_class_changed_ms;
      table_class_changed_ms = settles_at_ms;
    }
    status = Status::kActive;
    job = TableJob::kNone;
  }
  settle_capacity(*this, now_ms);
  for (auto& index : indexes) {
    settle_capacity(index, now_ms);
    if (is_due(index.settles_at_ms, now_ms)) index.settles_at_ms = 0;
  }
  if (next_encryption && is_due(next_encryption->due_ms, now_ms)) {
    encryption.reset();
    if (next_encryption->value.kms) encryption = std::move(next_encryption->value);
    next_encryption.reset();
  }
  if (tags_in_flight && is_due(tags_in_flight->due_ms, now_ms)) tags_in_flight.reset();
  // Definitions go with the last index that used them.
  std::erase_if(attribute_definitions, [&](const model::KeyElement& definition) {
    const auto uses = [&](const IndexInfo& index) { return index.needs(definition.name); };
    return !keys.names(definition.name) && std::ranges::none_of(indexes, uses);
  });
}

Status TableInfo::status_at(int64_t now_ms) const {
  const bool passing = status == Status::kCreating || status == Status::kUpdating;
  return passing && is_due(settles_at_ms, now_ms) ? Status::kActive : status;
}

bool IndexInfo::needs(std::string_view attribute) const {
  return keys.names(attribute) || (vector && vector->find(attribute) != nullptr);
}

uint64_t TableInfo::counting_run(uint16_t index_id) const {
  const auto found = std::ranges::find(counting, index_id, &Counting::index);
  return found == counting.end() ? 0 : found->run;
}

const IndexInfo* TableInfo::find_index(std::string_view index_name) const {
  const auto found = std::ranges::find(indexes, index_name, &IndexInfo::name);
  return found == indexes.end() ? nullptr : &*found;
}

IndexInfo* TableInfo::find_index(std::string_view index_name) {
  const auto found = std::ranges::find(indexes, index_name, &IndexInfo::name);
  return found == indexes.end() ? nullptr : &*found;
}

bool TableInfo::has_local_index() const {
  return std::ranges::any_of(indexes, [](const IndexInfo& index) { return !index.global; });
}

const model::KeyElement* TableInfo::find_definition(std::string_view attribute) const {
  const auto found = std::ranges::find(attribute_definitions, attribute, &model::KeyElement::name);
  return found == attribute_definitions.end() ? nullptr : &*found;
}

std::vector<std::string> key_attributes(const TableInfo& table, const IndexInfo* index) {
  std::vector<std::string> names;
  auto add = [&](const std::vector<model::KeyElement>& elements) {
    for (const auto& element : elements) {
      if (std::ranges::find(names, element.name) == names.end()) names.push_back(element.name);
    }
  };
  add(table.keys.partition);
  add(table.keys.sort);
  if (index != nullptr) {
    add(index->keys.partition);
    add(index->keys.sort);
  }
  return names;
}

std::optional<std::vector<std::string>> needed_attributes(const TableInfo& table) {
  std::vector<std::string> names = key_attributes(table, nullptr);
  for (const IndexInfo& index : table.indexes) {
    if (index.vector) return std::nullopt;
    const std::vector<std::string> keys = key_attributes(table, &index);
    names.insert(names.end(), keys.begin(), keys.end());
    names.insert(names.end(), index.projection.attributes.begin(), index.projection.attributes.end());
  }
  if (table.ttl) names.push_back(table.ttl->attribute);
  std::ranges::sort(names);
  const auto doubled = std::ranges::unique(names);
  names.erase(doubled.begin(), doubled.end());
  return names;
}

}  // namespace partita::table
