#include "expression.h"

#include <string>
#include <utility>

#include "wire/error_body.h"
#include "wire/item_reader.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::fuzz {
namespace {

using model::AttributeMap;
using wire::JsonDocument;

constexpr std::string_view kItem = R"({"a":{"S":"text"},"b":{"N":"12.5"},"c":{"B":"AAH/"},"d":{"BOOL":true},
  "e":{"NULL":true},"f":{"L":[{"N":"1"},{"S":"x"},{"L":[{"N":"2"}]}]},"g":{"M":{"a":{"N":"1"},"b":{"L":[{"N":"7"}]}}},
  "h":{"SS":["x","y"]},"i":{"NS":["1","2"]},"j":{"BS":["AA==","AQ=="]},"p":{"S":"k"},"s":{"N":"1"}})";

constexpr std::string_view kValues =
    R"({":s":{"S":"text"},":x":{"S":"x"},":y":{"S":"S"},":n":{"N":"1"},":m":{"N":"12.5"},
  ":b":{"B":"AAE="},":t":{"BOOL":true},":z":{"NULL":true},":l":{"L":[{"N":"1"},{"S":"x"}]},":o":{"M":{"a":{"N":"1"}}},
  ":h":{"SS":["x"]},":i":{"NS":["2"]},":j":{"BS":["AA=="]}})";

Result<AttributeMap> read_map(std::string_view json) {
  PARTITA_TRY(const JsonDocument document, JsonDocument::parse(json));
  return wire::decode_item(document.root());
}

AttributeMap read_map_or(std::string_view json, std::string_view otherwise) {
  if (!json.empty()) {
    Result<AttributeMap> map = read_map(json);
    if (map.ok()) return std::move(map).value();
  }
  return read_map(otherwise).value();
}

bool is_utf8(std::string_view text) {
  wire::JsonWriter json;
  json.string(text);
  const std::string quoted = std::move(json).take();
  const Result<JsonDocument> document = JsonDocument::parse(quoted);
  if (!document.ok()) return false;
  PARTITA_CHECK(document.value().root().as_string() == text);
  return true;
}

expr::Placeholders::Names names() {
  return {{"#a", "a"}, {"#b", "b"}, {"#c", "c.d"}, {"#n", "name"}, {"#p", "p"}, {"#s", "s"}};
}

}  // namespace

expr::Placeholders Expression::given() const { return expr::Placeholders::make(names(), values).value(); }

std::optional<Expression> read_expression(Input& in) {
  Expression expression;
  expression.text = in.line();
  if (!is_utf8(expression.text)) return std::nullopt;
  expression.item = read_map_or(in.line(), kItem);
  expression.values = read_map_or(in.line(), kValues);
  if (!expr::Placeholders::make(names(), expression.values).ok()) expression.values = read_map(kValues).value();
  return expression;
}

int look_at_expression(const uint8_t* data, size_t size, void (*check)(const Expression&)) {
  Input in(data, size);
  const auto expression = read_expression(in);
  if (!expression) return -1;
  check(*expression);
  return 0;
}

model::Item restricted(const model::Item& item, const std::vector<std::string>& names) {
  model::Item kept;
  for (const std::string& name : names) {
    if (const model::AttributeValue* value = item.find(name)) kept.set(name, *value);
  }
  return kept;
}

std::string refusal(const Error& error) {
  PARTITA_CHECK(error.kind() == ErrorKind::kInvalid);
  const wire::ErrorReply reply = wire::render(error);
  PARTITA_CHECK(reply.status == 400 && JsonDocument::parse(reply.body).ok());
  return reply.body;
}

void check_item_is_sound(const model::Item& item) {
  wire::JsonWriter json;
  json.write_item(item);
  const Result<AttributeMap> again = read_map(std::move(json).take());
  PARTITA_CHECK(again.ok() && again.value() == item);
}

}  // namespace partita::fuzz
