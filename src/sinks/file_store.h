// Where a sink keeps its files: a directory, or a bucket. Files are written once, whole.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sinks/change_destination.h"

namespace partita::sinks {

// Callable from any thread; calls block. Names are of "a-z0-9.-", with at most one "/", and no longer than 100 bytes.
// Error of all calls: kUnavailable, with one sentence.
class FileStore {
 public:
  virtual ~FileStore() = default;

  // Before the other calls; what it makes is still there the next time. Error: also kInvalid (reason 0), with one
  // sentence: files cannot be kept there before an operator has changed something.
  virtual Result<void> prepare() = 0;
  // Stores a file under that name, durably. It is there with all its bytes, or not at all, even after a crash.
  // False: there is a file of that name, which stays as it is.
  virtual Result<bool> create(std::string_view name, std::string_view bytes) = 0;
  // Nullopt: there is no such file.
  virtual Result<std::optional<std::string>> read(std::string_view name) = 0;

  virtual std::string target() const = 0;
};

// "file:///DIRECTORY", which exists. Nothing in it is decoded. Error: kInvalid (reason 0), with one sentence.
Result<std::unique_ptr<FileStore>> make_directory_store(std::string_view url);

}  // namespace partita::sinks
