// The rows of users, groups, roles and policies: texts under names, which are not interpreted here.
// docs/formats/account.md.
//
// Every change also writes one common row, which all changes compare. So changes happen one after the other, and a
// server sees by the version of that row that something has changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"

namespace partita::table {

using AccountVersion = std::optional<storage::Version>;  // nothing: there has never been a change

struct AccountRows {
  AccountVersion version;
  std::map<std::string, std::string> rows;
};

struct AccountChange {
  std::string name;
  std::optional<std::string> text;  // nothing: the row is erased
};

// A consistent snapshot.
Task<Result<AccountRows>> read_account_rows(storage::Engine& engine);

// False: something has changed since `known`, and nothing was written.
Task<Result<bool>> change_account_rows(storage::Engine& engine, AccountVersion known,
                                       std::vector<AccountChange> changes);

// The key of the row that all changes write.
storage::Key account_version_key();

// Is notified by the catalogue of the version that it found in the store, at least twice a second; on any thread, and
// perhaps on several at once.
class AccountFollower {
 public:
  virtual ~AccountFollower() = default;
  virtual Task<Result<void>> on_version(AccountVersion version) = 0;
};

}  // namespace partita::table
