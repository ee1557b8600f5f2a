#include "expr/placeholders.h"

#include <algorithm>

#include "model/fault.h"
#include "model/limits.h"
#include "model/size.h"

namespace partita::expr {
namespace {

using model::Fault;

constexpr size_t kMaxKeyBytes = 255;

bool is_key(std::string_view key, char mark) {
  return key.size() > 1 && key[0] == mark && std::ranges::all_of(key.substr(1), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

// All of one kind together, and both kinds together.
Result<void> check_sizes(const Placeholders::Names& names, const model::AttributeMap& values) {
  size_t name_bytes = 0;
  for (const auto& [key, name] : names) name_bytes += key.size() + name.size();
  if (name_bytes > model::kMaxPlaceholderBytes) return model::refuse(Fault::kNamesTooLarge);
  const size_t value_bytes = model::item_size(values);
  if (value_bytes > model::kMaxPlaceholderBytes) return model::refuse(Fault::kValuesTooLarge);
  if (name_bytes + value_bytes > model::kMaxPlaceholderBytes) return model::refuse(Fault::kPlaceholdersTooLarge);
  return {};
}

Result<void> check_names(const Placeholders::Names& names) {
  if (names.empty()) return model::refuse(Fault::kNamesEmpty);
  for (const auto& [key, name] : names) {
    if (key.size() > kMaxKeyBytes) return model::refuse(Fault::kNamesKeyTooLong, {std::to_string(key.size())});
    if (!is_key(key, '#')) return model::refuse(Fault::kNamesKeySyntax, {key});
  }
  for (const auto& [key, name] : names) {
    if (name.empty()) return model::refuse(Fault::kNamesValueEmpty, {key});
    if (name.size() > model::kMaxAttributeNameBytes) return model::refuse(Fault::kNamesValueTooLong, {key});
  }
  return {};
}

// Sorts by key.
void keep_last_of_each(Placeholders::Names& names) {
  std::ranges::stable_sort(names, std::ranges::less(), &Placeholders::Names::value_type::first);
  const auto doubles =
      std::unique(names.rbegin(), names.rend(), [](const auto& a, const auto& b) { return a.first == b.first; });
  names.erase(names.begin(), doubles.base());
}

Result<void> check_values(const model::AttributeMap& values) {
  if (values.empty()) return model::refuse(Fault::kValuesEmpty);
  for (const auto& [key, value] : values) {
    if (key.size() > kMaxKeyBytes) return model::refuse(Fault::kValuesKeyTooLong);
    if (!is_key(key, ':')) return model::refuse(Fault::kValuesKeySyntax, {key});
  }
  return {};
}

void add_unused(std::string& list, std::string_view key) {
  if (!list.empty()) list += ", ";
  list += key;
}

}  // namespace

std::string_view expression_name(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kCondition:
      return "ConditionExpression";
    case ExpressionKind::kFilter:
      return "FilterExpression";
    case ExpressionKind::kKeyCondition:
      return "KeyConditionExpression";
    case ExpressionKind::kProjection:
      return "ProjectionExpression";
    case ExpressionKind::kUpdate:
      return "UpdateExpression";
    case ExpressionKind::kSearch:
      return "SearchConditionExpression";
  }
  return "";
}

Result<Placeholders> Placeholders::make(std::optional<Names> names, std::optional<model::AttributeMap> values) {
  Placeholders made;
  if (names) {
    PARTITA_TRY_VOID(check_names(*names));
    made.names_ = std::move(*names);
    keep_last_of_each(made.names_);
    made.names_used_.resize(made.names_.size());
  }
  if (values) {
    PARTITA_TRY_VOID(check_values(*values));
    made.values_used_.resize(values->size());
    made.values_ = std::make_shared<const model::AttributeMap>(std::move(*values));
  }
  static const model::AttributeMap kNone;
  PARTITA_TRY_VOID(check_sizes(made.names_, made.values_ != nullptr ? *made.values_ : kNone));
  return made;
}

const std::string* Placeholders::use_name(std::string_view key) {
  const auto found =
      std::ranges::lower_bound(names_, key, {}, [](const auto& entry) -> std::string_view { return entry.first; });
  if (found == names_.end() || found->first != key) return nullptr;
  names_used_[static_cast<size_t>(found - names_.begin())] = true;
  return &found->second;
}

ValuePtr Placeholders::use_value(std::string_view key) {
  if (values_ == nullptr) return nullptr;
  const auto found = std::lower_bound(values_->begin(), values_->end(), key,
                                      [](const auto& entry, std::string_view wanted) { return entry.name < wanted; });
  if (found == values_->end() || found->name != key) return nullptr;
  values_used_[static_cast<size_t>(found - values_->begin())] = true;
  return ValuePtr(values_, &found->value);
}

Result<void> Placeholders::check_all_used() const {
  std::string unused;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!names_used_[i]) add_unused(unused, names_[i].first);
  }
  if (!unused.empty()) return model::refuse(Fault::kUnusedNames, {unused});
  for (size_t i = 0; i < values_used_.size(); ++i) {
    if (!values_used_[i]) add_unused(unused, (values_->begin() + static_cast<ptrdiff_t>(i))->name);
  }
  if (!unused.empty()) return model::refuse(Fault::kUnusedValues, {unused});
  return {};
}

}  // namespace partita::expr
