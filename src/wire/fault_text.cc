#include "wire/fault_table.h"

namespace partita::wire {

std::string fill(std::string_view text, const std::vector<std::string>& args) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool blank =
        text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}' && text[i + 1] >= '0' && text[i + 1] <= '9';
    if (!blank) {
      out.push_back(text[i]);
      continue;
    }
    const auto index = static_cast<size_t>(text[i + 1] - '0');
    if (index < args.size()) out += args[index];
    i += 2;
  }
  return out;
}

}  // namespace partita::wire
