#include "engines/rocksdb/watches.h"

#include "base/bytes.h"

namespace partita::rocks {

Watches::Match Watches::match(const storage::Compare& compare) const {
  const auto at = watches_.find(hash64(compare.key.bytes));
  if (at == watches_.end() || at->second.key != compare.key.bytes) return Match::kUnwatched;
  return at->second.version == compare.version ? Match::kSame : Match::kDiffers;
}

void Watches::watch(std::string_view key, std::optional<storage::Version> version) {
  if (watches_.size() >= kMaxWatches) clear();
  const uint64_t hash = hash64(key);
  watches_.insert_or_assign(hash, Watch{std::string(key), version});
  stripes_.set(Latches::stripe_of(hash));
}

void Watches::note(std::string_view key, uint64_t hash, std::optional<storage::Version> version) {
  if (!stripes_.test(Latches::stripe_of(hash))) return;
  const auto at = watches_.find(hash);
  if (at != watches_.end() && at->second.key == key) at->second.version = version;
}

void Watches::clear() {
  watches_.clear();
  stripes_.reset();
}

}  // namespace partita::rocks
