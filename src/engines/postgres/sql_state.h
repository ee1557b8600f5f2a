// Classifies PostgreSQL's errors by what the sender of the statement can do. (Codes: appendix A of PostgreSQL's
// manual.)
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace partita::postgres {

enum class ErrorClass {
  kRetry,           // a conflict with other transactions; nothing was done
  kRetryElsewhere,  // this server does not take it now (shutting down, a standby); nothing was done
  kFailed,          // as it is it cannot be done; nothing was done
};

ErrorClass classify(std::string_view sql_state);

// Whether the server lacks what every write needs: disk space, memory, a working disk.
bool is_exhaustion(std::string_view sql_state);

// One sentence for the operator.
Error to_error(std::string_view sql_state, std::string_view message);

// The first line of PostgreSQL's message, without its severity.
std::string first_line(std::string_view message);

// libpq's messages about the hosts that it tried, each once, without severities and hints.
std::string in_one_line(std::string_view message);

}  // namespace partita::postgres
