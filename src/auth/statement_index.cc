#include "auth/statement_index.h"

#include <cstring>

namespace partita::auth {

uint64_t StatementIndex::hash(std::string_view text) {
  constexpr uint64_t kLetters = 0x2020202020202020U;  // what upper case lacks; other characters may become the same
  constexpr uint64_t kFactor = 0xff51afd7ed558ccdU;
  uint64_t mixed = text.size() + 1;
  const auto mix = [&](uint64_t word) {
    mixed = (mixed ^ (word | kLetters)) * kFactor;
    mixed ^= mixed >> 32;
  };
  for (; text.size() >= sizeof(uint64_t); text.remove_prefix(sizeof(uint64_t))) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    mix(word);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, text.data(), text.size());
  mix(rest);
  return mixed;
}

void StatementIndex::add(uint32_t statement, std::span<const std::string_view> actions,
                         std::span<const std::string_view> resources) {
  constexpr size_t kMostPairs = 64;  // of one statement: beyond, its resources are left to judging
  if (actions.empty() && resources.empty()) {
    all_.push_back(statement);
    return;
  }
  if (!actions.empty() && actions.size() * resources.size() > kMostPairs) resources = {};
  const auto hashes = [](std::span<const std::string_view> texts) {
    std::vector<uint64_t> all;
    for (const std::string_view text : texts) all.push_back(hash(text));
    if (all.empty()) all.push_back(kAny);
    return all;
  };
  const std::vector<uint64_t> of_resources = hashes(resources);
  for (const uint64_t action : hashes(actions)) {
    for (const uint64_t resource : of_resources) entries_.push_back({key_of(action, resource), statement});
  }
}

void StatementIndex::finish() {
  std::ranges::sort(entries_);
  const auto doubled = std::ranges::unique(entries_);
  entries_.erase(doubled.begin(), doubled.end());
  entries_.shrink_to_fit();
}

}  // namespace partita::auth
