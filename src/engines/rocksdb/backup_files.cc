#include "engines/rocksdb/backup_files.h"

#include <rocksdb/file_checksum.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/whole_file.h"
#include "engines/rocksdb/file_names.h"

namespace partita::rocks {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kShared = "shared_checksum/";
constexpr size_t kStepBytes = 1 << 20;

using Checks = std::map<std::string, uint32_t>;  // of files: CRC-32C

// Of one backup. A line "NAME crc32 NUMBER" is of a file; before those stands how many there are.
Result<Checks> checks_of(const fs::path& list) {
  PARTITA_TRY(const std::string text, read_whole_file(list));
  constexpr std::string_view kCheck = " crc32 ";
  Checks checks;
  std::optional<uint64_t> expected;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t at = line.find(kCheck);
    const auto number = number_of(at == std::string_view::npos ? line : line.substr(at + kCheck.size()));
    if (at == std::string_view::npos) {
      expected = number;
    } else if (number && *number <= UINT32_MAX) {
      checks.emplace(line.substr(0, at), static_cast<uint32_t>(*number));
    }
  }
  if (expected == checks.size()) return checks;
  return Error(ErrorKind::kCorrupt, "The file " + list.string() + " is damaged.");
}

// Of all backups whose list can be read.
Checks shared_checks(const fs::path& directory) {
  Checks shared;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory / "meta", failed)) {
    if (!number_of(entry.path().filename().native())) continue;
    const auto checks = checks_of(entry.path());
    if (!checks.ok()) continue;
    for (const auto& [name, check] : *checks) {
      if (name.starts_with(kShared)) shared.emplace(name, check);
    }
  }
  return shared;
}

class FileRepair {
 public:
  FileRepair(fs::path directory, fs::path store, rocksdb::Env& files, const storage::OnBytes& progress)
      : directory_(std::move(directory)), store_(std::move(store)), files_(files), progress_(progress) {}

  // The CRC-32C of what is in the file; nothing when it cannot be read, or `copy` not written.
  std::optional<uint32_t> read(const fs::path& file, rocksdb::WritableFile* copy) {
    std::unique_ptr<rocksdb::SequentialFile> in;
    if (!files_.NewSequentialFile(file.string(), &in, rocksdb::EnvOptions()).ok()) return std::nullopt;
    const auto check = rocksdb::GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator({});
    std::string buffer(kStepBytes, '\0');
    for (rocksdb::Slice part("more"); !part.empty();) {
      if (progress_ && !progress_(0)) stopped_ = true;
      if (stopped_ || !in->Read(buffer.size(), &part, buffer.data()).ok()) return std::nullopt;
      check->Update(part.data(), part.size());
      if (copy != nullptr && !copy->Append(part).ok()) return std::nullopt;
    }
    check->Finalize();
    const std::string bytes = check->GetChecksum();
    std::string_view number = bytes;
    return take_u32(number);
  }

  bool was_stopped() const { return stopped_; }
  bool is_whole(const std::string& name, uint32_t check) { return read(directory_ / name, nullptr) == check; }

  // False: the store does not have it, or not as it was.
  Result<bool> copy_again(const std::string& name, uint32_t check) {
    const fs::path file = directory_ / name;
    const std::string fresh = file.string() + ".tmp";
    std::unique_ptr<rocksdb::WritableFile> copy;
    rocksdb::Status status = files_.NewWritableFile(fresh, &copy, rocksdb::EnvOptions());
    const bool is_same = status.ok() && read(store_ / numbered_file(number_in(name), ".sst"), copy.get()) == check;
    if (status.ok() && is_same) status = copy->Sync();
    if (status.ok()) status = copy->Close();
    if (status.ok() && is_same) status = files_.RenameFile(fresh, file.string());
    if (!status.ok() || !is_same) files_.DeleteFile(fresh).PermitUncheckedError();
    if (!status.ok()) {
      return Error(ErrorKind::kUnavailable, "The file " + file.string() + " cannot be written: " + status.ToString());
    }
    return is_same;
  }

  Result<RepairedFiles> mend() {
    RepairedFiles mended;
    for (const auto& [name, check] : shared_checks(directory_)) {
      if (is_whole(name, check)) continue;
      bool copied = false;
      if (!stopped_) {
        PARTITA_TRY(copied, copy_again(name, check));
      }
      if (stopped_) return Error(ErrorKind::kUnavailable, "The backup into " + directory_.string() + " was stopped.");
      (copied ? mended.copied : mended.damaged).insert(name);
    }
    if (mended.copied.empty()) return mended;
    std::unique_ptr<rocksdb::Directory> shared;
    rocksdb::Status status = files_.NewDirectory((directory_ / kShared).string(), &shared);
    if (status.ok()) status = shared->Fsync();
    if (status.ok()) return mended;
    return Error(ErrorKind::kUnavailable,
                 "The directory " + directory_.string() + " cannot be written: " + status.ToString() + ".");
  }

 private:
  const fs::path directory_;
  const fs::path store_;
  rocksdb::Env& files_;
  const storage::OnBytes& progress_;
  bool stopped_ = false;
};

}  // namespace

Result<std::string> damaged_file(const std::string& directory, uint32_t id, const storage::OnBytes& progress) {
  PARTITA_TRY(const Checks checks, checks_of(fs::path(directory) / "meta" / std::to_string(id)));
  FileRepair reader(directory, {}, *rocksdb::Env::Default(), progress);
  for (const auto& [name, check] : checks) {
    if (reader.is_whole(name, check)) continue;
    if (reader.was_stopped()) return Error(ErrorKind::kUnavailable, "Reading the backups was stopped.");
    return name;
  }
  return std::string();
}

Result<RepairedFiles> repair_shared_files(const std::string& directory, const std::string& store, rocksdb::Env& files,
                                          const storage::OnBytes& progress) {
  return FileRepair(directory, store, files, progress).mend();
}

}  // namespace partita::rocks
