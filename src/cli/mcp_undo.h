// What an agent changed of items, so that it can be taken back: the newest call first.
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
      std::string table;  // JSON, as what follows
      std::string key;
      std::string item;  // as it was; empty: there was none
      // Whether the call itself says what it leaves there: `wrote`; empty: nothing.
      bool told = false;
      std::string wrote;
    };
    std::string operation;
    std::vector<Place> places;  // none: it cannot be taken back
    std::string left;           // what the call left there, as TransactGetItems tells it
  };

  // Outlives it.
  explicit McpUndo(McpCalls& calls) : calls_(calls) {}

  // Before a call that writes.
  Change before(std::string_view operation, wire::JsonValue arguments);
  // It was carried out, and answered with `reply`.
  void done(Change change, std::string_view reply);
  // Takes back the newest that was not taken back yet, in one transaction, if nobody else has changed its items since.
  // One that fails stays.
  McpCalls::Answer undo();
  // Of what a rollback has set back, nothing is taken back any more.
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
