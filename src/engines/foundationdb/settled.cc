#include "engines/foundationdb/settled.h"

#include <utility>

namespace partita::foundationdb {

namespace {
// More than DynamoDB has tables in an account, by far.
constexpr size_t kMostKept = 100'000;
}  // namespace

std::optional<Settled::Known> Settled::find(std::string_view era, std::string_view row) const {
  std::lock_guard lock(mutex_);
  if (era != era_) return std::nullopt;
  const auto found = versions_.find(row);
  if (found == versions_.end()) return std::nullopt;
  return std::optional<Known>(std::in_place, found->second);
}

void Settled::keep(std::string_view era, std::string_view row, Known version) {
  std::lock_guard lock(mutex_);
  if (era < era_) return;
  if (era != era_ || versions_.size() >= kMostKept) versions_.clear();
  era_ = era;
  versions_.insert_or_assign(std::string(row), version);
}

}  // namespace partita::foundationdb
