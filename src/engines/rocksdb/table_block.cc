#include "engines/rocksdb/table_block.h"

#include <utility>

#include "base/bytes.h"

namespace partita::rocks {

namespace {

constexpr char kPlain = 0;
constexpr char kLz4 = 4;
constexpr size_t kWordBytes = 4;
constexpr size_t kMaxBlockBytes = size_t{128} << 20;

uint32_t little_endian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = kWordBytes; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

// RocksDB's kXXH3, which its versions since 6.27 write by default.
uint32_t checksum_of(std::string_view block, char compression) {
  constexpr uint32_t kPrime = 0x6b9083d9;
  return static_cast<uint32_t>(hash64(block)) ^ static_cast<uint8_t>(compression) * kPrime;
}

// LZ4's block format: sequences of literals and of a copy of what came before; the last has literals alone.
class Lz4 {
 public:
  // `out` may be null: then only lengths are looked at.
  Lz4(std::string_view in, size_t out_bytes, std::string* out) : in_(in), left_(out_bytes), out_(out) {}

  // How many bytes of `in` were read; nothing when they are not that many bytes compressed.
  std::optional<size_t> run() {
    while (at_ < in_.size()) {
      const auto token = static_cast<uint8_t>(in_[at_++]);
      const auto literals = length(token >> 4);
      if (!literals || *literals > left_ || *literals > in_.size() - at_) return std::nullopt;
      if (out_ != nullptr) out_->append(in_.substr(at_, *literals));
      take(*literals);
      at_ += *literals;
      if (left_ == 0) return at_;
      if (!copy(token & 15)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  void take(size_t bytes) {
    left_ -= bytes;
    made_ += bytes;
  }

  std::optional<size_t> length(size_t nibble) {
    if (nibble < 15) return nibble;
    for (uint8_t more = 255; more == 255;) {
      if (at_ == in_.size()) return std::nullopt;
      more = static_cast<uint8_t>(in_[at_++]);
      nibble += more;
    }
    return nibble;
  }

  bool copy(size_t nibble) {
    constexpr size_t kLeastCopied = 4;
    if (in_.size() - at_ < 2) return false;
    const size_t back = static_cast<uint8_t>(in_[at_]) | static_cast<size_t>(static_cast<uint8_t>(in_[at_ + 1])) << 8;
    at_ += 2;
    const auto more = length(nibble);
    if (!more || back == 0 || back > made_ || *more + kLeastCopied > left_) return false;
    const size_t bytes = *more + kLeastCopied;
    // What is copied may reach into what is being written.
    if (out_ != nullptr) {
      for (size_t i = 0; i < bytes; ++i) out_->push_back((*out_)[out_->size() - back]);
    }
    take(bytes);
    return true;
  }

  const std::string_view in_;
  size_t at_ = 0;
  size_t left_;
  size_t made_ = 0;
  std::string* const out_;
};

std::optional<std::string> unpack_lz4(std::string_view in) {
  const auto bytes = take_varint(in);
  if (!bytes || *bytes > kMaxBlockBytes) return std::nullopt;
  std::string out;
  out.reserve(*bytes);
  const auto read = Lz4(in, *bytes, &out).run();
  return read == in.size() ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<size_t> lz4_length(std::string_view in) {
  const size_t all = in.size();
  const auto bytes = take_varint(in);
  if (!bytes || *bytes < 2 * kWordBytes || *bytes > kMaxBlockBytes) return std::nullopt;
  const size_t head = all - in.size();
  const auto read = Lz4(in, *bytes, nullptr).run();
  return read ? std::optional(head + *read) : std::nullopt;
}

struct EntryHead {
  size_t shared;
  size_t own;
  size_t value;
};

std::optional<EntryHead> take_head(std::string_view& in, bool has_value_length) {
  const auto shared = take_varint(in);
  const auto own = shared ? take_varint(in) : std::nullopt;
  const auto value = !own ? std::nullopt : has_value_length ? take_varint(in) : std::optional<uint64_t>(0);
  if (!value || *own > in.size() || *value > in.size() - *own) return std::nullopt;
  return EntryHead{*shared, *own, *value};
}

// The list of the entries that begin anew (each 4 bytes, ascending from 0), and their count, at `at`; where it ends.
std::optional<size_t> end_of_restarts(std::string_view bytes, size_t at, const std::vector<size_t>& fresh) {
  size_t expected = 0;
  for (size_t count = 0; at + kWordBytes <= bytes.size(); ++count, at += kWordBytes) {
    const uint32_t word = little_endian(bytes, at);
    if (count > 0 && word == count) return at + kWordBytes;
    while (expected < fresh.size() && fresh[expected] < word) ++expected;
    if (expected == fresh.size() || fresh[expected] != word) return std::nullopt;
    ++expected;
  }
  return std::nullopt;
}

std::optional<size_t> plain_length(std::string_view bytes) {
  std::vector<size_t> fresh;  // entries whose key is written out
  for (size_t at = 0; at < bytes.size();) {
    if (!fresh.empty() && at + kWordBytes <= bytes.size() && little_endian(bytes, at) == 0) {
      if (const auto end = end_of_restarts(bytes, at, fresh)) return end;
    }
    std::string_view rest = bytes.substr(at);
    const auto head = take_head(rest, true);
    // No key is shorter than what it says of its sequence number.
    if (!head || head->shared + head->own < 2 * kWordBytes || (fresh.empty() && head->shared != 0)) return std::nullopt;
    if (head->shared == 0) fresh.push_back(at);
    at = bytes.size() - rest.size() + head->own + head->value;
  }
  return std::nullopt;
}

// Where the entries of an unpacked block end.
std::optional<size_t> end_of_entries(std::string_view content) {
  if (content.size() < 2 * kWordBytes) return std::nullopt;
  const size_t restarts = little_endian(content, content.size() - kWordBytes);
  if (restarts == 0 || restarts > content.size() / kWordBytes - 1) return std::nullopt;
  return content.size() - (restarts + 1) * kWordBytes;
}

}  // namespace

std::optional<BlockHandle> take_handle(std::string_view& in) {
  const auto offset = take_varint(in);
  const auto bytes = offset ? take_varint(in) : std::nullopt;
  return bytes ? std::optional(BlockHandle{*offset, *bytes}) : std::nullopt;
}

std::optional<std::string> unpack_block(std::string_view stored) {
  if (stored.size() < kBlockTrailerBytes) return std::nullopt;
  const std::string_view block = stored.substr(0, stored.size() - kBlockTrailerBytes);
  const char compression = stored[block.size()];
  if (checksum_of(block, compression) != little_endian(stored, block.size() + 1)) return std::nullopt;
  if (compression == kPlain) return std::string(block);
  return compression == kLz4 ? unpack_lz4(block) : std::nullopt;
}

std::optional<size_t> block_length(std::string_view bytes) {
  const auto ends_with = [&](const std::optional<size_t>& length, char compression) {
    return length && *length + kBlockTrailerBytes <= bytes.size() && bytes[*length] == compression;
  };
  const auto packed = lz4_length(bytes);
  if (ends_with(packed, kLz4)) return packed;
  const auto plain = plain_length(bytes);
  return ends_with(plain, kPlain) ? plain : std::nullopt;
}

BlockReader::BlockReader(std::string content) : content_(std::move(content)) {
  const auto end = end_of_entries(content_);
  broken_ = !end;
  end_ = end.value_or(0);
}

bool BlockReader::next() {
  if (broken_ || at_ >= end_) return false;
  std::string_view rest = std::string_view(content_).substr(at_, end_ - at_);
  const auto head = take_head(rest, true);
  broken_ = !head || head->shared > key_.size() || head->shared + head->own < kTagBytes;
  if (broken_) return false;
  key_.resize(head->shared);
  key_.append(rest.substr(0, head->own));
  value_ = rest.substr(head->own, head->value);
  at_ = end_ - rest.size() + head->own + head->value;
  const std::string_view tag = std::string_view(key_).substr(key_.size() - kTagBytes);
  const uint64_t packed = little_endian(tag, 0) | static_cast<uint64_t>(little_endian(tag, kWordBytes)) << 32;
  sequence_ = packed >> 8;
  type_ = static_cast<EntryType>(packed & 0xff);
  broken_ = type_ != EntryType::kPut && type_ != EntryType::kErased && type_ != EntryType::kErasedOnce &&
            type_ != EntryType::kErasedRange;
  return !broken_;
}

std::optional<std::vector<BlockHandle>> handles_in_index(std::string_view content) {
  const auto end = end_of_entries(content);
  if (!end) return std::nullopt;
  std::vector<BlockHandle> handles;
  for (std::string_view rest = content.substr(0, *end); !rest.empty();) {
    const auto head = take_head(rest, false);
    if (!head || head->shared != 0) return std::nullopt;
    rest.remove_prefix(head->own);
    const auto handle = take_handle(rest);
    if (!handle) return std::nullopt;
    handles.push_back(*handle);
  }
  return handles;
}

std::optional<std::string> value_in_block(std::string_view content, std::string_view name) {
  const auto end = end_of_entries(content);
  std::string key;
  for (std::string_view rest = content.substr(0, end.value_or(0)); !rest.empty();) {
    const auto head = take_head(rest, true);
    if (!head || head->shared > key.size()) return std::nullopt;
    key.resize(head->shared);
    key.append(rest.substr(0, head->own));
    if (key == name) return std::string(rest.substr(head->own, head->value));
    rest.remove_prefix(head->own + head->value);
  }
  return std::nullopt;
}

}  // namespace partita::rocks
