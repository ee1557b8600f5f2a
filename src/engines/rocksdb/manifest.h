// RocksDB's MANIFEST, the list of a store's table files, read without RocksDB, also if its end is damaged.
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

// An entry for a table file.
struct TableMeta {
  uint64_t number = 0;
  uint32_t family = 0;
  int level = 0;
  std::string smallest;  // keys, both inclusive
  std::string largest;
  uint64_t largest_sequence = 0;
};

struct Manifest {
  std::map<uint64_t, TableMeta> tables;      // in use, by number
  std::set<uint64_t> former;                 // no longer in use
  std::map<std::string, uint32_t> families;  // by name
  std::map<uint32_t, uint64_t> first_logs;   // by family: the content of older logs is in tables
  uint64_t last_sequence = 0;

  // Whether `files` (numbers) has all tables in use, and otherwise only former tables.
  bool fits(const std::set<uint64_t>& files) const;
};

// The readable part of the list. Error: kUnavailable if the file cannot be read.
Result<Manifest> read_manifest(const std::filesystem::path& file);

}  // namespace partita::rocks
