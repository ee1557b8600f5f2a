#include "wire/shape_print.h"

#include <algorithm>

#include "base/bytes.h"
#include "wire/json_writer.h"

namespace partita::wire {
namespace {

constexpr size_t kMaxPrintedBytes = 8 * 1024;  // ours: a message need not repeat a request of 16 MiB

class Printer {
 public:
  std::string take() && { return std::move(out_); }

  void value(const JsonValue& value, const Shape& shape) {
    switch (value.kind()) {
      case JsonValue::Kind::kNull:
        return text("null");
      case JsonValue::Kind::kBoolean:
        return text(value.as_boolean() ? "true" : "false");
      case JsonValue::Kind::kInteger:
      case JsonValue::Kind::kDecimal:
        return text(std::to_string(value.as_integer()));
      case JsonValue::Kind::kString:
        return text(value.as_string());
      case JsonValue::Kind::kArray:
        return list(value, shape);
      case JsonValue::Kind::kObject:
        return object(value, shape);
    }
  }

 private:
  bool full() const { return out_.size() >= kMaxPrintedBytes; }

  void text(std::string_view text) { out_ += shortened(text, kMaxPrintedBytes); }

  void list(const JsonValue& list, const Shape& shape) {
    out_ += '[';
    bool first = true;
    for (const JsonValue element : list.elements()) {
      if (!first) out_ += ", ";
      first = false;
      if (full()) {
        out_ += "...";
        break;
      }
      value(element, shape.element == nullptr ? shape : *shape.element);
    }
    out_ += ']';
  }

  void object(const JsonValue& object, const Shape& shape) {
    const bool structure = shape.kind != ShapeKind::kMap;
    if (structure) out_ += shape.kind == ShapeKind::kAttributeValue ? "AttributeValue" : shape.name;
    out_ += structure ? '(' : '{';
    bool first = true;
    for (const auto [name, member] : object.members()) {
      const Shape* inner = inside(shape, name);
      if (inner == nullptr || !member.present()) continue;
      if (!first) out_ += ", ";
      first = false;
      if (full()) {
        out_ += "...";
        break;
      }
      text(structure ? lower_first(name) : std::string(name));
      out_ += '=';
      value(member, *inner);
    }
    out_ += structure ? ')' : '}';
  }

  // The shape of that member; null when the structure does not know it.
  static const Shape* inside(const Shape& shape, std::string_view name) {
    static constexpr Shape kValue{.kind = ShapeKind::kAttributeValue};
    static constexpr Shape kValues{.kind = ShapeKind::kMap, .element = &kValue};
    if (shape.kind == ShapeKind::kMap) return shape.element;
    if (shape.kind == ShapeKind::kAttributeValue) return name == "M" ? &kValues : &kValue;
    const auto found = std::find_if(shape.members.begin(), shape.members.end(),
                                    [name](const Member& member) { return member.name == name; });
    return found == shape.members.end() ? nullptr : found->shape;
  }

  std::string out_;
};

}  // namespace

std::string print_value(const JsonValue& value, const Shape& shape) {
  Printer printer;
  printer.value(value, shape);
  return std::move(printer).take();
}

std::string print_json(const JsonValue& value) {
  JsonWriter json;
  write_json(json, value, kMaxPrintedBytes);
  return shortened(std::move(json).take(), kMaxPrintedBytes);
}

std::string shortened(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  return std::string(utf8_prefix(text, max_bytes)) + "...";
}

std::string lower_first(std::string_view name) {
  std::string out(name);
  if (!out.empty() && out[0] >= 'A' && out[0] <= 'Z') out[0] = static_cast<char>(out[0] - 'A' + 'a');
  return out;
}

}  // namespace partita::wire
