// Caches the versions of read-mostly keys (storage::Key), so that a commit need not read them. Every writer of such a
// key renews FoundationDB's metadata version, which each transaction gets with its read version; while that is
// unchanged, so are the cached versions. The metadata version belongs to the whole cluster; a renewal by others only
// empties the cache.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "storage/engine.h"

namespace partita::foundationdb {

// Callable from any thread.
class VersionCache {
 public:
  using CachedVersion = std::optional<storage::Version>;  // nothing: there is no such record

  // `metadata_version`: of the transaction's read version. `row`: the name of a row. Nothing: not cached.
  std::optional<CachedVersion> find(std::string_view metadata_version, std::string_view row) const;
  void keep(std::string_view metadata_version, std::string_view row, CachedVersion version);

 private:
  mutable Mutex mutex_;
  std::string metadata_version_ PARTITA_GUARDED_BY(mutex_);  // of all cached versions; later ones are greater
  std::map<std::string, CachedVersion, std::less<>> versions_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::foundationdb
