#include "engines/rocksdb/damage_check.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/sync_to_disk.h"
#include "base/whole_file.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/log_file.h"
#include "engines/rocksdb/manifest.h"
#include "engines/rocksdb/staging.h"

namespace partita::rocks {

namespace {

namespace fs = std::filesystem;

struct Files {
  std::map<uint64_t, fs::path> logs;
  std::set<uint64_t> tables;
};

Result<Files> list_files(const fs::path& directory) {
  Files files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    if (entry.path().extension() == ".sst") files.tables.insert(number_in(entry.path().native()));
    if (const auto number = log_number(entry.path().native())) files.logs.emplace(*number, entry.path());
  }
  if (failed) {
    return Error(ErrorKind::kUnavailable,
                 "The data directory " + directory.string() + " cannot be read: " + failed.message() + ".");
  }
  return files;
}

}  // namespace

Result<uint64_t> check_manifest(const fs::path& directory, const DurabilityRecord& marker) {
  PARTITA_TRY(const std::string current, read_whole_file(directory / "CURRENT"));
  const std::string name = current.substr(0, current.find('\n'));
  const std::optional<uint64_t> number = manifest_number(name);
  if (!number || current != name + "\n") return damaged(directory, "its file CURRENT is not as it was written");
  std::error_code failed;
  if (!fs::exists(directory / name, failed)) {
    return damaged(directory, "its file CURRENT names " + name + ", which is missing");
  }
  if (*number < marker.manifest) {
    return damaged(directory, "its file CURRENT names " + name + ", which is older than the newest one");
  }
  PARTITA_TRY(const LogFile manifest, read_log_file(directory / name, LogKind::kManifest));
  const uint64_t durable = *number == marker.manifest ? marker.manifest_bytes : 1;
  if (manifest.good_bytes < durable) return damaged(directory, "its file " + name + " is cut short or overwritten");
  return *number;
}

namespace {

// Of a store without a whole WITNESS: where the list of tables ends is not known, and RocksDB erases those behind its
// end.
Result<void> check_tables(const fs::path& directory, uint64_t manifest, const std::set<uint64_t>& tables) {
  const std::string name = manifest_name(manifest);
  PARTITA_TRY(const Manifest listed, read_manifest(directory / name));
  if (listed.fits(tables)) return {};
  return damaged(directory, "its file " + name +
                                " does not list the table files that are there, and its file WITNESS, "
                                "which would tell why, is missing or damaged");
}

// `file` follows logs that end before `next`; 0: it is the first that is needed.
Result<void> check_log(const fs::path& directory, const fs::path& file, const LogFile& log, uint64_t next) {
  const std::string name = file.filename().string();
  if (log.readable_behind) {
    return damaged(directory, "in its file " + name + " a record behind byte " + std::to_string(log.good_bytes) +
                                  " is not as it was written, and newer ones follow");
  }
  if (log.records > 0 && next > 0 && log.first_sequence != next) {
    return damaged(directory, "acknowledged writes are missing before its file " + name);
  }
  return {};
}

// What a killed server left to the operating system is about to be read; nobody may see what power can still take.
Result<void> sync_file(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && sync_to_disk(descriptor);
  if (descriptor >= 0) close(descriptor);
  if (synced) return {};
  return Error(ErrorKind::kUnavailable, "The file " + file.string() + " cannot be written to the disk.");
}

// RocksDB, which never cuts, calls a store damaged whose tables are newer than a log with a torn end.
Result<void> cut_file(const fs::path& file, uint64_t bytes) {
  if (truncate(file.c_str(), static_cast<off_t>(bytes)) == 0) return sync_file(file);
  return Error(ErrorKind::kUnavailable, "The file " + file.string() + " cannot be cut: " + std::strerror(errno) + ".");
}

// `is_known`: the marker names the oldest needed log.
Result<void> check_logs(const fs::path& directory, const std::map<uint64_t, fs::path>& found, bool is_known,
                        DirectoryState& state) {
  const DurabilityRecord marker = state.marker;
  if (is_known && !found.contains(marker.oldest_log)) {
    return damaged(directory, "its file " + numbered_file(marker.oldest_log, ".log") + " is missing");
  }
  uint64_t next = 0;
  std::vector<fs::path> empty;  // since the last one with records
  fs::path newest;
  fs::path altered;
  std::vector<std::pair<fs::path, uint64_t>> torn;
  for (const auto& [number, file] : found) {
    if (number < marker.oldest_log) continue;
    PARTITA_TRY(const LogFile log, read_log_file(file, LogKind::kBatches, {marker.secret_of_log(number), next}));
    PARTITA_TRY_VOID(check_log(directory, file, log, next));
    if (!log.clean()) torn.emplace_back(file, log.good_bytes);
    if (log.altered_end) {
      altered = file;
    } else if (log.records > 0) {
      altered.clear();
    }
    if (log.records == 0) {
      empty.push_back(file);
      continue;
    }
    // Logs without records are erased or given up at every opening, so that one with newer ones behind it has lost
    // them, unless the numbers of those around it say otherwise.
    if (is_known && next == 0 && !empty.empty()) {
      return damaged(directory, "its file " + empty.front().filename().string() + " has lost what was in it");
    }
    empty.clear();
    next = log.next_sequence;
    newest = file;
    state.logs.insert(number);
  }
  if (!altered.empty()) {
    return damaged(directory,
                   "the last record of its file " + altered.filename().string() + " is not as it was written");
  }
  if (!is_known) state.marker.oldest_log = state.logs.empty() ? 0 : *state.logs.begin();
  state.has_idle_logs = next == 0 && !found.empty();
  if (!found.empty()) state.newest_log = found.rbegin()->first;
  for (const auto& [number, file] : found) {
    std::error_code gone;
    const uintmax_t bytes = fs::file_size(file, gone);
    if (!gone) state.log_bytes += bytes;
  }
  if (next > 0 && next <= marker.sequence) {
    return damaged(directory,
                   "the newest acknowledged writes are missing from the end of its file " + newest.filename().string());
  }
  for (const auto& [file, bytes] : torn) PARTITA_TRY_VOID(cut_file(file, bytes));
  if (next == 0) return {};
  PARTITA_TRY_VOID(sync_file(newest));
  std::error_code failed;
  for (const fs::path& file : empty) {
    if (!fs::remove(file, failed)) {
      return Error(ErrorKind::kUnavailable, "The file " + file.string() + " cannot be erased.");
    }
  }
  return empty.empty() ? Result<void>() : sync_file(directory);
}

// An opening that ended before there was a CURRENT leaves a log to which nothing was written. RocksDB makes no new
// store beside one.
void erase_unwritten_logs(std::map<uint64_t, fs::path>& logs) {
  std::error_code failed;
  const auto is_unwritten = [&](const auto& log) { return fs::file_size(log.second, failed) == 0; };
  if (!std::ranges::all_of(logs, is_unwritten)) return;
  std::erase_if(logs, [&](const auto& log) { return fs::remove(log.second, failed); });
}

}  // namespace

Error damaged(const fs::path& directory, const std::string& what) {
  return Error(ErrorKind::kCorrupt, "The store in " + directory.string() + " is damaged: " + what +
                                        "; restore the directory from a backup, or save what is readable with "
                                        "`partita salvage --data " +
                                        directory.string() + " --to NEWDIR`.");
}

Result<DirectoryState> check_directory(const fs::path& directory) {
  DirectoryState state;
  PARTITA_TRY(Files files, list_files(directory));
  PARTITA_TRY(const DurabilityMarker::Found found, DurabilityMarker(directory).load(state.marker));
  std::error_code failed;
  if (!fs::exists(directory / "CURRENT", failed)) {
    if (fs::exists(directory / kRestoringName, failed)) {
      return Error(ErrorKind::kUnavailable, "The directory " + directory.string() +
                                                " holds a part of a backup, whose restoration did not end: run "
                                                "`partita restore` again.");
    }
    if (fs::exists(directory / kSalvagingName, failed)) {
      return Error(ErrorKind::kUnavailable, "The directory " + directory.string() +
                                                " holds a part of what was to be saved, and not all: run `partita "
                                                "salvage` again.");
    }
    // RocksDB would make a new, empty store beside the files of this one. (An opening that ended before there was a
    // CURRENT leaves a marker without content.)
    const bool was_store = found != DurabilityMarker::Found::kNothing && state.marker.knows_anything();
    const bool is_damaged = !files.tables.empty() || was_store || found == DurabilityMarker::Found::kDamaged;
    if (!is_damaged) erase_unwritten_logs(files.logs);
    if (is_damaged || !files.logs.empty()) {
      return damaged(directory, "its file CURRENT is missing");
    }
    return state;
  }
  state.is_store = true;
  if (found == DurabilityMarker::Found::kDamaged) {
    log(LogLevel::kWarn, {"The file WITNESS in ", directory.string(), " is damaged; other damage may not be noticed."});
  }
  PARTITA_TRY(const uint64_t manifest, check_manifest(directory, state.marker));
  if (found != DurabilityMarker::Found::kWhole) PARTITA_TRY_VOID(check_tables(directory, manifest, files.tables));
  // Every opening makes a new MANIFEST. If the marker does not know it, another program may have erased logs.
  // But a log that was not needed once never is again.
  const bool ours = found == DurabilityMarker::Found::kWhole && manifest == state.marker.manifest;
  PARTITA_TRY_VOID(check_logs(directory, files.logs, ours && state.marker.oldest_log > 0, state));
  return state;
}

Result<void> check_sequence(const fs::path& directory, const DurabilityRecord& marker, uint64_t sequence) {
  if (sequence >= marker.sequence) return {};
  return damaged(directory, "newer data than it now holds was once written to it");
}

}  // namespace partita::rocks
