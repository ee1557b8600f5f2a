#include "engines/rocksdb/durability_marker.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/sync_to_disk.h"
#include "base/whole_file.h"
#include "engines/rocksdb/wal_batch.h"

namespace partita::rocks {

namespace {

// Of one length and shorter than a sector, so that no write leaves a mixture.
constexpr size_t kFileBytes = 256;
constexpr std::string_view kCheck = " check ";

// The second form is the third without a secret. Written so often that the way of it can be seen in what a write costs.
std::string text_of(const DurabilityRecord& record) {
  std::string text;
  text.reserve(kFileBytes);
  const auto add = [&text](std::string_view name, uint64_t number) {
    char digits[20];
    text.append(name).append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
  };
  add("partita ", record.secret.empty() ? 2 : 3);
  add(" sequence ", record.sequence);
  add(" epoch ", record.epoch);
  add(" oldest-log ", record.oldest_log);
  add(" manifest ", record.manifest);
  add(" bytes ", record.manifest_bytes);
  if (!record.secret.empty()) {
    text.append(" secret ").append(record.secret);
    add(" since-log ", record.secret_since);
  }
  const uint32_t check = crc32(text);
  text.append(kCheck);
  for (int shift = 28; shift >= 0; shift -= 4) text.push_back("0123456789abcdef"[check >> shift & 15]);
  text.resize(kFileBytes - 1, ' ');
  text.push_back('\n');
  return text;
}

std::optional<DurabilityRecord> record_of(const std::string& text) {
  DurabilityRecord record;
  unsigned long long sequence = 0;
  unsigned long long epoch = 0;
  unsigned long long oldest = 0;
  unsigned long long manifest = 0;
  unsigned long long bytes = 0;
  unsigned long long since = 0;
  char secret[kSecretBytes + 2] = "";
  const int fields = std::sscanf(text.c_str(),
                                 "partita %*u sequence %llu epoch %llu oldest-log %llu manifest %llu bytes %llu "
                                 "secret %15[A-Za-z0-9_-] since-log %llu",
                                 &sequence, &epoch, &oldest, &manifest, &bytes, secret, &since);
  if (fields < 5 || (fields > 5 && std::strlen(secret) != kSecretBytes)) return std::nullopt;
  record = {sequence, epoch, oldest, manifest, bytes, secret, since};
  return text_of(record) == text ? std::optional(record) : std::nullopt;
}

int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// False, and errno says why. (A disk that is full takes a part first.)
bool write_whole(int descriptor, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = pwrite(descriptor, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (written < 0) return false;
    at += static_cast<size_t>(written);
  }
  return true;
}

std::filesystem::path fresh_name(const std::filesystem::path& file) { return file.string() + ".new"; }

}  // namespace

DurabilityMarker::~DurabilityMarker() {
  catch_up();
  if (descriptor_ >= 0) close(descriptor_);
  if (is_fresh_) unlink(fresh_name(file_).c_str());
}

Result<DurabilityMarker::Found> DurabilityMarker::load(DurabilityRecord& record) const {
  record = {};
  std::error_code ignored;
  if (!std::filesystem::exists(file_, ignored)) return Found::kNothing;
  PARTITA_TRY(const std::string text, read_whole_file(file_));
  if (const std::optional<DurabilityRecord> found = record_of(text)) return record = *found, Found::kWhole;
  // The first form was one decimal number: the highest sequence number in a table file.
  const bool number = text.size() >= 2 && text.size() <= 21 && text.back() == '\n' &&
                      std::all_of(text.begin(), text.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
  if (!number) return Found::kDamaged;
  record.sequence = std::strtoull(text.c_str(), nullptr, 10);
  return Found::kOlderForm;
}

// Whole from its first moment on: what is found in part is damage.
bool DurabilityMarker::finish_file() {
  if (!write_whole(descriptor_, text_of(record_)) || !sync_data_to_disk(descriptor_)) return false;
  if (rename(fresh_name(file_).c_str(), file_.c_str()) != 0) return false;
  written_ = record_;
  is_held_ = is_fresh_ = false;
  return true;
}

bool DurabilityMarker::begin(const DurabilityRecord& record, std::set<uint64_t> logs) {
  const MutexLock lock(mutex_);
  record_ = record;
  written_.sequence = UINT64_MAX;  // whatever is there, the first write replaces it
  logs_ = std::move(logs);
  durable_.store(record.sequence, std::memory_order_relaxed);
  std::error_code ignored;
  is_held_ = true;
  is_fresh_ = std::filesystem::file_size(file_, ignored) != kFileBytes;
  descriptor_ = is_fresh_ ? open(fresh_name(file_).c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)
                          : open(file_.c_str(), O_RDWR | O_CLOEXEC);
  return descriptor_ >= 0;
}

bool DurabilityMarker::release() {
  const MutexLock lock(mutex_);
  if (is_fresh_) return finish_file();
  is_held_ = false;
  return write(true);
}

bool DurabilityMarker::write(bool sync) {
  if (is_held_ || (record_ == written_ && !sync)) return true;
  const std::string text = text_of(record_);
  if (descriptor_ < 0 || !write_whole(descriptor_, text)) return false;
  written_ = record_;
  return !sync || sync_data_to_disk(descriptor_);
}

// Called for each commit, so it does not wait for a thread that syncs the file: the next call writes.
void DurabilityMarker::saw_durable(uint64_t sequence) {
  if (sequence > durable_.load(std::memory_order_relaxed)) durable_.store(sequence, std::memory_order_relaxed);
  const int64_t now = now_ms();
  if (now < next_write_ms_.load(std::memory_order_relaxed) || !mutex_.try_lock()) return;
  next_write_ms_.store(now + kDelayMs, std::memory_order_relaxed);
  write_durable();
  mutex_.unlock();
}

void DurabilityMarker::catch_up() {
  const MutexLock lock(mutex_);
  write_durable();
}

void DurabilityMarker::write_durable() {
  const uint64_t durable = durable_.load(std::memory_order_relaxed);
  if (durable > record_.sequence) {
    record_.sequence = durable;
    // With the write, the log that it went to became durable, too.
    if (!logs_.empty()) record_.oldest_log = *logs_.begin();
  }
  write(false);
}

void DurabilityMarker::saw_epoch(uint64_t epoch) {
  const MutexLock lock(mutex_);
  record_.epoch = epoch;
}

void DurabilityMarker::saw_log(uint64_t number) {
  const MutexLock lock(mutex_);
  logs_.insert(number);
}

void DurabilityMarker::saw_manifest(uint64_t number, uint64_t bytes) {
  const MutexLock lock(mutex_);
  record_.manifest = number;
  record_.manifest_bytes = bytes;
}

uint64_t DurabilityMarker::oldest_log() {
  const MutexLock lock(mutex_);
  return logs_.empty() ? 0 : *logs_.begin();
}

bool DurabilityMarker::let_log_go(uint64_t number) {
  const MutexLock lock(mutex_);
  // One that is the newest was never used: nothing is known of those before it.
  const auto next = logs_.upper_bound(number);
  if (next == logs_.end()) return logs_.erase(number), true;
  logs_.erase(logs_.begin(), next);
  if (record_.oldest_log >= *logs_.begin()) return true;
  record_.oldest_log = *logs_.begin();
  return write(true);
}

bool DurabilityMarker::begin_logs_at(uint64_t number) {
  const MutexLock lock(mutex_);
  logs_.erase(logs_.begin(), logs_.lower_bound(number));
  record_.oldest_log = number;
  return write(true);
}

}  // namespace partita::rocks
