#include "engines/postgres/sql_state.h"

#include <algorithm>
#include <utility>

namespace partita::postgres {

ErrorClass classify(std::string_view sql_state) {
  // Serialisation failures and deadlocks; a lock that was not free.
  if (sql_state.starts_with("40") || sql_state == "55P03") return ErrorClass::kRetry;
  // Connections, shutdowns and starts; what only a primary does.
  if (sql_state.starts_with("08") || sql_state.starts_with("57P") || sql_state == "25006")
    return ErrorClass::kRetryElsewhere;
  return ErrorClass::kFailed;
}

bool is_exhaustion(std::string_view sql_state) { return sql_state.starts_with("53") || sql_state.starts_with("58"); }

Error to_error(std::string_view sql_state, std::string_view message) {
  ErrorKind kind = ErrorKind::kUnavailable;
  if (sql_state.starts_with("54")) kind = ErrorKind::kTooLarge;
  if (sql_state.starts_with("XX001") || sql_state.starts_with("XX002")) kind = ErrorKind::kCorrupt;
  std::string sentence = "PostgreSQL says: " + first_line(message) + " (" + std::string(sql_state) + ")";
  // invalid_sql_statement_name: each session prepares what it executes, so this one is another.
  if (sql_state == "26000") sentence += "; a pooler before it has to pool sessions, not transactions or statements.";
  return Error(kind, std::move(sentence));
}

std::string first_line(std::string_view message) {
  std::string line(message.substr(0, message.find('\n')));
  // The last is the name of a function of libpq.
  for (const std::string_view noise : {"ERROR:  ", "FATAL:  ", "PANIC:  ", "fe_sendauth: "}) {
    if (const size_t at = line.find(noise); at != std::string::npos) line.erase(at, noise.size());
  }
  return line;
}

std::string in_one_line(std::string_view message) {
  std::string all;
  while (!message.empty()) {
    const std::string line = first_line(message);
    message.remove_prefix(std::min(message.size(), message.find('\n')));
    if (!message.empty()) message.remove_prefix(1);
    const bool is_hint = line.starts_with('\t');
    if (line.empty() || is_hint || all.find(line) != std::string::npos) continue;
    all += (all.empty() ? "" : "; ") + line;
  }
  return all;
}

}  // namespace partita::postgres
