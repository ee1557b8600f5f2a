#include "cli/credentials_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "auth/text_util.h"
#include "base/sync_to_disk.h"
#include "base/whole_file.h"

namespace partita::cli {

namespace {

constexpr std::array<std::string_view, 3> kOfKey = {"aws_access_key_id", "aws_secret_access_key", "aws_session_token"};

Error unusable(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

std::string system_reason() { return std::system_category().message(errno); }

// The name of the profile that the line begins; nothing when it begins none. As for the AWS CLI, what follows the
// bracket does not count.
std::optional<std::string_view> profile_begun(std::string_view line) {
  const size_t end = line.rfind(']');
  if (!line.starts_with('[') || end == std::string_view::npos) return std::nullopt;
  return auth::trim(line.substr(1, end - 1));
}

// As the AWS CLI reads a line: names in any case, with an equals sign or a colon behind them.
struct Setting {
  std::string name;
  std::string_view value;
};

Setting setting_of(std::string_view line) {
  const size_t end = std::min(line.find_first_of("=:"), line.size());
  std::string name(auth::trim(line.substr(0, end)));
  std::ranges::transform(name, name.begin(), auth::lower);
  return {std::move(name), auth::trim(line.substr(std::min(end + 1, line.size())))};
}

// Programs that change files of the same folder take turns. Where the file system has no locks, nobody waits.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder)
      : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (folder_ >= 0 && ::flock(folder_, LOCK_EX) != 0 && errno == EINTR) continue;
  }
  ~FolderLock() {
    if (folder_ >= 0) ::close(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  const int folder_;
};

std::string lines_of(const ProfileKey& key) {
  return "aws_access_key_id = " + key.id + "\naws_secret_access_key = " + key.secret + "\n";
}

// A link leads to the file that is written.
std::filesystem::path file_behind(const std::string& path) {
  std::error_code failed;
  auto real = std::filesystem::canonical(path, failed);
  return failed ? std::filesystem::path(path) : real;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.parent_path().empty() ? "." : file.parent_path();
}

// In the place of what the file was, at once, readable for whom it was readable; a new one for its owner alone.
Result<void> write_credentials_file(const std::string& path, std::string_view text) {
  const std::filesystem::path file = file_behind(path);
  std::string beside = file.string() + ".XXXXXX";
  const auto failed = [&] {
    return unusable("The credentials in " + path + " cannot be written: " + system_reason() + ".");
  };
  const int made = ::mkstemp(beside.data());  // for its owner alone
  if (made < 0) return failed();
  struct stat before{};
  const bool there = ::stat(file.c_str(), &before) == 0;
  // Who may not give the file away keeps the mode that hides it.
  if (there && ::fchown(made, before.st_uid, before.st_gid) == 0) ::fchmod(made, before.st_mode & 07777);
  size_t done = 0;
  ssize_t wrote = 0;
  while (done < text.size() && (wrote = ::write(made, text.data() + done, text.size() - done)) > 0) {
    done += static_cast<size_t>(wrote);
  }
  const bool whole = done == text.size() && sync_to_disk(made);
  Error why = failed();
  ::close(made);
  if (whole && ::rename(beside.c_str(), file.c_str()) == 0) return {};
  if (whole) why = failed();
  ::unlink(beside.c_str());
  return why;
}

}  // namespace

Result<std::string> with_key(std::string_view text, const ProfileKey& key, std::string& replaced) {
  std::string out;
  bool found = false;
  bool within = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view line = auth::trim(whole.substr(0, whole.size() - (whole.ends_with('\r') ? 1 : 0)));
    const auto profile = profile_begun(line);
    const Setting setting = setting_of(line);
    if (profile) within = *profile == key.profile;
    if (profile && within && found) return unusable("The profile [" + key.profile + "] is there twice; remove one.");
    if (within && !profile && std::ranges::find(kOfKey, setting.name) != kOfKey.end()) {
      if (setting.name == kOfKey[0]) replaced = setting.value;
      continue;
    }
    out.append(whole).append("\n");
    if (!profile || !within) continue;
    found = true;
    out += lines_of(key);
  }
  if (found) return out;
  if (!out.empty()) out += "\n";
  return out + "[" + key.profile + "]\n" + lines_of(key);
}

Result<std::string> read_credentials_file(const std::string& path) {
  const std::filesystem::path file = file_behind(path);
  const std::filesystem::path folder = folder_of(file);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return unusable("The credentials in " + path + " cannot be written: " + system_reason() + ".");
  }
  if (::access(file.c_str(), F_OK) != 0 && errno == ENOENT) return std::string();
  auto read = read_whole_file(file, "The credentials in");
  if (read.ok()) return read;
  return unusable(std::string(read.error().sentence()));
}

bool others_can_read(const std::string& path) {
  struct stat file{};
  return ::stat(path.c_str(), &file) == 0 && (file.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

Result<void> put_in_credentials_file(const std::string& path, const ProfileKey& key, std::string& replaced) {
  const FolderLock lock(folder_of(file_behind(path)));
  PARTITA_TRY(const std::string text, read_credentials_file(path));
  PARTITA_TRY(const std::string changed, with_key(text, key, replaced));
  return write_credentials_file(path, changed);
}

}  // namespace partita::cli
