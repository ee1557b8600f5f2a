#include "engines/rocksdb/store_id.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/bytes.h"

namespace partita::rocks {

namespace {

constexpr size_t kIdBytes = 36;

}  // namespace

Result<StoreId> draw_store_id(int64_t made_ms) {
  std::array<uint8_t, 16> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0) {
    return Error(ErrorKind::kUnavailable,
                 std::string("The kernel gives no random numbers: ") + std::strerror(errno) + ".");
  }
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0f) | 0x40);  // version 4 ...
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3f) | 0x80);  // ... of RFC 9562
  StoreId drawn{{}, made_ms};
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) drawn.id.push_back('-');
    drawn.id.push_back("0123456789abcdef"[bytes[i] >> 4]);
    drawn.id.push_back("0123456789abcdef"[bytes[i] & 15]);
  }
  return drawn;
}

std::string encode(const StoreId& id) {
  std::string stored = id.id;
  append_u64(stored, static_cast<uint64_t>(id.made_ms));
  return stored;
}

std::optional<StoreId> decode_store_id(std::string_view stored) {
  if (stored.size() < kIdBytes + sizeof(uint64_t)) return std::nullopt;
  StoreId id{std::string(stored.substr(0, kIdBytes)), 0};
  stored.remove_prefix(kIdBytes);
  id.made_ms = static_cast<int64_t>(take_u64(stored).value_or(0));
  return id;
}

}  // namespace partita::rocks
