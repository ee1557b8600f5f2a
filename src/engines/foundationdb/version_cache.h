// The versions of settled keys (storage::Key), by which a commit need not ask for them: each of their writers renews
// FoundationDB's metadata version, which every transaction is told with its moment. As long as that is the same, so are
// they. It belongs to the whole cluster: who else renews it only makes us look again.
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

  // `era` is the metadata version of the moment in question, `row` the name of a row.
  std::optional<CachedVersion> find(std::string_view metadata_version, std::string_view row) const;
  void keep(std::string_view metadata_version, std::string_view row, CachedVersion version);

 private:
  mutable Mutex mutex_;
  std::string metadata_version_ PARTITA_GUARDED_BY(mutex_);  // of all of them; later ones sort behind it
  std::map<std::string, CachedVersion, std::less<>> versions_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::foundationdb
