#include "engines/rocksdb/watched_versions.h"

namespace partita::rocks {

WatchedVersions::Match WatchedVersions::match(const storage::Compare& compare) const {
  const auto at = watched_.find(std::string_view(compare.key.bytes));
  if (at == watched_.end()) return Match::kUnwatched;
  return at->second == compare.version ? Match::kSame : Match::kDiffers;
}

void WatchedVersions::watch(std::string_view key, std::optional<storage::Version> version) {
  if (watched_.size() >= kMaxWatches) clear();
  watched_.insert_or_assign(std::string(key), version);
  stripes_.set(Latches::stripe_of(hash64(key)));
}

void WatchedVersions::note(std::string_view key, uint64_t hash, std::optional<storage::Version> version) {
  if (!stripes_.test(Latches::stripe_of(hash))) return;
  const auto at = watched_.find(key);
  if (at != watched_.end()) at->second = version;
}

void WatchedVersions::clear() {
  watched_.clear();
  stripes_.reset();
}

}  // namespace partita::rocks
