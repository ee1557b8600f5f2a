// Reads the blocks of RocksDB's table files without RocksDB, which opens no table with a damaged index or footer. Each
// block has a checksum, and its structure shows where it ends.
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

// Takes a handle from the front of `in`; nothing if there is none.
std::optional<BlockHandle> take_handle(std::string_view& in);

// The content of the block in `stored`, which includes the trailer; nothing if it is damaged.
std::optional<std::string> unpack_block(std::string_view stored);

// The length of the block at the front of `bytes`, without its trailer, from its structure alone, which a damaged block
// may have too. Nothing: there is no such structure.
std::optional<size_t> block_length(std::string_view bytes);

// The types of entries that the engine writes, with RocksDB's numbers.
enum class EntryType : uint8_t { kErased = 0, kPut = 1, kErasedOnce = 7, kErasedRange = 15 };

// Iterates over the entries of a data block, or of a block of erased ranges.
class BlockReader {
 public:
  BlockReader() = default;
  explicit BlockReader(std::string content);

  // False: there is no further entry.
  bool next();
  // Whether something in the block was not an entry.
  bool is_broken() const { return broken_; }

  // The current entry. Views are valid until the next call of next().
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

// The blocks that an index block lists, in order; nothing if `content` is not an index.
std::optional<std::vector<BlockHandle>> handles_in_index(std::string_view content);
// The value of a name in a block of texts (meta index, properties); nothing if the name is missing.
std::optional<std::string> value_in_block(std::string_view content, std::string_view name);

}  // namespace partita::rocks
