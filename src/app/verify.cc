#include "app/verify.h"

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/engines.h"
#include "app/teller.h"
#include "base/log.h"
#include "table/namespaces.h"
#include "table/verify_store.h"

namespace partita::app {

namespace {

std::string counted(uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

void say(const table::Verified& verified) {
  std::string line = verified.table.empty()
                         ? "catalogue: " + counted(verified.items, "row", "rows")
                         : "table " + verified.table + ": " + counted(verified.items, "item", "items");
  if (verified.index_rows > 0) line += ", " + counted(verified.index_rows, "index row", "index rows");
  if (verified.expiring > 0) line += ", " + std::to_string(verified.expiring) + " that expire";
  if (verified.records > 0) line += ", " + counted(verified.records, "stream record", "stream records");
  line +=
      verified.differences == 0 ? "; all is well" : "; " + counted(verified.differences, "difference", "differences");
  std::printf("%s\n", line.c_str());
  for (const std::string& sentence : verified.named) std::printf("  %s\n", sentence.c_str());
  if (verified.differences > verified.named.size()) {
    std::printf("  And %" PRIu64 " more.\n", verified.differences - verified.named.size());
  }
  for (const std::string& sentence : verified.skipped) std::printf("  Not looked at: %s\n", sentence.c_str());
}

Result<uint64_t> verify_database(storage::Engine& engine, const table::VerifyOptions& options) {
  uint64_t differences = 0;
  PARTITA_TRY(const std::vector<table::Verified> report, table::verify_store(engine, options));
  for (const table::Verified& verified : report) {
    say(verified);
    differences += verified.differences;
  }
  return differences;
}

// The one without a name, then the namespaces.
Result<uint64_t> verify_databases(storage::Engine& engine, const table::VerifyOptions& options) {
  constexpr size_t kNamesAtOnce = 1'000;
  PARTITA_TRY(uint64_t differences, verify_database(engine, options));
  std::string after;
  for (;;) {
    PARTITA_TRY(const std::vector<std::string> names, wait_for(table::namespaces(engine, after, kNamesAtOnce)));
    if (names.empty()) return differences;
    for (const std::string& name : names) {
      std::printf("namespace %s:\n", name.c_str());
      const std::unique_ptr<storage::Engine> view = table::namespace_of(engine, name);
      PARTITA_TRY(const uint64_t found, verify_database(*view, options));
      differences += found;
    }
    after = names.back();
  }
}

// How many differences there are. `files` are checked when that was not done otherwise.
Result<uint64_t> verify_engine(storage::Engine& engine, const EngineRow& row, bool files) {
  Teller teller;
  uint64_t differences = 0;
  if (files && row.check_files != nullptr) {
    const OnBytes progress = [&](uint64_t bytes) {
      const auto told = [&] { return "reading files: " + mebibytes(bytes); };
      teller.tell(told);
      return true;
    };
    PARTITA_TRY(const std::vector<std::string> damaged, row.check_files(engine, progress));
    for (const std::string& sentence : damaged) std::printf("%s\n", sentence.c_str());
    differences += damaged.size();
  }
  table::VerifyOptions options;
  options.progress = [&](uint64_t rows, uint64_t bytes) {
    const auto told = [&] { return "comparing: " + std::to_string(rows) + " rows, " + mebibytes(bytes); };
    teller.tell(told);
    return true;
  };
  auto found = verify_databases(engine, options);
  if (!found.ok() && differences > 0) return differences;  // what can not be read was said above
  if (!found.ok()) return std::move(found).error();
  return differences + *found;
}

Result<uint64_t> verify_backup(const CommandLine& line) {
  PARTITA_TRY(const std::vector<Backup> backups, list_backups(line.backups));
  uint64_t differences = 0;
  for (const Backup& backup : backups) {
    if (!backup.damaged) continue;
    std::printf("Backup %" PRIu32 " is damaged: files are missing.\n", backup.id);
    ++differences;
  }
  auto checked = check_backup(line.backups, line.backup_id);
  if (!checked.ok() && checked.error().kind() == ErrorKind::kCorrupt) {
    std::printf("%s\n", std::string(checked.error().sentence()).c_str());
    return differences + 1;
  }
  PARTITA_TRY(const Backup backup, std::move(checked));
  std::printf("Backup %" PRIu32 ": %s, and the checksum of each file is right.\n", backup.id,
              mebibytes(backup.bytes).c_str());
  PARTITA_TRY(const std::unique_ptr<OpenedBackup> opened, OpenedBackup::open(line.backups, backup.id));
  PARTITA_TRY(const uint64_t found, verify_engine(opened->engine(), engine_of(line.from), false));
  return differences + found;
}

}  // namespace

Result<bool> verify(const CommandLine& line) {
  set_log_level(LogLevel::kWarn);
  uint64_t differences = 0;
  if (!line.backups.empty()) {
    PARTITA_TRY(differences, verify_backup(line));
  } else {
    if (engine_of(line.from).format == 0) return Error(ErrorKind::kInvalid, "What is in memory can not be verified.");
    PARTITA_TRY(const storage::HeldEngine store, hold_store(line.from, true));
    PARTITA_TRY(differences, verify_engine(*store.engine, engine_of(line.from), true));
    PARTITA_TRY_VOID(store.check());
  }
  std::printf("%s\n", differences == 0 ? "All is well." : "Something is wrong; see above.");
  return differences == 0;
}

}  // namespace partita::app
