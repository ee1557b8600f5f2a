// RocksDB's file names: "000012.log", "MANIFEST-000013".
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace partita::rocks {

// The value of decimal digits; nothing for other text.
inline std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

inline std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// 12 for "000012.log" and "shared_checksum/000012_....sst"; 0 if the name does not begin with a number.
inline uint64_t number_in(std::string_view path) {
  const std::string_view name = name_of(path);
  uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

// "000012.log" for 12 and ".log".
inline std::string numbered_file(uint64_t number, std::string_view extension) {
  const std::string digits = std::to_string(number);
  return std::string(6 - std::min<size_t>(6, digits.size()), '0').append(digits).append(extension);
}

inline std::string manifest_name(uint64_t number) { return "MANIFEST-" + numbered_file(number, {}); }

// The number of a write-ahead log, and of a MANIFEST; nothing for other files.
inline std::optional<uint64_t> log_number(std::string_view path) {
  constexpr std::string_view kEnd = ".log";
  const std::string_view name = name_of(path);
  return name.ends_with(kEnd) ? number_of(name.substr(0, name.size() - kEnd.size())) : std::nullopt;
}
inline std::optional<uint64_t> manifest_number(std::string_view path) {
  constexpr std::string_view kBegin = "MANIFEST-";
  const std::string_view name = name_of(path);
  return name.starts_with(kBegin) ? number_of(name.substr(kBegin.size())) : std::nullopt;
}

}  // namespace partita::rocks
