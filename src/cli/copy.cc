#include "cli/copy.h"

#include <cinttypes>
#include <cstdio>
#include <optional>
#include <string>

#include "base/canonical_path.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/quantity.h"
#include "base/random.h"
#include "cli/progress_line.h"
#include "engines/stores.h"
#include "table/catalog/catalog.h"
#include "table/maintenance/copy_store.h"
#include "table/rows/system_rows.h"

namespace partita::cli {

namespace {

// Wherever that is typed.
std::string name_of(const std::string& url) {
  const std::string place = place_of_store(url);
  return engine_of(url).is_directory ? canonical_path(place) : place;
}

std::string told(const table::CopyProgress& progress, const std::string& so_far) {
  return (progress.verifying ? "comparing: " : "copying: ") + counted(progress.rows, "row", "rows") + ", " + so_far;
}

void say(const std::string& what, const table::CopiedPart& part, const char* one, const char* many) {
  std::printf("%s: %s, %s, checksum %016" PRIx64 "\n", what.c_str(), counted(part.rows, one, many).c_str(),
              counted(part.bytes, "byte", "bytes").c_str(), part.checksum);
}

// With the names that the tables have.
Result<void> say_all(storage::Engine& engine, const table::CopyReport& report, bool snapshots) {
  table::Catalog catalog(engine, system_clock(), system_random().next(), {});
  PARTITA_TRY_VOID(wait_for(catalog.look_again()));
  std::map<uint32_t, std::string> names{{0, "catalogue"},
                                        {table::kSecondCopyId, "catalogue, second copies"},
                                        {UINT32_MAX, snapshots ? "namespaces and snapshots" : "namespaces"}};
  for (const table::Table& table : catalog.all()) names[table->id] = "table " + table->name;
  for (const auto& [id, part] : report.tables) {
    const auto named = names.find(id);
    say(named != names.end() ? named->second : "table that is being dropped", part, "row", "rows");
  }
  say("streams", report.logs, "entry", "entries");
  if (report.left_out > 0) {
    std::printf("left out: %s; a store that several servers may share has none\n",
                counted(report.left_out, "snapshot", "snapshots").c_str());
  }
  return {};
}

}  // namespace

Result<void> copy(const CopyOptions& stores) {
  set_log_level(LogLevel::kWarn);
  const std::string from_name = name_of(stores.from);
  if (from_name == name_of(stores.to)) return Error(ErrorKind::kInvalid, "A store cannot be copied onto itself.");
  PARTITA_TRY(const storage::ExclusiveEngine from, hold_store(stores.from, true));
  PARTITA_TRY_VOID(wait_for(table::refuse_copying(*from.engine, from_name)));
  PARTITA_TRY(const storage::ExclusiveEngine to, hold_store(stores.to, false));
  table::StoreCopyOptions options;
  options.snapshots = engine_of(stores.to).exclusive;
  // For the progress alone.
  const auto expected = wait_for(from.engine->approximate_bytes(table::copied_rows(options.snapshots)));
  options.from_name = from_name;
  options.from_mark = mark_of_store(stores.from);
  options.former_marks = {from_name};
  options.still_alone = [&]() -> Result<void> {
    PARTITA_TRY_VOID(from.check());
    return to.check();
  };
  Result<table::CopyReport> copied = Error(ErrorKind::kUnavailable, "");
  {
    std::optional<ProgressLine> shown;
    bool verifying = false;
    options.progress = [&](const table::CopyProgress& progress) {
      if (!shown || verifying != progress.verifying) shown.emplace();  // each half takes its own time
      verifying = progress.verifying;
      const auto text = [&] { return told(progress, shown->so_far(progress.bytes, expected.ok() ? *expected : 0)); };
      shown->update(text);
      return true;
    };
    copied = wait_for(table::copy_store(*from.engine, *to.engine, options));
  }
  if (!copied.ok()) return std::move(copied).error();
  PARTITA_TRY_VOID(say_all(*from.engine, *copied, options.snapshots));
  std::printf("%s is copied to %s%s; all of it was read back and is the same.\n", from_name.c_str(),
              place_of_store(stores.to).c_str(), copied->resumed ? ", where an interrupted copy went on" : "");
  return {};
}

}  // namespace partita::cli
