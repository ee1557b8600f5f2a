#include "cli/verify.h"

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/quantity.h"
#include "cli/progress_line.h"
#include "engines/stores.h"
#include "iam/rows.h"
#include "table/maintenance/namespaces.h"
#include "table/maintenance/snapshots.h"
#include "table/maintenance/verify_store.h"
#include "table/rows/account_rows.h"

namespace partita::cli {

namespace {

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

struct Found {
  uint64_t differences = 0;
  bool left_out = false;  // a database was not looked at

  void operator+=(const Found& more) {
    differences += more.differences;
    left_out |= more.left_out;
  }
};

// That of a name in a store, or without one.
Result<Found> verify_database(storage::Engine& store, const std::string& name, storage::Engine& database,
                              const table::VerifyOptions& options) {
  Found found;
  const auto begun = wait_for(table::Snapshots::begun_rollback(store, name));
  if (!begun.ok() && begun.error().kind() != ErrorKind::kCorrupt) return begun.error();
  if (!begun.ok()) {
    std::printf("A rollback was cut off, and the snapshot that it was to is not there.\n");
    return Found{.differences = 1};
  }
  if (!begun->empty()) {
    std::printf("Not looked at: a rollback to the snapshot %s was cut off. The next start of a server completes it.\n",
                begun->c_str());
    return Found{.left_out = true};
  }
  PARTITA_TRY(const std::vector<table::Verified> report, table::verify_store(database, options));
  for (const table::Verified& verified : report) {
    say(verified);
    found.differences += verified.differences;
  }
  return found;
}

Result<uint64_t> verify_account(storage::Engine& engine) {
  PARTITA_TRY(const table::AccountRows account, wait_for(table::read_account_rows(engine)));
  const std::vector<std::string> faults = iam::faults_of(account.rows);
  if (account.rows.empty()) return 0;
  std::printf("users and policies: %s; %s\n", counted(account.rows.size(), "row", "rows").c_str(),
              faults.empty() ? "all is well" : counted(faults.size(), "difference", "differences").c_str());
  for (const std::string& sentence : faults) std::printf("  %s\n", sentence.c_str());
  return faults.size();
}

// The one without a name, which the users are of too, then the namespaces.
Result<Found> verify_databases(storage::Engine& engine, const table::VerifyOptions& options) {
  constexpr size_t kNamespacesAtOnce = 1'000;
  PARTITA_TRY(Found all, verify_database(engine, {}, engine, options));
  PARTITA_TRY(const uint64_t of_account, verify_account(engine));
  all.differences += of_account;
  std::string after;
  for (;;) {
    PARTITA_TRY(const std::vector<std::string> names, wait_for(table::namespaces(engine, after, kNamespacesAtOnce)));
    if (names.empty()) return all;
    for (const std::string& name : names) {
      std::printf("namespace %s:\n", name.c_str());
      const std::unique_ptr<storage::Engine> view = table::namespace_of(engine, name);
      PARTITA_TRY(const Found found, verify_database(engine, name, *view, options));
      all += found;
    }
    after = names.back();
  }
}

// `files` are checked when that was not done otherwise.
Result<Found> verify_engine(storage::Engine& engine, bool files) {
  // For the progress alone.
  const uint64_t total = bytes_about(engine);
  Found all;
  if (files && engine.maintenance() != nullptr) {
    ProgressLine shown;
    const storage::OnBytes progress = [&](uint64_t bytes) {
      const auto told = [&] { return "reading files: " + shown.so_far(bytes, total); };
      shown.update(told);
      return true;
    };
    PARTITA_TRY(const std::vector<std::string> damaged, engine.maintenance()->check_files(progress));
    for (const std::string& sentence : damaged) std::printf("%s\n", sentence.c_str());
    all.differences += damaged.size();
  }
  ProgressLine shown;
  table::VerifyOptions options;
  options.progress = [&](uint64_t rows, uint64_t bytes) {
    const auto told = [&] { return "comparing: " + counted(rows, "row", "rows") + ", " + shown.so_far(bytes, total); };
    shown.update(told);
    return true;
  };
  auto found = verify_databases(engine, options);
  if (!found.ok() && all.differences > 0) return all;  // what cannot be read was said above
  if (!found.ok()) return std::move(found).error();
  all += *found;
  return all;
}

Result<Found> verify_backup(const BackupOptions& options) {
  const storage::BackupFunctions& functions = *engine_of(options.store).backups;
  PARTITA_TRY(const std::vector<storage::Backup> backups, functions.list(options.directory));
  Found all;
  for (const storage::Backup& backup : backups) {
    if (!backup.damaged) continue;
    std::printf("Backup %" PRIu32 " is damaged: %s.\n", backup.id, backup.damage.c_str());
    ++all.differences;
  }
  auto checked = functions.check(options.directory, options.id);
  if (!checked.ok() && checked.error().kind() == ErrorKind::kCorrupt) {
    std::printf("%s\n", std::string(checked.error().sentence()).c_str());
    ++all.differences;
    return all;
  }
  PARTITA_TRY(const storage::Backup backup, std::move(checked));
  std::printf("Backup %" PRIu32 ": %s, and the checksum of each file is right.\n", backup.id,
              mebibytes(backup.bytes).c_str());
  PARTITA_TRY(const storage::ExclusiveEngine opened, functions.open(options.directory, backup.id));
  PARTITA_TRY(const Found found, verify_engine(*opened.engine, false));
  all += found;
  return all;
}

}  // namespace

Result<bool> verify(const BackupOptions& options) {
  set_log_level(LogLevel::kWarn);
  Found found;
  if (!options.directory.empty()) {
    PARTITA_TRY(found, verify_backup(options));
  } else {
    if (engine_of(options.store).format == 0)
      return Error(ErrorKind::kInvalid, "An in-memory store cannot be verified: it ends with its server.");
    PARTITA_TRY(const storage::ExclusiveEngine store, hold_store(options.store, true));
    PARTITA_TRY(found, verify_engine(*store.engine, true));
    PARTITA_TRY_VOID(store.check());
  }
  const bool well = found.differences == 0;
  std::printf("%s\n", !well            ? "Something is wrong: see above."
                      : found.left_out ? "Everything that was checked is well."
                                       : "All is well.");
  return well;
}

}  // namespace partita::cli
