// How a store in PostgreSQL is opened.
#pragma once

#include <cstddef>
#include <string>

namespace partita {

// Of the stores that it makes, and the newest that it opens.
inline constexpr unsigned kPostgresFormat = 1;

struct PostgresOptions {
  // As libpq takes it: "postgresql://USER:PASSWORD@HOST1:PORT,HOST2:PORT/DATABASE?sslmode=verify-full".
  std::string url;
  size_t writers = 4;   // connections that commit
  size_t readers = 2;   // and others
  size_t merged = 256;  // the most transactions, or reads, in one statement
  bool makes = true;    // a store where there is none
};

}  // namespace partita
