// An account as rows of a store: docs/formats/account.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "auth/account.h"
#include "table/rows/account_rows.h"

namespace partita::iam {

// A row that cannot be read is omitted and logged.
auth::Account account_of(const std::map<std::string, std::string>& rows);

// One sentence for each problem: rows that cannot be read, and references to missing entities.
std::vector<std::string> faults_of(const std::map<std::string, std::string>& rows);

// The changes from one account to the other. Parts that the two share cost little.
std::vector<table::AccountChange> changes_between(const auth::Account& before, const auth::Account& after);

}  // namespace partita::iam
