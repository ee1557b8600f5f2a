#include "engines/foundationdb/version_cache.h"

#include <utility>

namespace partita::foundationdb {

namespace {
// More than DynamoDB has tables in an account, by far.
constexpr size_t kMostKept = 100'000;
}  // namespace

std::optional<VersionCache::CachedVersion> VersionCache::find(std::string_view metadata_version,
                                                              std::string_view row) const {
  const MutexLock lock(mutex_);
  if (metadata_version != metadata_version_) return std::nullopt;
  const auto found = versions_.find(row);
  if (found == versions_.end()) return std::nullopt;
  return std::optional<CachedVersion>(std::in_place, found->second);
}

void VersionCache::keep(std::string_view metadata_version, std::string_view row, CachedVersion version) {
  const MutexLock lock(mutex_);
  if (metadata_version < metadata_version_) return;
  if (metadata_version != metadata_version_ || versions_.size() >= kMostKept) versions_.clear();
  metadata_version_ = metadata_version;
  versions_.insert_or_assign(std::string(row), version);
}

}  // namespace partita::foundationdb
