#include "build_value.h"

#include <string>
#include <utility>
#include <vector>

#include "model/limits.h"

namespace partita::fuzz {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Number;
using model::Type;

constexpr size_t kMostMembers = 5;
constexpr size_t kMostBytes = 12;

std::string build_text(Input& in) { return std::string(in.bytes(in.choice(kMostBytes))); }

Number build_number(Input& in) {
  std::string text = in.flag() ? "-" : "";
  const size_t digits = 1 + in.choice(model::kMaxNumberDigits);
  for (size_t i = 0; i < digits; ++i) text += static_cast<char>('0' + in.choice(10));
  text += "E" + std::to_string(static_cast<int>(in.byte()) - 130);
  const Result<Number> number = Number::parse(text);
  return number.ok() ? number.value() : Number::of(in.byte());
}

template <class Member>
std::vector<Member> build_members(Input& in, Member (*build)(Input&)) {
  std::vector<Member> members;
  for (size_t count = 1 + in.choice(kMostMembers); count > 0; --count) members.push_back(build(in));
  return members;
}

}  // namespace

AttributeValue build_scalar(Type type, Input& in) {
  if (type == Type::kS) return AttributeValue::string(build_text(in));
  if (type == Type::kB) return AttributeValue::binary(build_text(in));
  return AttributeValue::number(build_number(in));
}

AttributeMap build_map(Input& in, int levels) {
  AttributeMap map;
  for (size_t count = in.choice(kMostMembers); count > 0; --count) {
    std::string name = build_text(in);
    map.set(std::move(name), build_value(in, levels - 1));
  }
  return map;
}

AttributeValue build_value(Input& in, int levels) {
  const auto type = static_cast<Type>(in.choice(10));
  switch (type) {
    case Type::kS:
    case Type::kN:
    case Type::kB:
      return build_scalar(type, in);
    case Type::kBool:
      return AttributeValue::boolean(in.flag());
    case Type::kM:
      if (levels > 0) return AttributeValue::map(build_map(in, levels));
      break;
    case Type::kL: {
      AttributeValue::List members;
      for (size_t count = levels > 0 ? in.choice(kMostMembers) : 0; count > 0; --count) {
        members.push_back(build_value(in, levels - 1));
      }
      return AttributeValue::list(std::move(members));
    }
    case Type::kSS:
      return AttributeValue::string_set(build_members<std::string>(in, build_text));
    case Type::kNS:
      return AttributeValue::number_set(build_members<Number>(in, build_number));
    case Type::kBS:
      return AttributeValue::binary_set(build_members<std::string>(in, build_text));
    case Type::kNull:
      break;
  }
  return AttributeValue::null();
}

}  // namespace partita::fuzz
