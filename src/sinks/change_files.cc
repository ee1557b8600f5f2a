#include "sinks/change_files.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "sinks/change_json.h"
#include "sinks/zstd_text.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

constexpr std::string_view kOwnerFile = "sink.json";
constexpr size_t kMostText = size_t{1} << 30;  // of a file that is read again
constexpr int64_t kLookForRestMs = 100;        // of a file that was written before a crash
constexpr size_t kMostLooks = 20;              // for nothing: then it is of a store that was restored
constexpr size_t kMostNumber = 1'000;          // of files with the same first position

Error invalid_option(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

// Takes the option out. `none` if there is none of that name.
Result<int64_t> take_number(std::map<std::string, std::string, std::less<>>& options, std::string_view name,
                            int64_t least, int64_t most, int64_t none) {
  const auto found = options.find(name);
  if (found == options.end()) return none;
  const std::string text = std::move(found->second);
  options.erase(found);
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stopped == end && value >= least && value <= most) return value;
  return invalid_option("The option " + std::string(name) + " is a number from " + std::to_string(least) + " to " +
                        std::to_string(most) + ".");
}

std::string position_text(const storage::Position& position) {
  std::string text;
  for (const uint8_t byte : position.bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

size_t stored_bytes(const Change& change) {
  const table::ItemRecord& record = change.record;
  return change.key.size() + record.keys.size() + record.old_image.size() + record.new_image.size();
}

}  // namespace

Result<ChangeFilesOptions> ChangeFilesOptions::take(std::map<std::string, std::string, std::less<>>& options) {
  constexpr int64_t kMostMib = 64;
  constexpr int64_t kLeastMib = 4;  // several of the largest records
  constexpr int64_t kMostSeconds = 3'600;
  ChangeFilesOptions taken;
  PARTITA_TRY(const int64_t mib, take_number(options, "max-mib", kLeastMib, kMostMib, 8));
  PARTITA_TRY(const int64_t seconds, take_number(options, "max-seconds", 1, kMostSeconds, 60));
  taken.most_bytes = static_cast<size_t>(mib) << 20;
  taken.most_ms = seconds * 1'000;
  if (const auto found = options.find("compression"); found != options.end()) {
    if (found->second != "zstd" && found->second != "none") {
      return invalid_option("The option compression of files is zstd or none.");
    }
    taken.compressed = found->second == "zstd";
    options.erase(found);
  }
  return taken;
}

// Of changes from the front.
struct ChangeFiles::File {
  size_t changes = 0;  // in it, or rejected
  size_t lines = 0;
  size_t text_bytes = 0;
  size_t file_bytes = 0;
  bool has_more = false;  // it goes on behind all changes that were given
  std::string bytes = {};
  std::vector<Rejection> rejections = {};
};

Result<void> ChangeFiles::prepare() {
  PARTITA_TRY_VOID(store_->prepare());
  wire::JsonWriter json;
  json.begin_object();
  json.member("table", settings_.table);
  json.member("sink", settings_.sink);
  json.member("id", settings_.id);
  json.end_object();
  const std::string owner = std::move(json).take() + "\n";
  PARTITA_TRY(const bool is_first, store_->create(kOwnerFile, owner));
  if (is_first) return {};
  PARTITA_TRY(const auto found, store_->read(kOwnerFile));
  if (!found) return Error(ErrorKind::kUnavailable, "The file " + std::string(kOwnerFile) + " has gone.");
  if (*found == owner) return {};
  return Error(ErrorKind::kInvalid, "The files in " + target() + " are those of another sink, as its " +
                                        std::string(kOwnerFile) +
                                        " says: give each sink a place of its own, or empty this one.");
}

// How long to wait before the file is written; 0: no longer. Each wait is as long as all before it, so that changes are
// read about twice.
int64_t ChangeFiles::wait_ms(Window& window, std::span<const Change> changes) const {
  constexpr int64_t kLeastMs = 100;
  constexpr int64_t kMostMs = 5'000;
  if (!window.begun || window.first != changes.front().position) {
    window = {
        .begun = true, .first = changes.front().position, .since_ns = clock_.monotonic_ns(), .looked = window.begun};
  }
  size_t bytes = 0;
  for (const Change& each : changes) bytes += stored_bytes(each);
  // What would be more than the limit was not given, nor was all that counts towards it.
  if (bytes >= options_.most_bytes / 2 || changes.size() >= kMostChanges) return 0;
  const int64_t waited = (clock_.monotonic_ns() - window.since_ns) / kNsPerMs;
  const int64_t left = options_.most_ms - waited;
  return left <= 0 ? 0 : std::min(left, std::clamp(waited, kLeastMs, kMostMs));
}

Result<std::string> ChangeFiles::line(size_t slice, const Change& change) const {
  PARTITA_TRY(const std::string json, change_json(settings_, slice, change));
  return R"({"slice":)" + std::to_string(slice) + R"(,"position":")" + position_text(change.position) + "\"," +
         json.substr(1) + "\n";
}

std::string ChangeFiles::name(size_t slice, const storage::Position& first, size_t number) const {
  return "changes-" + std::to_string(slice) + "-" + position_text(first) +
         (number == 0 ? "" : "." + std::to_string(number)) + (options_.compressed ? ".jsonl.zst" : ".jsonl");
}

Result<ChangeFiles::File> ChangeFiles::make(size_t slice, std::span<const Change> changes) const {
  File file{.changes = changes.size()};
  ZstdWriter zstd;
  for (size_t i = 0; i < changes.size(); ++i) {
    auto text = line(slice, changes[i]);
    if (!text.ok()) {
      file.rejections.push_back({.index = i, .reason = std::string(text.error().sentence())});
      continue;
    }
    if (file.lines > 0 && file.text_bytes + text->size() > options_.most_text) {
      file.changes = i;
      break;
    }
    ++file.lines;
    file.text_bytes += text->size();
    if (options_.compressed) {
      zstd.add(*text);
    } else {
      file.bytes += *text;
    }
  }
  if (options_.compressed) file.bytes = zstd.finish();
  file.file_bytes = file.bytes.size();
  return file;
}

Result<std::optional<ChangeFiles::File>> ChangeFiles::find(size_t slice, std::span<const Change> changes,
                                                           const std::string& name) const {
  PARTITA_TRY(auto found, store_->read(name));
  if (!found) return std::optional<File>();
  File file{.file_bytes = found->size()};
  auto text = options_.compressed ? zstd_text(*found, kMostText) : std::move(found);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  file.text_bytes = rest.size();
  for (; file.changes < changes.size() && !rest.empty(); ++file.changes) {
    const auto next = line(slice, changes[file.changes]);
    if (!next.ok()) {
      file.rejections.push_back({.index = file.changes, .reason = std::string(next.error().sentence())});
      continue;
    }
    if (!rest.starts_with(*next)) break;
    rest.remove_prefix(next->size());
    ++file.lines;
  }
  file.has_more = !rest.empty() && file.changes == changes.size();
  if (!rest.empty()) file.changes = 0;  // another file than these changes make
  return std::optional(std::move(file));
}

Result<void> ChangeFiles::describe(size_t slice, const std::string& name, std::span<const Change> changes,
                                   const File& file) {
  const auto times = std::minmax_element(changes.begin(), changes.end(), [](const Change& one, const Change& other) {
    return one.record.at_ms < other.record.at_ms;
  });
  wire::JsonWriter json;
  json.begin_object();
  json.member("file", name);
  json.member("slice", slice);
  json.member("first", position_text(changes.front().position));
  json.member("last", position_text(changes.back().position));
  json.member("changes", file.lines);
  json.member("firstTime", times.first->record.at_ms);
  json.member("lastTime", times.second->record.at_ms);
  json.member("textBytes", file.text_bytes);
  json.member("fileBytes", file.file_bytes);
  json.end_object();
  const std::string described = "manifest/" + name.substr(0, name.find(".jsonl")) + ".json";
  PARTITA_TRY_VOID(store_->create(described, std::move(json).take() + "\n"));
  return {};
}

Result<ChangesSent> ChangeFiles::send(size_t slice, std::span<const Change> changes, std::string& /*state*/) {
  Window& window = windows_[slice];
  ChangesSent sent;
  sent.wait_ms = wait_ms(window, changes);
  const bool waits = sent.wait_ms > 0;
  sent.wants_more = waits;
  if (waits && window.looked) return sent;
  window.looked = true;
  if (!options_.one_at_a_time) return write(slice, changes, std::move(sent));
  const MutexLock lock(writing_);
  return write(slice, changes, std::move(sent));
}

Result<ChangesSent> ChangeFiles::write(size_t slice, std::span<const Change> changes, ChangesSent sent) {
  Window& window = windows_[slice];
  const bool waits = sent.wants_more;
  for (size_t number = 0; number < kMostNumber; ++number) {
    const std::string file_name = name(slice, changes.front().position, number);
    PARTITA_TRY(auto file, find(slice, changes, file_name));
    if (!file && waits) return sent;
    if (file && file->has_more && changes.size() > window.most_changes) {
      window.most_changes = changes.size();
      window.looks = 0;
    }
    if (file && file->has_more && ++window.looks <= kMostLooks) {
      // It was written before a crash. The rest of its changes is given next.
      sent.wants_more = true;
      sent.wait_ms = kLookForRestMs;
      window.looked = false;
      return sent;
    }
    if (file && file->changes == 0) continue;  // of the store before it was restored
    if (!file) {
      PARTITA_TRY(file, make(slice, changes));
      if (file->lines > 0) {
        PARTITA_TRY(const bool is_new, store_->create(file_name, file->bytes));
        if (!is_new) {
          sent.trouble = "The file " + file_name + " was written by another server.";
          return sent;
        }
      }
    }
    const auto done = changes.first(file->changes);
    if (file->lines > 0) PARTITA_TRY_VOID(describe(slice, file_name, done, *file));
    window.begun = false;
    sent.wait_ms = 0;
    sent.wants_more = false;
    sent.done = done.size();
    sent.rejections = std::move(file->rejections);
    return sent;
  }
  return Error(ErrorKind::kInvalid, "There are too many files " + name(slice, changes.front().position, 0) +
                                        " of stores that were restored.");
}

}  // namespace partita::sinks
