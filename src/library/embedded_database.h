// A database in this process with all that belongs to it: what a partita_db is. Callable from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/result.h"
#include "library/attributes.h"
#include "library/partita.h"
#include "namespaces/database_host.h"
#include "ops/execution.h"
#include "ops/service.h"
#include "storage/engine.h"

namespace partita::library {

// An answer before it is in its C struct.
struct Answer {
  int status = 200;
  std::string_view body;         // in what `owned` owns, or static
  std::unique_ptr<Owned> owned;  // null: nothing
  const partita_attribute* item = nullptr;
  uint32_t item_count = 0;
};

class EmbeddedDatabase {
 public:
  struct Options {
    std::string path;  // empty: in memory
    std::string region;
    int64_t clock_ms = 0;
  };
  // Blocks. Errors: one sentence each.
  static Result<std::unique_ptr<EmbeddedDatabase>> open(const Options& options);

  // These block until the call is answered. They throw std::bad_alloc if there is no memory.
  // `operation`: a name, or a whole X-Amz-Target.
  Answer call(std::string_view operation, std::string_view body);
  // Precondition of the others: are_sound() of the attributes.
  struct Attributes {
    const partita_attribute* first;
    size_t count;
  };
  Answer get(std::string_view table, Attributes key, bool consistent);
  Answer put(std::string_view table, Attributes item);
  Answer erase(std::string_view table, Attributes key);

  // For snapshots and the clock.
  namespaces::DatabaseHost& host() { return *host_; }

 private:
  EmbeddedDatabase() = default;
  Answer run(const ops::Operation& operation, ops::Execution& execution, bool& refused);
  Answer ask(std::string_view operation, std::string_view table, std::string_view member, Attributes attributes,
             bool consistent);

  std::unique_ptr<storage::Engine> engine_;
  std::unique_ptr<namespaces::DatabaseHost> host_;
  std::shared_ptr<const auth::Caller> caller_;
};

}  // namespace partita::library
