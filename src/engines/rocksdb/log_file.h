// Reads the frames of RocksDB's log files (its write-ahead logs and its MANIFEST) without RocksDB, to tell damage from
// the torn end that a crash leaves. RocksDB itself takes the first bad frame for the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace partita::rocks {

// What a log file holds, up to the first place that is not as it was written.
struct LogFile {
  uint64_t bytes = 0;
  uint64_t good_bytes = 0;  // the end of the last whole record before that place; `bytes` when all is well
  uint64_t records = 0;
  // Of a write-ahead log: its records are batches, numbered without a gap. Both are 0 when it holds none.
  uint64_t first_sequence = 0;
  uint64_t next_sequence = 0;
  // A record begins behind that place, of a later write than the one that is bad: no crash leaves that.
  bool readable_behind = false;
  // Of a write-ahead log: neither a write that was cut short nor one of which the disk missed whole sectors leaves what
  // stands there.
  bool altered_end = false;

  bool clean() const { return good_bytes == bytes; }
};

enum class LogKind : uint8_t { kBatches, kManifest };

// What is known of a log of batches before it is read.
struct LogExpectation {
  std::string_view secret;     // of each of its batches (batches.h); empty: not known
  uint64_t next_sequence = 0;  // where the logs before it end; 0: not known
};

// Gets each whole record up to the first bad place, and, of batches, those behind it too.
using OnRecord = std::function<void(std::string_view record)>;

// Behind a bad place only that is taken for a record which begins with the secret of the batch before that place, or
// with the known one if there is no batch; where there is no secret either, whatever has the form of a record. Error:
// kUnavailable when the file cannot be read.
Result<LogFile> read_log_file(const std::filesystem::path& file, LogKind kind, const LogExpectation& known = {},
                              const OnRecord& on_record = nullptr);

// Makes a log file of whole records.
class LogFileWriter {
 public:
  explicit LogFileWriter(const std::filesystem::path& file) : out_(file, std::ios::binary | std::ios::trunc) {}
  void add(std::string_view record);
  // False when something could not be written.
  bool finish() { return static_cast<bool>(out_.flush()); }

 private:
  std::ofstream out_;
  size_t in_block_ = 0;
};

}  // namespace partita::rocks
