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
  // Errors, one sentence each, with no part of what may be a password: kInvalid (reason 0) for what libpq does not
  // understand, or would take for something else; kUnavailable without libpq.
  static Result<ConnInfo> parse(const std::string& url);
  // The same with the hosts in another order: `turn` of them moved to the end. libpq begins with the first, and a host
  // that swallows whatever is sent would keep it from all others.
  ConnInfo rotated(size_t turn) const;
  // For one host; libpq itself heeds it only where it blocks.
  int64_t connect_timeout_ms() const;
  // Connections of who has the store for itself (Hold) do not keep it from who wants that.
  bool alone = false;
  // For libpq: null at the end. Live as long as the target.
  std::vector<const char*> names() const;
  std::vector<const char*> values() const;

 private:
  Result<void> refuse_torn_password() const;
  void add(const std::string& name, const std::string& value);
  const std::string* find(const std::string& name) const;
  std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace partita::postgres
