// The storage engines that a server can be started on: one row each. A store is named by a URL, "SCHEME:PLACE".
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engines/rocksdb/backup.h"
#include "engines/rocksdb/scrub.h"
#include "storage/engine.h"
#include "storage/exclusive_engine.h"

namespace partita {

struct EngineRow {
  std::string_view scheme;
  std::string_view url;  // how its URLs look, for people
  std::string_view help;
  bool has_place = false;     // whether something must stand behind the scheme
  bool is_directory = false;  // whether that is a directory, for the files of the store and the server's socket
  unsigned format = 0;        // of its stores; 0: they end with the process
  bool alone = false;         // whether a server has a store for itself
  // `makes`: a store where there is none; else that is kInvalid (reason 0) where stores outlive the process.
  Result<std::unique_ptr<storage::Engine>> (*open)(const std::string& place, bool makes);
  // For a copy, from it (then it has to be there, and nothing is made where it is not) or to it. Errors, one sentence
  // each: kInvalid (reason 0), kUnavailable.
  Result<storage::ExclusiveEngine> (*hold)(const std::string& place, bool is_source);
  // What backs up its stores, as one sentence; empty: back_up() does.
  std::string_view backed_up_by = {};
  // Of an engine that was opened here; null where that is the business of others.
  Result<BackupResult> (*back_up)(storage::Engine& engine, const BackupRequest& request) = nullptr;
  Result<std::vector<std::string>> (*check_files)(storage::Engine& engine, const OnBytes& progress) = nullptr;
  Result<std::unique_ptr<Scrub>> (*scrub)(storage::Engine& engine, const ScrubOptions& options) = nullptr;
};

std::span<const EngineRow> engines();

// Error: kInvalid (reason 0), with one sentence, for a URL that no engine knows.
Result<void> check_store(std::string_view url);

// As EngineRow::open. Precondition: check_store(url). Blocks. Errors: those of the engine.
Result<std::unique_ptr<storage::Engine>> open_store(std::string_view url, bool makes = true);

// The same, as EngineRow::hold.
Result<storage::ExclusiveEngine> hold_store(std::string_view url, bool is_source);

// How much the store holds, about, to tell progress by; 0 when that is not known. Blocks.
uint64_t bytes_about(storage::Engine& engine);

// The engine's row. Precondition: check_store(url).
const EngineRow& engine_of(std::string_view url);

// Of the engine: "rocksdb". Precondition: check_store(url).
std::string_view scheme_of(std::string_view url);

// Where the data is, for people: a directory, "memory", or a URL that names the store again, without its passwords.
// Precondition: check_store(url).
std::string place_of_store(std::string_view url);

// Where a server that keeps its data in that directory has its administration socket.
std::string admin_socket_of(std::string_view directory);

// What tells the store from others, whoever asks for it: for what is kept. Precondition: check_store(url).
std::string mark_of_store(std::string_view url);

}  // namespace partita
