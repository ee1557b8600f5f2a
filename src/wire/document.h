// A request or a reply of one of AWS's services beside DynamoDB, free of its protocol: what the JSON protocol, RPC v2
// CBOR, and the query protocol (a form, answered in XML) have in common. For calls that are few; those of DynamoDB have
// codecs of their own (ops/json_codec.h).
//
//   PARTITA_TRY(const Document in, read_cbor(body));
//   const Document* const name = in.find("AlarmName");
//   Document out = Document::Map{};
//   out.set("Label", "Reads");
//   reply.body = write_cbor(out);
//
// Value types, deeply copied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "wire/form_reader.h"
#include "wire/xml_writer.h"

namespace partita::wire {

class Document {
 public:
  struct Time {
    int64_t ms = 0;  // since 1970
  };
  using List = std::vector<Document>;
  using Map = std::vector<std::pair<std::string, Document>>;  // in the order of the text
  // A map whose names are data and not members, which XML writes in another way.
  struct Entries {
    Map map;
  };

  Document() = default;  // null
  Document(bool value) : held_(value) {}
  Document(int64_t value) : held_(value) {}
  Document(double value) : held_(value) {}
  Document(std::string text) : held_(std::move(text)) {}
  Document(std::string_view text) : held_(std::string(text)) {}
  Document(const char* text) : held_(std::string(text)) {}
  Document(Time time) : held_(time) {}
  Document(List list) : held_(std::move(list)) {}
  Document(Map map) : held_(std::move(map)) {}
  Document(Entries entries) : held_(std::move(entries)) {}

  // Null unless the document is of that type.
  template <class Type>
  const Type* as() const {
    return std::get_if<Type>(&held_);
  }
  template <class Type>
  Type* as() {
    return std::get_if<Type>(&held_);
  }
  bool is_null() const { return as<std::monostate>() != nullptr; }
  // Calls `visitor` with what the document holds; std::monostate for null.
  template <class Visitor>
  decltype(auto) visit(const Visitor& visitor) const {
    return std::visit(visitor, held_);
  }

  // The last member of that name that is not null; null if there is none, or if this is no map.
  const Document* find(std::string_view name) const;
  // Adds a member. Precondition: this is a map.
  void set(std::string name, Document value) { std::get<Map>(held_).emplace_back(std::move(name), std::move(value)); }

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Time, List, Map, Entries> held_;
};

// The deepest nesting that the readers accept: ours, since the deepest request of CloudWatch has 7 levels.
inline constexpr int kMaxDocumentDepth = 32;
// The most values that the readers accept, since one of a single byte takes many in memory: ours. 500 queries of
// GetMetricData with 30 dimensions each have half as many, with the names of members.
inline constexpr size_t kMaxDocumentValues = 200'000;

// AWS JSON. Times are numbers, in seconds since 1970. An empty body is a map without members. Faults: kMalformedJson;
// kMalformedDocument if it is no map, too deep, or of too many values.
Result<Document> read_json(std::string_view body);
std::string write_json(const Document& document);

// RFC 8949, as RPC v2 CBOR has it: maps with text keys, also of indefinite length; tag 1 is a time. Fault:
// kMalformedDocument.
Result<Document> read_cbor(std::string_view body);
std::string write_cbor(const Document& document);

// A form: "Dimensions.member.1.Name=..." is a member of a map in a list. All values are texts. Faults:
// kMalformedDocument for names that do not form a tree.
Result<Document> read_form(const Form& form);
// The members of a map as XML elements, those of a list as <member>. Names and texts are those of `document`, which
// outlives the writer.
void write_xml(XmlWriter& xml, const Document& document);

// "2026-11-26T15:04:05Z", with milliseconds if there are any.
std::string iso_time(int64_t ms);

}  // namespace partita::wire
