// The blocks of RocksDB's table files, read without RocksDB, which opens no table whose index or footer is damaged:
// each block carries a checksum, and shows where it ends.
//
// The format is that of RocksDB 7 (BlockBasedTable, format_version 5): a block, one byte that says how it is
// compressed, and its checksum (4 bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::rocks {

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t bytes = 0;  // without the trailer
};

inline constexpr size_t kBlockTrailerBytes = 5;

// From the front of `in`; nothing when there is none.
std::optional<BlockHandle> take_handle(std::string_view& in);

// The content of a block that `stored` holds with its trailer; nothing when it is not as it was written.
std::optional<std::string> unpack_block(std::string_view stored);

// How long the block at the front of `bytes` is, without its trailer, judged by its structure alone: a damaged block
// may show it too. Nothing: no structure is there.
std::optional<size_t> block_length(std::string_view bytes);

// What the engine writes; the numbers are RocksDB's.
enum class EntryType : uint8_t { kErased = 0, kPut = 1, kErasedOnce = 7, kErasedRange = 15 };

// Goes through the entries of a data block, or of a block of erased ranges.
class BlockReader {
 public:
  BlockReader() = default;
  explicit BlockReader(std::string content);

  // False: there is no further entry.
  bool next();
  // Something in the block was no entry.
  bool is_broken() const { return broken_; }

  // Of the entry that next() went to; views live until the next call.
  std::string_view key() const { return std::string_view(key_).substr(0, key_.size() - kTagBytes); }
  uint64_t sequence() const { return sequence_; }
  EntryType type() const { return type_; }
  std::string_view value() const { return value_; }

 private:
  static constexpr size_t kTagBytes = 8;  // the sequence number and the type
  std::string content_;
  size_t at_ = 0;
  size_t end_ = 0;
  std::string key_;
  uint64_t sequence_ = 0;
  EntryType type_ = EntryType::kPut;
  std::string_view value_;
  bool broken_ = false;
};

// The blocks that an index block lists, in order; nothing when its content is no index.
std::optional<std::vector<BlockHandle>> handles_in_index(std::string_view content);
// The value of a name in a block of texts (the meta index, the properties); nothing when it is not there.
std::optional<std::string> value_in_block(std::string_view content, std::string_view name);

}  // namespace partita::rocks
