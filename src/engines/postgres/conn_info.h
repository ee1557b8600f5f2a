// A PostgreSQL connection string, parsed by libpq, with Partita's own settings where it has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace partita::postgres {

class ConnInfo {
 public:
  // Errors, one sentence each, without anything that may be a part of a password: kInvalid (reason 0) for a string that
  // libpq does not understand or would misinterpret; kUnavailable without libpq.
  static Result<ConnInfo> parse(const std::string& url);
  // The same with `turn` hosts moved to the end. libpq tries the first host first, and one that never answers would
  // keep it from the others.
  ConnInfo rotated(size_t turn) const;
  // For each host. libpq itself applies it only when it blocks.
  int64_t connect_timeout_ms() const;
  // The connections belong to the holder of the ExclusiveLock, and do not take the shared lock.
  bool alone = false;
  // For libpq, terminated by null. Valid as long as this object.
  std::vector<const char*> names() const;
  std::vector<const char*> values() const;

 private:
  Result<void> refuse_torn_password() const;
  void add(const std::string& name, const std::string& value);
  const std::string* find(const std::string& name) const;
  std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace partita::postgres
