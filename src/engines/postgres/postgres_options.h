// How a store in PostgreSQL is opened.
#pragma once

#include <cstddef>
#include <string>

namespace partita {

// The format of new stores, and the newest that can be opened.
inline constexpr unsigned kPostgresFormat = 1;

struct PostgresOptions {
  // A connection string of libpq: "postgresql://USER:PASSWORD@HOST1:PORT,HOST2:PORT/DATABASE?sslmode=verify-full".
  std::string url;
  size_t writers = 4;   // connections that commit
  size_t readers = 2;   // other connections
  size_t merged = 256;  // the most transactions, or reads, in one statement
  bool makes = true;    // creates a store if there is none
};

}  // namespace partita
