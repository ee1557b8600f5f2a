// Finds values in a JSON text and returns them as they are written there: a parser would turn numbers of 38 digits into
// doubles. The text comes from another server: any bytes are safe, take linear time and no memory. Texts that are not
// JSON may be taken for JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace partita::sinks {

// The value of the first member of that name at the top level; nullopt if there is none or if `object` is no object.
// `name` has no character that JSON escapes.
std::optional<std::string_view> raw_member(std::string_view object, std::string_view name);

// Takes the elements of an array one by one.
//
//   RawElements docs(*raw_member(body, "docs"));
//   while (const auto doc = docs.next()) ...
class RawElements {
 public:
  explicit RawElements(std::string_view array);
  std::optional<std::string_view> next();  // nullopt: at the end, or where the text is no array

 private:
  std::string_view rest_;
};

}  // namespace partita::sinks
