#include "app/resources_named.h"

#include "wire/json_reader.h"

namespace partita::app {

std::vector<std::string> resources_named(std::string_view body) {
  using wire::JsonDocument;
  using wire::JsonValue;
  constexpr size_t kMostRead = size_t{64} << 10;
  std::vector<std::string> names;
  if (body.size() > kMostRead) return names;
  const auto document = JsonDocument::parse(body);
  if (!document.ok()) return names;
  const auto add = [&names](JsonValue value) {
    if (value.is(JsonValue::Kind::kString)) names.emplace_back(value.as_string());
  };
  for (const std::string_view name : {"TableName", "ResourceArn", "StreamArn"}) add(document->root().get(name));
  for (const auto [table, requests] : document->root().get("RequestItems").members()) names.emplace_back(table);
  for (const JsonValue part : document->root().get("TransactItems").elements()) {
    for (const auto [kind, action] : part.members()) add(action.get("TableName"));
  }
  return names;
}

}  // namespace partita::app
