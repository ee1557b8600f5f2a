// What verify_store() is asked for, and what it reports.
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
  size_t named = 5;                 // differences of each table that are told in words
  size_t keys_at_once = 1'000'000;  // of a stream; more are looked at in several rounds
  // Called after each page, with what was read so far; false: stop.
  std::function<bool(uint64_t rows, uint64_t bytes)> progress;
};

// Of one table; of the catalogue and what else belongs to no table that is there, when it has no name.
struct Verified {
  std::string table;
  uint64_t items = 0;  // of the catalogue, its rows
  uint64_t index_rows = 0;
  uint64_t expiring = 0;             // items that have a moment to expire
  uint64_t records = 0;              // of streams
  uint64_t differences = 0;          // 0: all is well
  std::vector<std::string> named;    // the first of them, one sentence each
  std::vector<std::string> skipped;  // what was not looked at, and why; one sentence each
};

}  // namespace partita::table
