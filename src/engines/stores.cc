#include "engines/stores.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/canonical_path.h"
#include "engines/foundationdb/foundationdb_engine.h"
#include "engines/memory/memory_engine.h"
#include "engines/postgres/postgres_engine.h"
#include "engines/postgres_url.h"
#include "engines/rocksdb/backup.h"
#include "engines/rocksdb/rocksdb_engine.h"

namespace partita {

namespace {

constexpr std::string_view kAdminSocketName = "admin.sock";

// What a server leaves in a directory, and what file systems put into an empty one.
bool is_of_a_store(const std::string& name) {
  constexpr std::array<std::string_view, 6> kBegins = {"LOG", "LOCK", "MANIFEST-", "OPTIONS-", "IDENTITY", "WITNESS"};
  constexpr std::array<std::string_view, 4> kEnds = {".log", ".sst", ".dbtmp", ".trash"};
  if (name == "CURRENT" || name == "lost+found" || name == "archive") return true;
  if (name == "restoring" || name == "salvaging") return true;
  if (name == kAdminSocketName) return true;
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return name.starts_with(begin); }) ||
         std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

// A store is created only in an empty or new directory, in case the name is mistyped.
Result<void> refuse_foreign(const std::string& place) {
  std::error_code error;
  if (std::filesystem::exists(place + "/CURRENT", error)) return {};
  for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
    const std::string name = entry.path().filename().string();
    if (is_of_a_store(name)) continue;
    return Error(ErrorKind::kUnavailable, place + " is not empty and holds no store (it contains '" + name +
                                              "'): name a new or an empty directory.");
  }
  return {};
}

Result<std::unique_ptr<storage::Engine>> open_rocksdb(const std::string& place, bool makes) {
  std::error_code failed;
  if (!makes && !std::filesystem::exists(place + "/CURRENT", failed)) {
    return Error(ErrorKind::kInvalid, "There is no store in " + place + ": check the name.");
  }
  PARTITA_TRY_VOID(refuse_foreign(place));
  RocksdbOptions options;
  options.directory = place;
  return open_rocksdb_engine(options);
}

// Its lock holds it.
Result<storage::ExclusiveEngine> hold_rocksdb(const std::string& place, bool is_source) {
  storage::ExclusiveEngine held;
  PARTITA_TRY(held.engine, open_rocksdb(place, !is_source));
  return held;
}

Result<storage::ExclusiveEngine> hold_memory(const std::string&, bool) {
  return Error(ErrorKind::kInvalid, "An in-memory store cannot be copied: it ends with its server.");
}

Result<std::unique_ptr<storage::Engine>> open_memory(const std::string&, bool) { return open_memory_engine(); }

Result<std::unique_ptr<storage::Engine>> open_postgres(const std::string& place, bool makes) {
  PostgresOptions options;
  options.makes = makes;
  options.url = "postgresql:" + place;
  return open_postgres_engine(options);
}

Result<storage::ExclusiveEngine> hold_postgres(const std::string& place, bool is_source) {
  PostgresOptions options;
  options.makes = !is_source;
  options.url = "postgresql:" + place;
  return open_exclusive_postgres_engine(options);
}

Result<std::unique_ptr<storage::Engine>> open_foundationdb(const std::string& place, bool makes) {
  FoundationdbOptions options;
  options.makes = makes;
  options.place = place;
  return open_foundationdb_engine(options);
}

Result<storage::ExclusiveEngine> hold_foundationdb(const std::string& place, bool is_source) {
  FoundationdbOptions options;
  options.makes = !is_source;
  options.place = place;
  return open_exclusive_foundationdb_engine(options);
}

constexpr std::array kEngines = {
    EngineRow{.scheme = "rocksdb",
              .url = "rocksdb:DIR",
              .help = "A directory, kept by RocksDB inside the server: the same as --data DIR.",
              .has_place = true,
              .is_directory = true,
              .format = kRocksdbFormat,
              .exclusive = true,
              .open = open_rocksdb,
              .hold = hold_rocksdb,
              .backups = &kRocksdbBackups,
              .salvage = salvage_rocksdb_store},
    EngineRow{.scheme = "memory",
              .url = "memory:",
              .help = "The server's memory: the same as --in-memory.",
              .exclusive = true,
              .open = open_memory,
              .hold = hold_memory,
              .backed_up_by = "An in-memory store cannot be backed up: `partita serve --data DIR` keeps data on disk."},
    EngineRow{.scheme = "postgresql",
              .url = "postgresql://HOST/DATABASE",
              .help = "A PostgreSQL database, which several servers may share. Any URL that libpq accepts.",
              .has_place = true,
              .format = kPostgresFormat,
              .open = open_postgres,
              .hold = hold_postgres,
              .backed_up_by = "A store in PostgreSQL is backed up by PostgreSQL: use pg_basebackup, or pg_dump."},
    EngineRow{
        .scheme = "fdb",
        .url = "fdb:CLUSTER_FILE",
        .help = "A FoundationDB cluster, which several servers may share. ?prefix=NAME separates several stores in one "
                "cluster.",
        .has_place = true,
        .format = kFoundationdbFormat,
        .open = open_foundationdb,
        .hold = hold_foundationdb,
        .backed_up_by = "A store in FoundationDB is backed up by FoundationDB: use fdbbackup."},
};

std::string_view place_in(std::string_view url) {
  const size_t colon = url.find(':');
  return colon == std::string_view::npos ? std::string_view() : url.substr(colon + 1);
}

// A word without a colon is a directory.
const EngineRow* find_engine(std::string_view url) {
  if (!url.contains(':')) return nullptr;
  for (const EngineRow& engine : kEngines) {
    if (engine.scheme == scheme_of(url) && engine.has_place == !place_in(url).empty()) return &engine;
  }
  return nullptr;
}

}  // namespace

// PostgreSQL's own programs know it by two names.
std::string_view scheme_of(std::string_view url) {
  const std::string_view scheme = url.substr(0, url.find(':'));
  return scheme == "postgres" ? "postgresql" : scheme;
}

std::span<const EngineRow> engines() { return kEngines; }

std::string store_in(std::string_view directory) {
  return std::string(directory_engine().scheme).append(":").append(directory);
}

const EngineRow& directory_engine() { return *std::ranges::find(kEngines, true, &EngineRow::is_directory); }

Result<void> check_store(std::string_view url) {
  if (find_engine(url) != nullptr) return {};
  std::string known;
  for (const EngineRow& engine : kEngines) {
    if (!known.empty()) known += " or ";
    known += engine.url;
  }
  const bool may_hide = url.contains("//") || url.find_first_of("@=") != std::string_view::npos;
  const std::string said = may_hide ? without_secrets(url) : std::string(url);
  return Error(ErrorKind::kInvalid, "There is no store '" + said + "': it must be " + known + ".");
}

uint64_t bytes_about(storage::Engine& engine) {
  const auto bytes = wait_for(engine.approximate_bytes({}));
  return bytes.ok() ? *bytes : 0;
}

const EngineRow& engine_of(std::string_view url) {
  const EngineRow* const engine = find_engine(url);
  PARTITA_CHECK(engine != nullptr);
  return *engine;
}

Result<std::unique_ptr<storage::Engine>> open_store(std::string_view url, bool makes) {
  return engine_of(url).open(std::string(place_in(url)), makes);
}

Result<storage::ExclusiveEngine> hold_store(std::string_view url, bool is_source) {
  return engine_of(url).hold(std::string(place_in(url)), is_source);
}

std::string place_of_store(std::string_view url) {
  const std::string_view place = place_in(url);
  if (place.empty()) return std::string(scheme_of(url));
  if (engine_of(url).is_directory) return std::string(place);
  return scheme_of(url) == "postgresql" ? without_secrets(url) : std::string(url);
}

std::string admin_socket_of(std::string_view directory) {
  return std::string(directory).append("/").append(kAdminSocketName);
}

std::string mark_of_store(std::string_view url) {
  if (engine_of(url).is_directory) return canonical_path(place_of_store(url));
  return scheme_of(url) == "postgresql" ? without_caller(url) : std::string(place_in(url));
}

}  // namespace partita
