#include "engines/rocksdb/copied_check.h"

#include <rocksdb/convenience.h>

#include <filesystem>
#include <map>
#include <utility>

#include "base/whole_file.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/log_file.h"

namespace partita::rocks {

namespace {

namespace fs = std::filesystem;

class CopiedFiles {
 public:
  CopiedFiles(fs::path directory, const Store& store, const storage::OnBytes& progress)
      : directory_(std::move(directory)), store_(store), progress_(progress) {}

  Result<CopiedDamage> check(const rocksdb::BackupInfo& info, const std::set<std::string>& before) {
    const auto described = decode_backed_up(info.app_metadata);
    std::map<uint64_t, std::string> logs;
    for (const auto& file : info.file_details) {
      const std::string& name = file.relative_filename;
      PARTITA_TRY_VOID(go_on());
      if (name.ends_with(".sst") && !before.contains(name)) {
        PARTITA_TRY_VOID(check_table(name));
      } else if (manifest_number(name)) {
        PARTITA_TRY_VOID(check_manifest(name));
      } else if (name_of(name) == "CURRENT") {
        PARTITA_TRY_VOID(check_current(name));
      } else if (const auto number = log_number(name); number && described && *number >= described->oldest_log) {
        logs.emplace(*number, name);
      }
      if (!damage_.file.empty()) return damage_;
    }
    PARTITA_TRY_VOID(check_logs(logs, described ? described->sequence : 0));
    return damage_;
  }

 private:
  Result<void> go_on() const {
    if (!progress_ || progress_(0)) return {};
    return Error(ErrorKind::kUnavailable, "The backup into " + directory_.string() + " was stopped.");
  }

  std::string_view secret_of(uint64_t log) const {
    return log < store_.secret_since ? std::string_view() : std::string_view(store_.secret);
  }

  void found(std::string file, std::string what, bool is_log = false) {
    damage_ = {std::move(file), std::move(what), is_log};
  }

  Result<void> check_table(const std::string& name) {
    const std::string path = (directory_ / name).string();
    const rocksdb::Status status = check_table_file(store_, path, rocksdb::Env::Default());
    // Such as a process that may open no more files: it says nothing of the store.
    if (status.IsIOError()) {
      return Error(ErrorKind::kUnavailable, "The file " + path + " cannot be read: " + status.ToString() + ".");
    }
    if (!status.ok()) found(numbered_file(number_in(name), ".sst"), status.ToString());
    return {};
  }

  Result<void> check_manifest(const std::string& name) {
    PARTITA_TRY(const LogFile manifest, read_log_file(directory_ / name, LogKind::kManifest));
    if (!manifest.clean()) {
      found(std::string(name_of(name)),
            "what stands behind byte " + std::to_string(manifest.good_bytes) + " is not as it was written");
    }
    return {};
  }

  Result<void> check_current(const std::string& name) {
    PARTITA_TRY(const std::string text, read_whole_file(directory_ / name));
    const std::string named = text.substr(0, text.find('\n'));
    const bool is_whole = manifest_number(named) && text == named + "\n";
    if (!is_whole || !fs::exists((directory_ / name).replace_filename(named))) {
      found("CURRENT", "it does not name the MANIFEST");
    }
    return {};
  }

  // As an opening would (check_directory()), but that nothing is cut off: only the newest may end in the middle of a
  // record, since it was being written.
  Result<void> check_logs(const std::map<uint64_t, std::string>& logs, uint64_t sequence) {
    uint64_t next = 0;
    std::string torn;
    for (const auto& [number, name] : logs) {
      const std::string file(name_of(name));
      PARTITA_TRY(const LogFile log, read_log_file(directory_ / name, LogKind::kBatches, {secret_of(number), next}));
      if (log.records > 0 && !torn.empty()) return found(torn, "its end is missing", true), Result<void>();
      if (log.readable_behind || log.altered_end) {
        return found(file, "the record behind byte " + std::to_string(log.good_bytes) + " is not as it was written",
                     true),
               Result<void>();
      }
      if (log.records > 0 && next > 0 && log.first_sequence != next) {
        return found(file, "writes before it are missing", true), Result<void>();
      }
      if (!log.clean()) torn = file;
      if (log.records > 0) next = log.next_sequence;
    }
    if (next > 0 && next <= sequence) found(std::string(name_of(logs.rbegin()->second)), "its end is missing", true);
    return {};
  }

  const fs::path directory_;
  const Store& store_;
  const storage::OnBytes& progress_;
  CopiedDamage damage_;
};

}  // namespace

Result<CopiedDamage> check_copied(const BackupDirectory& directory, const rocksdb::BackupInfo& info,
                                  const std::set<std::string>& before, const Store& store,
                                  const storage::OnBytes& progress) {
  return CopiedFiles(directory.path(), store, progress).check(info, before);
}

rocksdb::Status check_table_file(const Store& store, const std::string& path, rocksdb::Env* env) {
  // The families' options differ in nothing that a block's checksum depends on.
  rocksdb::Options options = store.db->GetOptions(store.records);
  options.env = env;
  return rocksdb::VerifySstFileChecksum(options, rocksdb::EnvOptions(), path);
}

}  // namespace partita::rocks
