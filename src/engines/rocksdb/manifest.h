// RocksDB's list of the table files of a store, read without RocksDB: also when its end is damaged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::rocks {

// What the list says of a table file.
struct TableMeta {
  uint64_t number = 0;
  uint32_t family = 0;
  int level = 0;
  std::string smallest;  // keys, both within
  std::string largest;
  uint64_t largest_sequence = 0;
};

struct Manifest {
  std::map<uint64_t, TableMeta> tables;      // that are in use, by their numbers
  std::set<uint64_t> former;                 // that were, and are not any more
  std::map<std::string, uint32_t> families;  // by name
  std::map<uint32_t, uint64_t> first_logs;   // by family: older logs hold nothing of it that is not in tables
  uint64_t last_sequence = 0;

  // Whether each table in use is among these files, by number, and each other file is of a former table.
  bool fits(const std::set<uint64_t>& files) const;
};

// As far as the list can be read. Error: kUnavailable when the file cannot be read.
Result<Manifest> read_manifest(const std::filesystem::path& file);

}  // namespace partita::rocks
