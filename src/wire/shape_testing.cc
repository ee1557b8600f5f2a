#include "wire/shape_testing.h"

#include "base/check.h"

namespace partita::wire {
namespace {

// Writes a sample; the element of the `spoilt`th list or map that may be spoilt becomes null.
class Sample {
 public:
  explicit Sample(size_t spoilt) : spoilt_(spoilt) {}

  std::string value(const Shape& shape, const std::string& path) {
    switch (shape.kind) {
      case ShapeKind::kStructure:
        return structure(shape, path);
      case ShapeKind::kList:
        return "[" + element(shape, path) + "]";
      case ShapeKind::kMap:
        return "{\"" + key(shape) + "\":" + element(shape, path) + "}";
      case ShapeKind::kString:
        return "\"" + text(shape) + "\"";
      case ShapeKind::kInteger:
      case ShapeKind::kLong:
      case ShapeKind::kDouble:
        return std::to_string(shape.min == Shape::kNoMin ? 1 : shape.min);
      case ShapeKind::kBoolean:
        return "false";
      case ShapeKind::kBlob:
        return "\"AAAA\"";
      case ShapeKind::kAttributeValue:
        return R"({"S":"x"})";
    }
    PARTITA_CHECK(false);
  }

  const std::string& where() const { return where_; }

 private:
  std::string structure(const Shape& shape, const std::string& path) {
    std::string out;
    for (const Member& member : shape.members) {
      out += out.empty() ? "{\"" : ",\"";
      out += member.name;
      out += "\":" + value(*member.shape, path + "." + std::string(member.name));
    }
    return out.empty() ? "{}" : out + "}";
  }

  std::string element(const Shape& shape, const std::string& path) {
    if (shape.element->kind != ShapeKind::kAttributeValue && seen_++ == spoilt_) {
      where_ = path;
      return "null";
    }
    return value(*shape.element, path + "[]");
  }

  static std::string key(const Shape& shape) { return shape.key == nullptr ? "kkk" : text(*shape.key); }

  static std::string text(const Shape& shape) {
    if (!shape.values.empty()) return std::string(shape.values.front());
    return std::string(shape.min > 3 ? static_cast<size_t>(shape.min) : 3, 'x');
  }

  size_t spoilt_;
  size_t seen_ = 0;
  std::string where_;
};

constexpr size_t kNothing = SIZE_MAX;

}  // namespace

std::string sample_body(const Shape& shape) { return Sample(kNothing).value(shape, ""); }

std::vector<SpoiltBody> bodies_with_null(const Shape& shape) {
  std::vector<SpoiltBody> bodies;
  for (size_t i = 0;; ++i) {
    Sample sample(i);
    std::string body = sample.value(shape, "");
    if (sample.where().empty()) return bodies;
    bodies.push_back({sample.where(), std::move(body)});
  }
}

}  // namespace partita::wire
