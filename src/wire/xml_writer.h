// Writes one XML text, front to back, for replies of IAM and STS.
//
//   XmlWriter xml;
//   xml.begin("User");
//   xml.text("UserName", "alice");
//   xml.end();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita::wire {

class XmlWriter {
 public:
  // `space`: the xmlns, if any. Names must have static storage.
  void begin(std::string_view element, std::string_view space = {});
  // Ends the element that began last.
  void end();
  // UTF-8; what XML cannot hold becomes U+FFFD.
  void text(std::string_view element, std::string_view value);
  void number(std::string_view element, int64_t value) { text(element, std::to_string(value)); }
  void boolean(std::string_view element, bool value) { text(element, value ? "true" : "false"); }
  // Complete elements.
  void raw(std::string_view xml) { out_.append(xml); }

  std::string take() && { return std::move(out_); }

 private:
  std::string out_;
  std::vector<std::string_view> open_;
};

}  // namespace partita::wire
