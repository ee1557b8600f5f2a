// Requests on global tables of version 2017.11.29. None of these operations has a reply but an error, except
// ListGlobalTables, which lists none.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace partita::api {

// The request of an operation that reads only the name of a global table.
struct NamedGlobalTable {
  std::string name;
};

struct CreateGlobalTableRequest {
  std::string name;
  std::vector<std::optional<std::string>> regions;  // one for each replica; absent if it names none
};

struct UpdateGlobalTableRequest {
  // DynamoDB accepts exactly one of the two.
  struct ReplicaUpdate {
    bool creates = false;
    bool deletes = false;
  };
  std::string name;
  std::vector<ReplicaUpdate> updates;
};

}  // namespace partita::api
