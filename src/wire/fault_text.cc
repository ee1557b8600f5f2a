#include <algorithm>

#include "wire/fault_table.h"

namespace partita::wire {

std::string fill(std::string_view text, const std::vector<std::string>& args) {
  std::string out;
  while (!text.empty()) {
    const size_t brace = std::min(text.find('{'), text.size());
    out += text.substr(0, brace);
    text.remove_prefix(brace);
    if (text.empty()) break;
    const bool blank = text.size() > 2 && text[2] == '}' && text[1] >= '0' && text[1] <= '9';
    if (blank && static_cast<size_t>(text[1] - '0') < args.size()) out += args[static_cast<size_t>(text[1] - '0')];
    if (!blank) out.push_back('{');
    text.remove_prefix(blank ? 3 : 1);
  }
  return out;
}

}  // namespace partita::wire
