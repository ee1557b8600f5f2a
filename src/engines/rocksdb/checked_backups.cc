#include "engines/rocksdb/checked_backups.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/log.h"
#include "base/sync_to_disk.h"
#include "base/whole_file.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/staging.h"

namespace partita::rocks {

namespace {

namespace fs = std::filesystem;

constexpr char kName[] = "PARTITA-CHECKED";
constexpr std::string_view kHead = "partita checked 1\n";
constexpr std::string_view kEnd = "end\n";
constexpr std::string_view kNobody = "-";

// A line "ID STORE" for each backup, between kHead and kEnd.
std::optional<CheckedBackups> decode(std::string_view text) {
  if (!text.starts_with(kHead) || !text.ends_with(kEnd)) return std::nullopt;
  text.remove_prefix(kHead.size());
  text.remove_suffix(kEnd.size());
  CheckedBackups checked;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t blank = line.find(' ');
    const auto id = number_of(line.substr(0, blank));
    if (!id || *id == 0 || *id > UINT32_MAX || blank == std::string_view::npos) return std::nullopt;
    const std::string_view store = line.substr(blank + 1);
    checked[static_cast<uint32_t>(*id)] = store == kNobody ? "" : store;
  }
  return checked;
}

bool write_synced(const fs::path& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  bool written = true;
  while (written && !text.empty()) {
    const ssize_t taken = ::write(descriptor, text.data(), text.size());
    written = taken > 0;
    if (written) text.remove_prefix(static_cast<size_t>(taken));
  }
  written = written && sync_to_disk(descriptor);
  const int cause = errno;
  close(descriptor);
  errno = cause;
  return written;
}

}  // namespace

Result<std::optional<CheckedBackups>> read_checked_backups(const std::string& directory) {
  const fs::path file = fs::path(directory) / kName;
  std::error_code failed;
  if (!fs::exists(file, failed)) return std::optional<CheckedBackups>();
  PARTITA_TRY(const std::string text, read_whole_file(file));
  std::optional<CheckedBackups> checked = decode(text);
  if (!checked) log(LogLevel::kWarn, {"The file ", file.string(), " is damaged; a lost backup may not be missed."});
  return checked;
}

Result<void> write_checked_backups(const std::string& directory, const CheckedBackups& checked) {
  std::string text(kHead);
  for (const auto& [id, store] : checked) {
    text += std::to_string(id) + " " + (store.empty() ? std::string(kNobody) : store) + "\n";
  }
  text += kEnd;
  const fs::path file = fs::path(directory) / kName;
  const fs::path fresh = file.string() + ".new";
  if (write_synced(fresh, text) && std::rename(fresh.c_str(), file.c_str()) == 0) return sync_directory(directory);
  return Error(ErrorKind::kUnavailable,
               "The file " + file.string() + " cannot be written: " + std::strerror(errno) + ".");
}

}  // namespace partita::rocks
