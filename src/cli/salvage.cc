#include "cli/salvage.h"

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/quantity.h"
#include "engines/stores.h"
#include "storage/range_cursor.h"
#include "storage/ranges.h"
#include "table/maintenance/namespaces.h"
#include "table/maintenance/repair_store.h"

namespace partita::cli {

namespace {

constexpr size_t kNamesAtOnce = 1'000;
constexpr size_t kFilesTold = 30;

// What a key of the log says its topic is: 'L', its length, the topic, a position of 8 bytes. Empty: none.
std::string_view topic_in(std::string_view key) {
  constexpr size_t kAround = 10;
  return key.size() < kAround || key.front() != 'L' ? std::string_view() : key.substr(2, key.size() - kAround);
}

// The part of it that lies in `range`, without the prefix of `range`; false: nothing does.
bool cut(const table::LostRows& lost, const storage::Range& range, table::LostRows& part) {
  if (!range.end.empty() && !lost.after.empty() && lost.after >= range.end) return false;
  if (!lost.before.empty() && lost.before <= range.begin) return false;
  const auto relative = [&](const std::string& key) {
    const bool within = key >= range.begin && (range.end.empty() || key < range.end);
    return within ? key.substr(range.begin.size()) : std::string();
  };
  part = {relative(lost.after), relative(lost.before)};
  return true;
}

class Finish {
 public:
  Finish(storage::Engine& engine, storage::SalvageReport& report) : engine_(engine), report_(report) {}

  Result<void> run() {
    storage::Range own;
    own.end = table::kBesideDatabase;
    PARTITA_TRY_VOID(finish_database(engine_, own, {}, {}));
    std::string after;
    for (;;) {
      PARTITA_TRY(const std::vector<std::string> names, wait_for(table::namespaces(engine_, after, kNamesAtOnce)));
      if (names.empty()) break;
      for (const std::string& name : names) {
        const std::unique_ptr<storage::Engine> view = table::namespace_of(engine_, name);
        PARTITA_TRY_VOID(finish_database(*view, storage::range_of(table::rows_of_namespace(name)),
                                         table::topics_of_namespace(name), "Namespace " + name + ": "));
      }
      after = names.back();
    }
    return drop_snapshots();
  }

 private:
  Result<void> finish_database(storage::Engine& database, const storage::Range& rows, const std::string& topics,
                               const std::string& name) {
    table::RepairOptions options;
    options.lost_changes = report_.lost_changes;
    options.now_ms = system_clock().now_ms();
    for (const storage::LostRange& lost : report_.ranges) {
      table::LostRows part;
      if (!lost.of_log) {
        if (cut({lost.after, lost.before}, rows, part)) options.rows.push_back(std::move(part));
        continue;
      }
      const table::LostRows named{std::string(topic_in(lost.after)), std::string(topic_in(lost.before))};
      if (cut(named, storage::range_of(topics), part)) options.entries.push_back(std::move(part));
    }
    for (const std::string& key : report_.unsure) {
      const bool within = key >= rows.begin && (rows.end.empty() || key < rows.end);
      if (within) options.unsure.push_back(key.substr(rows.begin.size()));
    }
    PARTITA_TRY(const table::Repaired repaired, table::repair_store(database, options));
    for (const std::string& loss : repaired.losses) report_.losses.push_back(name + loss);
    for (const std::string& one : repaired.mended) std::printf("repaired: %s%s\n", name.c_str(), one.c_str());
    return {};
  }

  // To go back to a part of a snapshot would lose what is whole.
  Result<void> drop_snapshots() {
    PARTITA_TRY(const std::vector<std::string> names, wait_for(table::namespaces_with_aside(engine_)));
    for (const std::string& name : names) {
      const storage::Range rows = storage::range_of(table::aside_of_namespace(name));
      table::LostRows part;
      bool damaged = false;
      for (const storage::LostRange& lost : report_.ranges) {
        damaged = damaged || (!lost.of_log && cut({lost.after, lost.before}, rows, part));
      }
      if (!damaged) continue;
      PARTITA_TRY_VOID(wait_for(storage::erase_rows(engine_, rows)));
      report_.losses.push_back((name.empty() ? "The" : "Namespace " + name + ": the") +
                               std::string(" snapshots were damaged, and are removed."));
    }
    return {};
  }

  storage::Engine& engine_;
  storage::SalvageReport& report_;
};

}  // namespace

Result<bool> salvage(const SalvageOptions& options) {
  set_log_level(LogLevel::kWarn);
  uint64_t of_files = 0;
  const storage::FinishSalvage finish = [&](storage::Engine& engine, storage::SalvageReport& report) {
    of_files = report.losses.size();
    return Finish(engine, report).run();
  };
  PARTITA_TRY(const storage::SalvageReport report, directory_engine().salvage(options.from, options.to, finish));
  for (uint64_t i = 0; i < report.losses.size(); ++i) {
    if (i >= kFilesTold && i < of_files) continue;
    std::printf("lost: %s\n", report.losses[i].c_str());
    if (i + 1 == kFilesTold && of_files > kFilesTold) {
      std::printf("lost: And in %s.\n", counted(of_files - kFilesTold, "more place", "more places").c_str());
    }
  }
  if (report.lost_erasures) std::printf("lost: Which tables and indexes were dropped is not fully known.\n");
  const bool whole = report.losses.empty() && report.unsure_count == 0;
  std::printf("%s and %s are saved in %s; %s\n", counted(report.records, "record", "records").c_str(),
              counted(report.entries, "log entry", "log entries").c_str(), options.to.c_str(),
              whole ? "nothing is lost." : "what is lost is named above.");
  std::printf("Serve them with `partita serve --data %s`.\n", options.to.c_str());
  return whole;
}

}  // namespace partita::cli
