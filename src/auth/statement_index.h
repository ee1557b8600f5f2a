// Finds the statements of a policy that may apply to an access, by its action and resource, so that only a few
// statements of a large policy are evaluated.
//
// It only excludes: a statement that it finds must still be evaluated, and one that it does not find cannot apply.
// Lookups allocate nothing.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace partita::auth {

class StatementIndex {
 public:
  // Adds a statement that applies only to these actions, ignoring case, and to exactly these resources. An empty list
  // means all.
  void add(uint32_t statement, std::span<const std::string_view> actions, std::span<const std::string_view> resources);
  // Call after the last add() and before the first visit().
  void finish();

  // Calls `visit` with each of them, in no particular order and perhaps twice, until it returns false.
  template <class Visit>
  void visit(std::string_view action, std::string_view resource, Visit visit) const {
    for (const uint32_t statement : all_) {
      if (!visit(statement)) return;
    }
    if (entries_.empty()) return;
    const uint64_t of_action = hash(action);
    const uint64_t of_resource = hash(resource);
    for (const uint64_t key : {key_of(of_action, of_resource), key_of(of_action, kAny), key_of(kAny, of_resource)}) {
      auto at = std::ranges::lower_bound(entries_, key, {}, &Entry::key);
      for (; at != entries_.end() && at->key == key; ++at) {
        if (!visit(at->statement)) return;
      }
    }
  }

 private:
  struct Entry {
    uint64_t key;
    uint32_t statement;
    auto operator<=>(const Entry&) const = default;
  };
  static constexpr uint64_t kAny = 0;

  // Ignores case.
  static uint64_t hash(std::string_view text);
  static uint64_t key_of(uint64_t action, uint64_t resource) { return action * 0x9e3779b97f4a7c15U ^ resource; }

  std::vector<Entry> entries_;  // sorted
  std::vector<uint32_t> all_;   // those that may apply to every action and resource
};

}  // namespace partita::auth
