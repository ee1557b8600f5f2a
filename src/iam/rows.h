// An account as rows of a store: docs/formats/account.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "auth/account.h"
#include "table/account_rows.h"

namespace partita::iam {

// A row that cannot be read is left out, and the log says so.
auth::Account account_of(const std::map<std::string, std::string>& rows);

// What is wrong with them, a sentence each: what cannot be read, and what names something that is not there.
std::vector<std::string> faults_of(const std::map<std::string, std::string>& rows);

// What makes one account of the other: cheap for what the two share.
std::vector<table::AccountChange> changes_between(const auth::Account& before, const auth::Account& after);

}  // namespace partita::iam
