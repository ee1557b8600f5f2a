#include "observe/resources_named.h"

#include "auth/authenticate.h"
#include "wire/form_reader.h"
#include "wire/json_reader.h"

namespace partita::observe {

namespace {

std::vector<std::string> named_in_form(std::string_view body) {
  std::vector<std::string> names;
  const auto form = wire::Form::parse(body);
  if (!form.ok()) return names;
  for (const std::string_view parameter :
       {"UserName", "GroupName", "RoleName", "PolicyName", "PolicyArn", "RoleArn", "AccessKeyId"}) {
    if (const auto value = form->find(parameter)) names.emplace_back(*value);
  }
  return names;
}

}  // namespace

std::vector<std::string> resources_named(const ops::Call& call, size_t most) {
  using wire::JsonDocument;
  using wire::JsonValue;
  const std::string_view body = call.body;
  std::vector<std::string> names;
  if (body.size() > most) return names;
  if (call.target.empty() && auth::is_form(call.content_type)) return named_in_form(body);
  const auto document = JsonDocument::parse(body);
  if (!document.ok()) return names;
  const auto add = [&names](JsonValue value) {
    if (value.is(JsonValue::Kind::kString)) names.emplace_back(value.as_string());
  };
  for (const std::string_view name : {"TableName", "ResourceArn", "StreamArn", "Namespace", "Name"})
    add(document->root().get(name));
  for (const auto [table, requests] : document->root().get("RequestItems").members()) names.emplace_back(table);
  for (const JsonValue part : document->root().get("TransactItems").elements()) {
    for (const auto [kind, action] : part.members()) add(action.get("TableName"));
  }
  return names;
}

}  // namespace partita::observe
