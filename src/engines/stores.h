// Opening stores: one row for each storage engine, and the only code above the engines that names them. A store is
// named by a URL, "SCHEME:PLACE".
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/backup.h"
#include "storage/engine.h"
#include "storage/exclusive_engine.h"
#include "storage/salvage.h"

namespace partita {

struct EngineRow {
  std::string_view scheme;
  std::string_view url;  // the form of its URLs, for help texts
  std::string_view help;
  bool has_place = false;     // whether something must follow the scheme
  bool is_directory = false;  // whether that is a directory, which then also holds the server's socket
  unsigned format = 0;        // of its stores; 0: they end with the process
  bool exclusive = false;     // whether only one server can open a store
  // `makes`: create the store if it is missing. Otherwise a missing store is kInvalid (reason 0), if the engine's
  // stores outlive the process.
  Result<std::unique_ptr<storage::Engine>> (*open)(const std::string& place, bool makes);
  // Opens a store for exclusive use: the source of a copy, which must exist, or its target. Errors, one sentence each:
  // kInvalid (reason 0), kUnavailable.
  Result<storage::ExclusiveEngine> (*hold)(const std::string& place, bool is_source);
  // What backs up these stores instead, as one sentence; empty if Engine::maintenance() does.
  std::string_view backed_up_by = {};
  // Null if the engine has none.
  const storage::BackupFunctions* backups = nullptr;
  storage::Salvage* salvage = nullptr;
};

std::span<const EngineRow> engines();

// The URL of the store in a directory.
std::string store_in(std::string_view directory);
// The engine of stores in directories.
const EngineRow& directory_engine();

// Error: kInvalid (reason 0), with one sentence, if no engine knows the URL.
Result<void> check_store(std::string_view url);

// The precondition of everything below: check_store(url).

// As EngineRow::open. Blocks. Errors: those of the engine.
Result<std::unique_ptr<storage::Engine>> open_store(std::string_view url, bool makes = true);

// As EngineRow::hold.
Result<storage::ExclusiveEngine> hold_store(std::string_view url, bool is_source);

// The approximate size of the store, for progress; 0: unknown. Blocks.
uint64_t bytes_about(storage::Engine& engine);

const EngineRow& engine_of(std::string_view url);

// "rocksdb"
std::string_view scheme_of(std::string_view url);

// Where the data is, for people: a directory, "memory", or a URL without its passwords that still names the store.
std::string place_of_store(std::string_view url);

// The path of the administration socket of a server that keeps its data in this directory.
std::string admin_socket_of(std::string_view directory);

// Identifies the store. The same for every process, so it may be stored.
std::string mark_of_store(std::string_view url);

}  // namespace partita
