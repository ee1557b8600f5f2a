#include "table/catalog/access.h"

#include <algorithm>

#include "model/fault_detail.h"
#include "model/item_codec.h"

namespace partita::table {

namespace {

void add(std::vector<std::string>& names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
}

void add(std::vector<std::string>& names, const expr::UpdateValue& value) {
  if (!value.path.attribute.empty()) names.push_back(value.path.attribute);
  for (const auto& argument : value.arguments) add(names, argument);
}

void add(std::vector<std::string>& names, const model::Item& item) {
  for (const auto& entry : item) names.push_back(entry.name);
}

}  // namespace

bool is_throttled(const Error& error) { return model::throttled_of(error) != nullptr; }

std::vector<const model::AttributeValue*> Access::leading_keys() const {
  std::vector<const model::AttributeValue*> values;
  if (range != nullptr) {
    for (const auto& value : range->partition) values.push_back(&value);
  } else if (item != nullptr) {
    for (const auto& element : table->keys.partition) values.push_back(item->find(element.name));
  }
  return values;
}

std::vector<std::string> Access::attributes() const {
  std::vector<std::string> names;
  if (!stored.empty()) {
    add(names, model::decode_item(stored).value());
  } else if (item != nullptr) {
    add(names, *item);
  }
  if (projection != nullptr) add(names, projection->attributes());
  if (keys != nullptr) add(names, keys->attributes());
  if (condition != nullptr) add(names, condition->attributes());
  if (update != nullptr) {
    for (const auto& action : update->actions()) {
      names.push_back(action.path.attribute);
      add(names, action.value);
    }
  }
  std::ranges::sort(names);
  const auto doubled = std::ranges::unique(names);
  names.erase(doubled.begin(), doubled.end());
  return names;
}

}  // namespace partita::table
