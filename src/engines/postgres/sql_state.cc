#include "engines/postgres/sql_state.h"

namespace partita::postgres {

Fate fate_of(std::string_view sql_state) {
  // Serialisation failures and deadlocks; a lock that was not free.
  if (sql_state.starts_with("40") || sql_state == "55P03") return Fate::kAgain;
  // Connections, shutdowns and starts; what only a primary does.
  if (sql_state.starts_with("08") || sql_state.starts_with("57P") || sql_state == "25006") return Fate::kElsewhere;
  return Fate::kFailed;
}

Error to_error(std::string_view sql_state, std::string_view message) {
  ErrorKind kind = ErrorKind::kUnavailable;
  if (sql_state.starts_with("54")) kind = ErrorKind::kTooLarge;
  if (sql_state.starts_with("XX001") || sql_state.starts_with("XX002")) kind = ErrorKind::kCorrupt;
  return Error(kind, "PostgreSQL says: " + first_line(message) + " (" + std::string(sql_state) + ")");
}

std::string first_line(std::string_view message) {
  for (const std::string_view grade : {"ERROR:", "FATAL:", "PANIC:"}) {
    if (message.starts_with(grade)) message.remove_prefix(grade.size());
  }
  const size_t begin = message.find_first_not_of(' ');
  message.remove_prefix(begin == std::string_view::npos ? message.size() : begin);
  return std::string(message.substr(0, message.find('\n')));
}

}  // namespace partita::postgres
