// Changes as files of JSON lines, each complete when it appears, and a description of each: docs/change-sinks.md.
//
// A file has the changes of one slice, and is named after the first of them. Nothing is delivered before its file is
// there. If the same changes come again, after a crash, the file is found by its name and not written anew: so every
// change is in one file, unless the store was restored and gives positions again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "sinks/change_destination.h"
#include "sinks/file_store.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

struct ChangeFilesOptions {
  size_t most_bytes = size_t{8} << 20;  // of the records in a file, as they are stored; half of it is enough for one
  int64_t most_ms = 60'000;             // so long a change waits for its file, at most
  bool compressed = true;               // by zstd
  bool one_at_a_time = false;           // slices write their files one after the other, for less memory
  size_t most_text = size_t{60} << 20;  // of a file's text: net::HttpClient reads it again, compressed or not

  // Takes "max-mib", "max-seconds" and "compression" out of `options`. Error: kInvalid (reason 0), with one sentence.
  static Result<ChangeFilesOptions> take(std::map<std::string, std::string, std::less<>>& options);
};

// The clock outlives it.
class ChangeFiles final : public ChangeDestination {
 public:
  ChangeFiles(ChangeSettings settings, ChangeFilesOptions options, std::unique_ptr<FileStore> store, const Clock& clock)
      : settings_(std::move(settings)), options_(options), store_(std::move(store)), clock_(clock) {}

  Result<void> prepare() override;
  Result<ChangesSent> send(size_t slice, std::span<const Change> changes, std::string& state) override;
  Limits limits() const override { return {.changes = kMostChanges, .bytes = options_.most_bytes}; }
  std::string target() const override { return store_->target(); }

 private:
  static constexpr size_t kMostChanges = 100'000;  // of a file

  // What a slice waits for.
  struct Window {
    bool begun = false;
    storage::Position first;
    int64_t since_ns = 0;
    bool looked = false;      // for a file that was written before a crash
    size_t most_changes = 0;  // that were given while such a file had more
    size_t looks = 0;         // the same: for nothing
  };
  struct File;

  int64_t wait_ms(Window& window, std::span<const Change> changes) const;
  // What send() does once a slice waits for nothing, or looks for a file that was written before a crash.
  Result<ChangesSent> write(size_t slice, std::span<const Change> changes, ChangesSent sent);
  Result<std::string> line(size_t slice, const Change& change) const;
  std::string name(size_t slice, const storage::Position& first, size_t number) const;
  Result<File> make(size_t slice, std::span<const Change> changes) const;
  // Whether `name` has changes from the front. Nullopt: there is no such file.
  Result<std::optional<File>> find(size_t slice, std::span<const Change> changes, const std::string& name) const;
  Result<void> describe(size_t slice, const std::string& name, std::span<const Change> changes, const File& file);

  const ChangeSettings settings_;
  const ChangeFilesOptions options_;
  const std::unique_ptr<FileStore> store_;
  const Clock& clock_;
  Mutex writing_;                                   // if they write one at a time
  std::array<Window, table::kSinkSlices> windows_;  // each is used by the thread of its slice
};

}  // namespace partita::sinks
