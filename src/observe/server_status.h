// What a server reports about itself to `partita status`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "admin/admin.h"
#include "observe/pages.h"
#include "storage/backup.h"

namespace partita::observe {

struct ServerFacts {
  std::string version;
  std::string revision;
  std::string store;
  bool shared = false;  // the store is a database, which may be unreachable
  std::vector<std::string> urls;
  int64_t started_ms = 0;                 // since 1970
  const storage::Scrub* scrub = nullptr;  // null: no scrub
};

// Serves the operation kDescribeServer. `pages` and the scrub outlive `admin`.
void answer_status(admin::Admin& admin, Pages& pages, ServerFacts facts);

}  // namespace partita::observe
