// Options and report of verify_store().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace partita::table {

struct VerifyOptions {
  size_t page_rows = 1'000;
  size_t page_bytes = size_t{1} << 20;
  size_t named = 5;                 // differences of each table that are described
  size_t keys_at_once = 1'000'000;  // of a stream; more need several passes
  // Called after each page, with the totals so far. False: stop.
  std::function<bool(uint64_t rows, uint64_t bytes)> progress;
};

// One table. Without a name: the catalogue and all rows without a table.
struct Verified {
  std::string table;
  uint64_t items = 0;  // of the catalogue, its rows
  uint64_t index_rows = 0;
  uint64_t expiring = 0;             // items with a time to live
  uint64_t records = 0;              // of streams
  uint64_t differences = 0;          // 0: consistent
  std::vector<std::string> named;    // the first differences, one sentence each
  std::vector<std::string> skipped;  // checks that were skipped, and why; one sentence each
};

}  // namespace partita::table
