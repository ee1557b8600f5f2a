// A store's directory as a test copies, reads and damages it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/durability_marker.h"
#include "storage/engine.h"

namespace partita::contract {

Result<std::unique_ptr<storage::Engine>> open_store(const std::filesystem::path& directory);
// Of an open store: what a kill leaves.
void copy_store(const std::filesystem::path& from, const std::filesystem::path& to);

// Those that are not empty, by their names.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& store);
// Of those that are not empty.
std::filesystem::path newest_log(const std::filesystem::path& store);
rocks::DurabilityRecord witness_of(const std::filesystem::path& store);

std::string contents(const std::filesystem::path& file);
// Overwrites `bytes` at `at` with what `change` makes of each.
void change_bytes(const std::filesystem::path& file, uint64_t at, uint64_t bytes,
                  const std::function<char(char)>& change);

}  // namespace partita::contract
