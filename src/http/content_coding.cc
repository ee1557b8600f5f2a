#include "http/content_coding.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <new>

#include "base/check.h"
#include "base/per_thread.h"
#include "http/head_scan.h"

namespace partita::http {

namespace {

constexpr int kLevel = 1;  // the quickest
constexpr size_t kLeastBuffer = 4096;
constexpr size_t kMostExpansion = 1032;  // of deflate
constexpr size_t kGrowth = 8;
constexpr size_t kTrailer = 8;  // of a gzip member: check sum and size
constexpr size_t kLeastMember = 18;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// What stands before `mark`, and is taken away from `text` with it.
std::string_view cut(std::string_view& text, char mark) {
  const size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// The first "q" among the parameters.
double weight_of(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view value = cut(parameters, ';');
    if (!same_name(cut(value, '='), "q")) continue;
    value = trimmed(value);
    double weight = 1;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), weight);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size()) return 1;
    return std::min(weight, 1.0);
  }
  return 1;
}

// --- the memory of libdeflate, which a thread keeps once it was used

// get() is null while there is no memory for it.
struct Compressor {
  Compressor() = default;
  ~Compressor() { libdeflate_free_compressor(made); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  libdeflate_compressor* get() { return made != nullptr ? made : made = libdeflate_alloc_compressor(kLevel); }
  libdeflate_compressor* made = nullptr;
};

struct Decompressor {
  Decompressor() = default;
  ~Decompressor() { libdeflate_free_decompressor(made); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  libdeflate_decompressor* get() { return made != nullptr ? made : made = libdeflate_alloc_decompressor(); }
  libdeflate_decompressor* made = nullptr;
};

// --- reading

bool begins_member(std::string_view packed) {
  return packed.size() >= kLeastMember && packed.starts_with("\x1f\x8b\x08");
}

// Puts the text into `room`. `size` is that of the text.
libdeflate_result unpack(libdeflate_decompressor* decompressor, Coding coding, std::string_view packed,
                         std::span<char> room, size_t& size) {
  size = 0;
  size_t read = 0;
  if (coding == Coding::kDeflate) {
    return libdeflate_zlib_decompress_ex(decompressor, packed.data(), packed.size(), room.data(), room.size(), &read,
                                         &size);
  }
  do {
    size_t more = 0;
    const libdeflate_result result = libdeflate_gzip_decompress_ex(
        decompressor, packed.data(), packed.size(), room.data() + size, room.size() - size, &read, &more);
    if (result != LIBDEFLATE_SUCCESS) return result;
    size += more;
    packed.remove_prefix(read);
  } while (begins_member(packed));
  return LIBDEFLATE_SUCCESS;
}

// A guess: of gzip what its end says, which is right for a single member.
size_t expected_bytes(Coding coding, std::string_view packed) {
  if (coding == Coding::kDeflate || packed.size() < kTrailer) return packed.size() * 4;
  size_t said = 0;
  for (size_t i = 1; i <= 4; ++i) said = said << 8 | static_cast<unsigned char>(packed[packed.size() - i]);
  return std::min(said, packed.size() * kMostExpansion);
}

}  // namespace

std::string_view name_of(Coding coding) {
  switch (coding) {
    case Coding::kIdentity:
      return {};
    case Coding::kGzip:
      return "gzip";
    case Coding::kDeflate:
      return "deflate";
  }
  PARTITA_CHECK(false);
}

std::optional<Coding> coding_named(std::string_view content_encoding) {
  const std::string_view name = trimmed(content_encoding);
  if (name.empty() || same_name(name, "identity")) return Coding::kIdentity;
  if (same_name(name, "gzip")) return Coding::kGzip;
  if (same_name(name, "deflate")) return Coding::kDeflate;
  return std::nullopt;
}

Coding coding_accepted(std::string_view accept_encoding) {
  constexpr std::array kOffered = {Coding::kGzip, Coding::kDeflate};
  std::array<bool, 2> named{};
  Coding best = Coding::kIdentity;
  double best_weight = 0;
  double weight_of_others = 0;
  while (!accept_encoding.empty()) {
    std::string_view one = cut(accept_encoding, ',');
    const std::string_view name = cut(one, ';');
    const double weight = weight_of(one);
    if (name == "*") weight_of_others = std::max(weight_of_others, weight);
    for (size_t i = 0; i < kOffered.size(); ++i) {
      if (!same_name(name, name_of(kOffered[i]))) continue;
      named[i] = true;
      if (weight > best_weight) {
        best = kOffered[i];
        best_weight = weight;
      }
    }
  }
  for (size_t i = 0; i < kOffered.size(); ++i) {
    if (named[i] || !(weight_of_others > best_weight)) continue;
    best = kOffered[i];
    best_weight = weight_of_others;
  }
  return best;
}

bool accepts(std::string_view accept_encoding, std::string_view coding) {
  double weight_of_others = 0;
  while (!accept_encoding.empty()) {
    std::string_view one = cut(accept_encoding, ',');
    const std::string_view name = cut(one, ';');
    const double weight = weight_of(one);
    if (same_name(name, coding)) return weight > 0;
    if (name == "*") weight_of_others = weight;
  }
  return weight_of_others > 0;
}

std::optional<std::string> pack(Coding coding, std::string_view plain) {
  PARTITA_CHECK(coding != Coding::kIdentity);
  try {
    libdeflate_compressor* const compressor = PerThread<Compressor>::get().get();
    if (compressor == nullptr) return std::nullopt;
    const auto write = coding == Coding::kGzip ? libdeflate_gzip_compress : libdeflate_zlib_compress;
    std::string packed;
    packed.resize_and_overwrite(plain.size(), [&](char* room, size_t) {
      return write(compressor, plain.data(), plain.size(), room, plain.size() - 1);
    });
    if (packed.empty()) return std::nullopt;
    packed.shrink_to_fit();
    return packed;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

bool UnpackedBody::make_room(size_t bytes) {
  bytes_.reset();
  size_ = 0;
  share_.release();
  // As of other large requests, a quarter is left to small ones.
  if (!share_.resize_within(bytes, share_.budget().limit() / 4 * 3)) return false;
  bytes_ = std::make_unique_for_overwrite<char[]>(bytes);
  return true;
}

UnpackedBody::Outcome UnpackedBody::read(Coding coding, std::string_view packed, size_t most) {
  PARTITA_CHECK(coding != Coding::kIdentity && most > 0);
  libdeflate_decompressor* const decompressor = PerThread<Decompressor>::get().get();
  if (decompressor == nullptr) return Outcome::kNoRoom;
  size_t room = std::min(std::max(expected_bytes(coding, packed), kLeastBuffer), most);
  while (true) {
    if (!make_room(room)) return Outcome::kNoRoom;
    switch (unpack(decompressor, coding, packed, {bytes_.get(), room}, size_)) {
      case LIBDEFLATE_SUCCESS:
        return Outcome::kRead;
      case LIBDEFLATE_INSUFFICIENT_SPACE:
        break;
      default:
        size_ = 0;
        return Outcome::kBroken;
    }
    size_ = 0;
    if (room == most) return Outcome::kLarger;
    // In few steps: each begins anew.
    room = std::min(room * kGrowth, most);
  }
}

}  // namespace partita::http
