#include "wire/document.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/clock.h"
#include "model/fault.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::wire {

namespace {

using model::Fault;
using model::refuse;

// `left`: how many further values there may be.
Result<Document> from_json(const JsonValue& value, int depth, size_t& left) {
  if (depth > kMaxDocumentDepth || left == 0) return refuse(Fault::kMalformedDocument);
  --left;
  switch (value.kind()) {
    case JsonValue::Kind::kNull:
      return Document();
    case JsonValue::Kind::kBoolean:
      return Document(value.as_boolean());
    case JsonValue::Kind::kInteger:
      return Document(value.as_integer());
    case JsonValue::Kind::kDecimal:
      return Document(value.as_double());
    case JsonValue::Kind::kString:
      return Document(value.as_string());
    case JsonValue::Kind::kArray: {
      Document::List list;
      for (const JsonValue element : value.elements()) {
        PARTITA_TRY(Document one, from_json(element, depth + 1, left));
        list.push_back(std::move(one));
      }
      return Document(std::move(list));
    }
    case JsonValue::Kind::kObject:
      break;
  }
  Document::Map map;
  for (const auto& [name, member] : value.members()) {
    PARTITA_TRY(Document one, from_json(member, depth + 1, left));
    map.emplace_back(name, std::move(one));
  }
  return Document(std::move(map));
}

struct ToJson {
  JsonWriter& json;

  void operator()(std::monostate) const { json.null(); }
  void operator()(bool value) const { json.boolean(value); }
  void operator()(int64_t value) const { json.number(value); }
  void operator()(double value) const { std::isfinite(value) ? json.number(value) : json.null(); }
  void operator()(const std::string& text) const { json.string(text); }
  void operator()(Document::Time time) const {
    constexpr int64_t kMsPerSecond = 1'000;
    if (time.ms % kMsPerSecond == 0) {
      json.number(time.ms / kMsPerSecond);
    } else {
      json.number(static_cast<double>(time.ms) / kMsPerSecond);
    }
  }
  void operator()(const Document::List& list) const {
    json.begin_array();
    for (const Document& one : list) one.visit(*this);
    json.end_array();
  }
  void operator()(const Document::Map& map) const {
    json.begin_object();
    for (const auto& [name, one] : map) {
      if (one.is_null()) continue;
      json.key(name);
      one.visit(*this);
    }
    json.end_object();
  }
  void operator()(const Document::Entries& entries) const { (*this)(entries.map); }
};

// As short as possible, so that it reads back as the same number.
std::string text_of_number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

struct ToXml {
  XmlWriter& xml;
  std::string_view element;

  void operator()(std::monostate) const {}
  void operator()(bool value) const { xml.boolean(element, value); }
  void operator()(int64_t value) const { xml.number(element, value); }
  void operator()(double value) const { xml.text(element, text_of_number(value)); }
  void operator()(const std::string& text) const { xml.text(element, text); }
  void operator()(Document::Time time) const { xml.text(element, iso_time(time.ms)); }
  void operator()(const Document::List& list) const {
    xml.begin(element);
    for (const Document& one : list) one.visit(ToXml{xml, "member"});
    xml.end();
  }
  void operator()(const Document::Map& map) const {
    xml.begin(element);
    for (const auto& [name, one] : map) one.visit(ToXml{xml, name});
    xml.end();
  }
  void operator()(const Document::Entries& entries) const {
    xml.begin(element);
    for (const auto& [name, one] : entries.map) {
      xml.begin("entry");
      xml.text("key", name);
      one.visit(ToXml{xml, "value"});
      xml.end();
    }
    xml.end();
  }
};

// A form as a tree of its names' parts, before it is known which nodes are lists.
struct FormNode {
  std::string name;
  std::string value;
  std::vector<FormNode> parts;

  FormNode& part(std::string_view wanted) {
    const auto found = std::ranges::find(parts, wanted, &FormNode::name);
    if (found != parts.end()) return *found;
    FormNode& made = parts.emplace_back();
    made.name = wanted;
    return made;
  }
};

Result<Document> from_form(const FormNode& node);

// "member.1", "member.2", ... in the order of their numbers; gaps are closed up, as in AWS.
Result<Document> list_of(const FormNode& members) {
  std::vector<std::pair<uint32_t, const FormNode*>> numbered;
  for (const FormNode& node : members.parts) {
    const char* const name_end = node.name.data() + node.name.size();
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(node.name.data(), name_end, number);
    if (error != std::errc() || end != name_end) return refuse(Fault::kMalformedDocument);
    numbered.emplace_back(number, &node);
  }
  std::ranges::sort(numbered, {}, [](const auto& one) { return one.first; });
  Document::List list;
  for (const auto& [number, node] : numbered) {
    PARTITA_TRY(Document one, from_form(*node));
    list.push_back(std::move(one));
  }
  return Document(std::move(list));
}

Result<Document> from_form(const FormNode& node) {
  if (node.parts.empty()) return Document(node.value);
  if (node.parts.size() == 1 && node.parts.front().name == "member") return list_of(node.parts.front());
  Document::Map map;
  for (const FormNode& part : node.parts) {
    PARTITA_TRY(Document one, from_form(part));
    map.emplace_back(part.name, std::move(one));
  }
  return Document(std::move(map));
}

}  // namespace

const Document* Document::find(std::string_view name) const {
  const Map* const map = as<Map>();
  if (map == nullptr) return nullptr;
  for (auto at = map->rbegin(); at != map->rend(); ++at) {
    if (at->first == name && !at->second.is_null()) return &at->second;
  }
  return nullptr;
}

Result<Document> read_json(std::string_view body) {
  if (body.empty()) return Document(Document::Map());
  PARTITA_TRY(const JsonDocument document, JsonDocument::parse(body));
  if (!document.root().is(JsonValue::Kind::kObject)) return refuse(Fault::kMalformedDocument);
  size_t left = kMaxDocumentValues;
  return from_json(document.root(), 1, left);
}

std::string write_json(const Document& document) {
  JsonWriter json;
  document.visit(ToJson{json});
  return std::move(json).take();
}

Result<Document> read_form(const Form& form) {
  FormNode root;
  for (const auto& [name, value] : form.parameters()) {
    FormNode* at = &root;
    int depth = 0;
    for (size_t begin = 0; begin <= name.size();) {
      const size_t end = std::min(name.find('.', begin), name.size());
      if (++depth > kMaxDocumentDepth) return refuse(Fault::kMalformedDocument);
      at = &at->part(std::string_view(name).substr(begin, end - begin));
      begin = end + 1;
    }
    at->value = value;
  }
  Document::Map map;
  for (const FormNode& part : root.parts) {
    if (part.name == "Action" || part.name == "Version") continue;
    PARTITA_TRY(Document one, from_form(part));
    map.emplace_back(part.name, std::move(one));
  }
  return Document(std::move(map));
}

void write_xml(XmlWriter& xml, const Document& document) {
  const Document::Map* const map = document.as<Document::Map>();
  if (map == nullptr) return;
  for (const auto& [name, one] : *map) one.visit(ToXml{xml, name});
}

std::string iso_time(int64_t ms) {
  constexpr size_t kToSeconds = 19;  // characters of utc_text()
  const auto text = utc_text(ms);
  const std::string_view whole(text.data());
  return std::string(ms % 1'000 == 0 ? whole.substr(0, kToSeconds) : whole) + "Z";
}

}  // namespace partita::wire
