#include "app/engines.h"

#include <array>

#include "engines/memory/memory_engine.h"
#include "engines/rocksdb/rocksdb_engine.h"

namespace partita::app {

namespace {

Result<std::unique_ptr<storage::Engine>> open_rocksdb(const std::string& place) {
  RocksdbOptions options;
  options.directory = place;
  return open_rocksdb_engine(options);
}

Result<std::unique_ptr<storage::Engine>> open_memory(const std::string&) { return open_memory_engine(); }

constexpr std::array kEngines = {
    EngineRow{"rocksdb", "rocksdb:DIR", "RocksDB in this process, in a directory: what --data DIR means.", true,
              open_rocksdb},
    EngineRow{"memory", "memory:", "This process's memory: what --in-memory means.", false, open_memory},
};

std::string_view scheme_of(std::string_view url) { return url.substr(0, url.find(':')); }

std::string_view place_in(std::string_view url) {
  const size_t colon = url.find(':');
  return colon == std::string_view::npos ? std::string_view() : url.substr(colon + 1);
}

const EngineRow* find_engine(std::string_view url) {
  for (const EngineRow& engine : kEngines) {
    if (engine.scheme == scheme_of(url) && engine.has_place == !place_in(url).empty()) return &engine;
  }
  return nullptr;
}

}  // namespace

std::span<const EngineRow> engines() { return kEngines; }

Result<void> check_store(std::string_view url) {
  if (find_engine(url) != nullptr) return {};
  std::string known;
  for (const EngineRow& engine : kEngines) {
    if (!known.empty()) known += " or ";
    known += engine.url;
  }
  return Error(ErrorKind::kInvalid, "There is no store '" + std::string(url) + "': it must be " + known + ".");
}

Result<std::unique_ptr<storage::Engine>> open_store(std::string_view url) {
  const EngineRow* const engine = find_engine(url);
  PARTITA_CHECK(engine != nullptr);
  return engine->open(std::string(place_in(url)));
}

std::string place_of_store(std::string_view url) {
  const std::string_view place = place_in(url);
  return std::string(place.empty() ? scheme_of(url) : place);
}

}  // namespace partita::app
