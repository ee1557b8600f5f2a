#include "engines/rocksdb/watches.h"

namespace partita::rocks {

Watches::Match Watches::match(const storage::Compare& compare) const {
  const auto at = watches_.find(std::string_view(compare.key.bytes));
  if (at == watches_.end()) return Match::kUnwatched;
  return at->second == compare.version ? Match::kSame : Match::kDiffers;
}

void Watches::watch(std::string_view key, std::optional<storage::Version> version) {
  if (watches_.size() >= kMaxWatches) clear();
  watches_.insert_or_assign(std::string(key), version);
  stripes_.set(Latches::stripe_of(hash64(key)));
}

void Watches::note(std::string_view key, uint64_t hash, std::optional<storage::Version> version) {
  if (!stripes_.test(Latches::stripe_of(hash))) return;
  const auto at = watches_.find(key);
  if (at != watches_.end()) at->second = version;
}

void Watches::clear() {
  watches_.clear();
  stripes_.reset();
}

}  // namespace partita::rocks
