// Options and report of repair_store().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace partita::table {

// Rows between these keys, both excluded, are lost. Empty: from the beginning; to the end.
struct LostRows {
  std::string after;
  std::string before;
};

struct RepairOptions {
  std::vector<LostRows> rows;
  std::vector<LostRows> entries;                // of logs: topics instead of keys, both included
  std::vector<std::string> unsure;              // keys of rows left out because only an older version was readable
  bool lost_changes = false;                    // the newest changes of unknown rows are lost
  size_t named = 10;                            // losses of each table that are described
  uint64_t stream_bytes = uint64_t{256} << 20;  // approximate memory for the records of a stream
  int64_t now_ms = 0;
};

// One sentence each, for an operator.
struct Repaired {
  std::vector<std::string> losses;
  std::vector<std::string> mended;
};

}  // namespace partita::table
