#include "engines/rocksdb/log_file.h"

#include <rocksdb/file_checksum.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "engines/rocksdb/wal_batch.h"

namespace partita::rocks {

namespace {

// The format of RocksDB 7: blocks of 32 KiB; a frame never crosses one, and what is too short for a frame's head is
// filled with zeros. A frame's head is a masked CRC-32C of all behind it (4 bytes), the length of its bytes (2) and its
// type (1), little-endian.
constexpr size_t kBlockBytes = 32'768;
constexpr size_t kHeadBytes = 7;
// What a disk writes whole or not at all.
constexpr size_t kSectorBytes = 512;
// Fewer zeros at the end of a file may well have been written.
constexpr size_t kFewestZeros = 8;

enum class FrameType : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct LogFrame {
  FrameType type;
  std::string_view bytes;
};

uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

uint32_t masked_crc32c(std::string_view bytes) {
  static const std::shared_ptr<rocksdb::FileChecksumGenFactory> factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  const auto generator = factory->CreateFileChecksumGenerator({});
  generator->Update(bytes.data(), bytes.size());
  generator->Finalize();
  const std::string checksum = generator->GetChecksum();
  std::string_view in = checksum;
  const uint32_t crc = take_u32(in).value_or(0);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

// The frame that `block` has at `at`, if it is as it was written.
std::optional<LogFrame> frame_at(std::string_view block, size_t at) {
  if (at + kHeadBytes > block.size()) return std::nullopt;
  const std::string_view head = block.substr(at, kHeadBytes);
  const auto type = static_cast<uint8_t>(head[6]);
  if (type < 1 || type > 4) return std::nullopt;
  const size_t length = little_endian(head.substr(4, 2));
  if (at + kHeadBytes + length > block.size()) return std::nullopt;
  if (masked_crc32c(block.substr(at + 6, 1 + length)) != little_endian(head.substr(0, 4))) return std::nullopt;
  return LogFrame{FrameType{type}, block.substr(at + kHeadBytes, length)};
}

// Whether a sector of `block`, which a record has from `at` on, was never written. (One may also hold nothing but zeros
// that were.)
bool misses_sector(std::string_view block, size_t at) {
  for (const size_t begin = at; at < block.size();) {
    const size_t end = std::min(block.size(), at - at % kSectorBytes + kSectorBytes);
    const std::string_view sector = block.substr(at, end - at);
    // A record begins with a frame's head, which is never all zeros, but its last few bytes often are.
    const size_t fewest = at == begin ? 1 : kFewestZeros;
    if (sector.size() >= fewest && sector.find_first_not_of('\0') == std::string_view::npos) return true;
    at = end;
  }
  return false;
}

// Whether the frame that `block` has at `at`, which is not as it was written, goes on behind the end of the file.
bool is_cut(std::string_view block, size_t at) {
  if (block.size() == kBlockBytes) return false;
  const std::string_view head = block.substr(at, kHeadBytes);
  const auto type = static_cast<uint8_t>(head[6]);
  if (type < 1 || type > 4 || at + kHeadBytes + little_endian(head.substr(4, 2)) <= block.size()) return false;
  // Unless it is only the length that is wrong.
  return masked_crc32c(block.substr(at + 6)) != little_endian(head.substr(0, 4));
}

// Looks through the end of a log, from the first record that is not as it was written.
class EndReader {
 public:
  void take(std::string_view block, size_t at) {
    misses_sector_ = misses_sector_ || misses_sector(block, at);
    while (!altered_ && at + kHeadBytes <= block.size()) {
      const std::optional<LogFrame> frame = frame_at(block, at);
      if (!frame) {
        altered_ = !is_cut(block, at);
        return;
      }
      at += kHeadBytes + frame->bytes.size();
      // All of the record is there.
      altered_ = frame->type == FrameType::kFull || frame->type == FrameType::kLast;
    }
    altered_ = altered_ || (block.size() == kBlockBytes && block.find_first_not_of('\0', at) != std::string_view::npos);
  }
  bool is_altered() const { return altered_ && !misses_sector_; }

 private:
  bool altered_ = false;
  bool misses_sector_ = false;
};

class LogReader {
 public:
  LogReader(LogKind kind, const LogExpectation& known, const OnRecord& on_record)
      : kind_(kind), on_record_(on_record), secret_(known.secret) {
    // A first record that is bad has this number itself, and what follows it a later one.
    if (known.next_sequence > 0) log_.next_sequence = known.next_sequence - 1;
  }

  // `offset` is the block's place in the file; only the last block may be short.
  void take(std::string_view block, uint64_t offset) {
    size_t at = 0;
    while (at + kHeadBytes <= block.size()) {
      const std::optional<LogFrame> frame = frame_at(block, at);
      if (!frame) {
        // From a bad frame on nothing says where the next one begins, so every place is tried.
        good_ = false;
        building_ = false;
        ++at;
        continue;
      }
      at += kHeadBytes + frame->bytes.size();
      take_frame(*frame, offset + at);
    }
    const bool padding =
        std::all_of(block.begin() + static_cast<ptrdiff_t>(at), block.end(), [](char c) { return c == 0; });
    if (at < block.size() && (!padding || block.size() < kBlockBytes)) good_ = false;
    if (good_ && !building_) log_.good_bytes = offset + block.size();
  }

  LogFile finish(uint64_t bytes) {
    log_.bytes = bytes;
    if (log_.records == 0) log_.next_sequence = 0;
    return log_;
  }

 private:
  void take_frame(const LogFrame& frame, uint64_t end) {
    const bool begins = frame.type == FrameType::kFull || frame.type == FrameType::kFirst;
    if (begins == building_) good_ = false;
    if (begins) record_.clear();
    if (!begins && !building_) return;
    record_.append(frame.bytes);
    building_ = frame.type == FrameType::kFirst || frame.type == FrameType::kMiddle;
    // A first frame at the end of a block may be too short to tell.
    if (!good_ && (record_.size() >= kSecretEnd || !building_)) {
      if (!is_ours()) {
        building_ = false;
        return;
      }
      if (begins_later()) log_.readable_behind = true;
    }
    if (!building_) take_record(end);
  }

  bool is_ours() const { return kind_ == LogKind::kManifest || secret_.empty() || secret_of(record_) == secret_; }

  // Whether a record behind a bad place is of a later write than the one that should stand there.
  bool begins_later() const {
    if (kind_ == LogKind::kManifest) return true;
    return record_.size() >= kBatchHeadBytes && sequences_of(record_).first > log_.next_sequence;
  }

  void take_record(uint64_t end) {
    if (kind_ == LogKind::kBatches && !take_batch()) {
      if (good_ && begins_later()) log_.readable_behind = true;
      good_ = false;
    }
    if (on_record_ && (good_ || (kind_ == LogKind::kBatches && record_.size() >= kBatchHeadBytes))) on_record_(record_);
    if (!good_) return;
    ++log_.records;
    log_.good_bytes = end;
  }

  // False when the batch does not follow the one before it.
  bool take_batch() {
    if (record_.size() < kBatchHeadBytes) return false;
    const auto [first, next] = sequences_of(record_);
    if (log_.records > 0 && first != log_.next_sequence) return false;
    if (!good_) return true;
    if (log_.records == 0) log_.first_sequence = first;
    log_.next_sequence = next;
    // Whatever is known of the log, another program may have written it. (RocksDB's own batches change nothing.)
    if (next > first) secret_ = secret_of(record_);
    return true;
  }

  const LogKind kind_;
  const OnRecord& on_record_;
  std::string secret_;
  LogFile log_;
  std::string record_;
  bool building_ = false;  // a record's first frame was read, and its last not yet
  bool good_ = true;
};

}  // namespace

namespace {

// Gives the blocks of a file, from the one that begins at `offset` on.
template <class Take>
Result<void> read_blocks(const std::filesystem::path& file, uint64_t offset, Take take) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  std::string block(kBlockBytes, '\0');
  for (size_t read = kBlockBytes; in && read == kBlockBytes; offset += read) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    read = static_cast<size_t>(in.gcount());
    if (read > 0) take(std::string_view(block).substr(0, read), offset);
  }
  if (in.eof() && !in.bad()) return {};
  return Error(ErrorKind::kUnavailable, "The file " + file.string() + " cannot be read: " + std::strerror(errno) + ".");
}

}  // namespace

Result<LogFile> read_log_file(const std::filesystem::path& file, LogKind kind, const LogExpectation& known,
                              const OnRecord& on_record) {
  LogReader reader(kind, known, on_record);
  uint64_t bytes = 0;
  PARTITA_TRY_VOID(read_blocks(file, 0, [&](std::string_view block, uint64_t offset) {
    reader.take(block, offset);
    bytes = offset + block.size();
  }));
  LogFile log = reader.finish(bytes);
  if (kind != LogKind::kBatches || log.clean()) return log;
  EndReader end;
  const uint64_t good = log.good_bytes;
  PARTITA_TRY_VOID(read_blocks(file, good - good % kBlockBytes, [&](std::string_view block, uint64_t offset) {
    end.take(block, good > offset ? good - offset : 0);
  }));
  log.altered_end = end.is_altered();
  return log;
}

void LogFileWriter::add(std::string_view record) {
  for (bool begins = true, ends = false; !ends; begins = false) {
    if (kBlockBytes - in_block_ < kHeadBytes) {
      out_ << std::string(kBlockBytes - in_block_, '\0');
      in_block_ = 0;
    }
    const std::string_view part = record.substr(0, kBlockBytes - in_block_ - kHeadBytes);
    record.remove_prefix(part.size());
    ends = record.empty();
    const FrameType type =
        begins ? (ends ? FrameType::kFull : FrameType::kFirst) : (ends ? FrameType::kLast : FrameType::kMiddle);
    std::string checked(1, static_cast<char>(type));
    checked.append(part);
    const uint32_t crc = masked_crc32c(checked);
    std::string head;
    for (int shift = 0; shift < 32; shift += 8) head.push_back(static_cast<char>(crc >> shift));
    for (int shift = 0; shift < 16; shift += 8) head.push_back(static_cast<char>(part.size() >> shift));
    out_ << head << checked;
    in_block_ += kHeadBytes + part.size();
  }
}

}  // namespace partita::rocks
