// CloudWatch's names for the settings of alarms.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "metrics/evaluation.h"

namespace partita::metrics {

inline constexpr std::array<std::string_view, 3> kStateNames = {"OK", "ALARM", "INSUFFICIENT_DATA"};
inline constexpr std::array<std::string_view, 4> kComparisonNames = {
    "GreaterThanOrEqualToThreshold", "GreaterThanThreshold", "LessThanThreshold", "LessThanOrEqualToThreshold"};
inline constexpr std::array<std::string_view, 4> kMissingNames = {"missing", "ignore", "breaching", "notBreaching"};

inline std::string_view name_of(AlarmState state) { return kStateNames[static_cast<size_t>(state)]; }
inline std::string_view name_of(Comparison comparison) { return kComparisonNames[static_cast<size_t>(comparison)]; }
inline std::string_view name_of(MissingData missing) { return kMissingNames[static_cast<size_t>(missing)]; }

// The value of that name. Nullopt: there is none.
template <class Value, size_t Count>
std::optional<Value> named(const std::array<std::string_view, Count>& names, std::string_view name) {
  for (size_t i = 0; i < Count; ++i) {
    if (names[i] == name) return static_cast<Value>(i);
  }
  return std::nullopt;
}

}  // namespace partita::metrics
