// Reads the frames of RocksDB's log files (write-ahead logs and MANIFEST) without RocksDB, to distinguish damage from
// the torn end that a crash leaves. RocksDB itself treats the first bad frame as the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace partita::rocks {

// The content of a log file up to the first bad frame.
struct LogFile {
  uint64_t bytes = 0;
  uint64_t good_bytes = 0;  // the end of the last whole record before it; `bytes` if there is none
  uint64_t records = 0;
  // For a write-ahead log, whose records are batches numbered without gaps. Both are 0 if it has none.
  uint64_t first_sequence = 0;
  uint64_t next_sequence = 0;
  // A record of a later write begins after the bad frame. A crash cannot leave that.
  bool readable_behind = false;
  // For a write-ahead log: the bytes at the bad frame are neither an incomplete write nor one that lost whole sectors.
  bool altered_end = false;

  bool clean() const { return good_bytes == bytes; }
};

enum class LogKind : uint8_t { kBatches, kManifest };

// What is known about a write-ahead log before it is read.
struct LogExpectation {
  std::string_view secret;     // of each of its batches (batches.h); empty: not known
  uint64_t next_sequence = 0;  // where the logs before it end; 0: not known
};

// Gets each whole record up to the first bad frame; for batches also those after it.
using OnRecord = std::function<void(std::string_view record)>;

// After a bad frame, only bytes that begin with the store's secret count as a record: the secret of the last batch
// before it, or the known one. Without a secret, anything with the form of a record counts. Error: kUnavailable if the
// file cannot be read.
Result<LogFile> read_log_file(const std::filesystem::path& file, LogKind kind, const LogExpectation& known = {},
                              const OnRecord& on_record = nullptr);

// Writes a log file.
class LogFileWriter {
 public:
  explicit LogFileWriter(const std::filesystem::path& file) : out_(file, std::ios::binary | std::ios::trunc) {}
  void add(std::string_view record);
  // False if something could not be written.
  bool finish() { return static_cast<bool>(out_.flush()); }

 private:
  std::ofstream out_;
  size_t in_block_ = 0;
};

}  // namespace partita::rocks
