// Undoes the changes of an agent to items, the newest call first.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/mcp_calls.h"
#include "wire/json_reader.h"

namespace partita::cli {

class McpUndo {
 public:
  // What a call is about to change.
  struct Change {
    struct Place {
      std::string table;  // JSON, like the other texts
      std::string key;
      std::string item;  // before the call; empty: none
      // True: the call itself determines the item afterwards, `wrote`; empty: none.
      bool told = false;
      std::string wrote;
    };
    std::string operation;
    std::vector<Place> places;  // none: the call cannot be undone
    std::string left;           // the items after the call, as TransactGetItems returns them
  };

  // `calls` outlives this.
  explicit McpUndo(McpCalls& calls) : calls_(calls) {}

  // Call before a call that writes.
  Change before(std::string_view operation, wire::JsonValue arguments);
  // Call after it succeeded with `reply`.
  void done(Change change, std::string_view reply);
  // Undoes the newest remaining change in one transaction, unless its items have changed since. It remains if that
  // fails.
  McpCalls::Answer undo();
  // Call after a rollback: earlier changes can no longer be undone.
  void forget() { changes_.clear(), bytes_ = 0; }

 private:
  std::vector<std::string> key_names(const std::string& table);
  bool name_places(Change& change, wire::JsonValue arguments);
  bool add_put(Change& change, const std::string& table, wire::JsonValue item);
  McpCalls::Answer read(const Change& change);

  McpCalls& calls_;
  std::deque<Change> changes_;
  size_t bytes_ = 0;  // of all of them
};

}  // namespace partita::cli
