// What an ARN names: a table, or one of its streams.
#pragma once

#include <string>

namespace partita::table {

struct Resource {
  std::string arn;
  std::string name;    // of the table
  std::string stream;  // the stream's label; empty: the table itself
};

}  // namespace partita::table
