#include "base/quantity.h"

#include <cstdio>

namespace partita {

std::string mebibytes(uint64_t bytes) {
  constexpr double kMebibyte = 1 << 20;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / kMebibyte);
  return text;
}

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

}  // namespace partita
