#include "app/copy.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "app/engines.h"
#include "base/clock.h"
#include "base/random.h"
#include "table/catalog.h"
#include "table/copy_store.h"

namespace partita::app {

namespace {

constexpr int64_t kTellEveryNs = 1'000'000'000;
constexpr double kMebibyte = 1 << 20;

// What it is called when the copy goes on, wherever that is typed.
std::string name_of(const std::string& url) {
  const std::string place = place_of_store(url);
  if (scheme_of(url) != "rocksdb") return place;
  std::error_code failed;
  const auto whole = std::filesystem::weakly_canonical(place, failed);
  return failed ? place : whole.string();
}

// One line that changes on a terminal, and a line now and then elsewhere.
class Teller {
 public:
  explicit Teller(uint64_t expected_bytes) : expected_bytes_(expected_bytes) {}
  ~Teller() {
    if (open_line_) std::fputc('\n', stderr);
  }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  void tell(const table::CopyProgress& progress) {
    const int64_t now_ns = system_clock().monotonic_ns();
    if (now_ns < due_ns_) return;
    due_ns_ = now_ns + kTellEveryNs;
    const double share = expected_bytes_ == 0 ? 0
                                              : 100.0 * static_cast<double>(progress.bytes) /
                                                    static_cast<double>(std::max(expected_bytes_, progress.bytes));
    open_line_ = isatty(STDERR_FILENO) != 0;
    std::fprintf(stderr, "%s%s: %" PRIu64 " rows, %.1f MiB, about %.0f %%%s", open_line_ ? "\r" : "",
                 progress.verifying ? "comparing" : "copying", progress.rows,
                 static_cast<double>(progress.bytes) / kMebibyte, share, open_line_ ? "\033[K" : "\n");
  }

 private:
  const uint64_t expected_bytes_;
  int64_t due_ns_ = 0;
  bool open_line_ = false;
};

void say(const std::string& what, const table::CopiedPart& part, const char* unit) {
  std::printf("%s: %" PRIu64 " %s, %" PRIu64 " bytes, checksum %016" PRIx64 "\n", what.c_str(), part.rows, unit,
              part.bytes, part.checksum);
}

// With the names that the tables have.
Result<void> say_all(storage::Engine& engine, const table::CopyReport& report) {
  table::Catalog catalog(engine, system_clock(), system_random().next());
  PARTITA_TRY_VOID(wait_for(catalog.look_again()));
  std::map<uint32_t, std::string> names{{0, "catalogue"}};
  for (const table::Table& table : catalog.all()) names[table->id] = "table " + table->name;
  for (const auto& [id, part] : report.tables) {
    const auto named = names.find(id);
    say(named != names.end() ? named->second : "table that is being dropped", part, "rows");
  }
  say("streams", report.logs, "entries");
  return {};
}

}  // namespace

Result<void> copy(const CommandLine& line) {
  set_log_level(LogLevel::kWarn);
  const std::string from_name = name_of(line.from);
  if (from_name == name_of(line.to)) return Error(ErrorKind::kInvalid, "A store can not be copied onto itself.");
  PARTITA_TRY(const storage::HeldEngine from, hold_store(line.from, true));
  PARTITA_TRY(const storage::HeldEngine to, hold_store(line.to, false));
  // For the progress alone.
  const auto expected = wait_for(from.engine->approximate_bytes({}));
  table::CopyOptions options;
  options.from_name = from_name;
  options.still_alone = [&]() -> Result<void> {
    PARTITA_TRY_VOID(from.check());
    return to.check();
  };
  Result<table::CopyReport> copied = Error(ErrorKind::kUnavailable, "");
  {
    Teller teller(expected.ok() ? *expected : 0);
    options.progress = [&teller](const table::CopyProgress& progress) {
      teller.tell(progress);
      return true;
    };
    copied = wait_for(table::copy_store(*from.engine, *to.engine, std::move(options)));
  }
  if (!copied.ok()) return std::move(copied).error();
  PARTITA_TRY_VOID(say_all(*from.engine, *copied));
  std::printf("%s is copied to %s%s; all of it was read back and is the same.\n", from_name.c_str(),
              place_of_store(line.to).c_str(), copied->resumed ? ", where an interrupted copy went on" : "");
  return {};
}

}  // namespace partita::app
