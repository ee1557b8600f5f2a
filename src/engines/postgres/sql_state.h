// What an error of PostgreSQL means for whoever sent the statement. (Codes: appendix A of PostgreSQL's manual.)
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace partita::postgres {

enum class ErrorClass {
  kRetry,           // others were in the way; nothing was done
  kRetryElsewhere,  // this server does not take it now (shutting down, a standby); nothing was done
  kFailed,          // as it is it cannot be done; nothing was done
};

ErrorClass classify(std::string_view sql_state);

// Whether the server lacks what any write needs: room on its disk, memory, a disk that works.
bool is_exhaustion(std::string_view sql_state);

// For an operator, one sentence.
Error to_error(std::string_view sql_state, std::string_view message);

// The first line of what PostgreSQL says, without the words in front that only grade it.
std::string first_line(std::string_view message);

// What libpq says of each host that it tried, each thing once, without grades and hints.
std::string in_one_line(std::string_view message);

}  // namespace partita::postgres
