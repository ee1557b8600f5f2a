#include "table/schema.h"

#include <algorithm>

namespace partita::table {

Status TableInfo::status_at(int64_t now_ms) const {
  const bool passing = status == Status::kCreating || status == Status::kUpdating;
  return passing && is_due(settles_at_ms, now_ms) ? Status::kActive : status;
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

}  // namespace partita::table
