// The rows of users, groups, roles and policies: texts under names, which mean nothing here. docs/formats/account.md.
//
// Every change writes one row too that all changes compare, so that they happen one behind the other, and by whose
// version a server sees that something changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"

namespace partita::table {

using AccountVersion = std::optional<storage::Version>;  // nothing: there never was a change

struct AccountRows {
  AccountVersion version;
  std::map<std::string, std::string> rows;
};

struct AccountChange {
  std::string name;
  std::optional<std::string> text;  // nothing: the row goes
};

// All of one moment.
Task<Result<AccountRows>> read_account_rows(storage::Engine& engine);

// False: something changed since `known`, and nothing happened.
Task<Result<bool>> change_account_rows(storage::Engine& engine, AccountVersion known,
                                       std::vector<AccountChange> changes);

// The key of the row that all changes write.
storage::Key account_version_key();

// Whoever keeps what the rows say. Told by the catalogue, on any thread, perhaps by several: `version` is what its
// look at the store found, at least twice a second.
class AccountFollower {
 public:
  virtual ~AccountFollower() = default;
  virtual Task<Result<void>> heard(AccountVersion version) = 0;
};

}  // namespace partita::table
