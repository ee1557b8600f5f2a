#include "http/head_scan.h"

#include <bit>
#include <cstring>

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

namespace partita::http {
namespace {

constexpr std::array<bool, 256> kTokenBytes = [] {
  std::array<bool, 256> is{};
  for (const char c :
       std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    is[static_cast<unsigned char>(c)] = true;
  }
  return is;
}();

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7f;
}

#if defined(__SSSE3__)

// For the lower four bits of a character: a bit for each upper four that make a character of a token with them.
alignas(16) constexpr std::array<unsigned char, 16> kTokenRows = [] {
  std::array<unsigned char, 16> rows{};
  for (size_t c = 0; c < 128; ++c) {
    if (kTokenBytes[c]) rows[c & 15] = static_cast<unsigned char>(rows[c & 15] | 1U << (c >> 4));
  }
  return rows;
}();
alignas(16) constexpr std::array<unsigned char, 16> kRowBits = {1, 2, 4, 8, 16, 32, 64, 128};  // none from 0x80 on

__m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

unsigned not_of_token(__m128i block) {
  const __m128i low = _mm_set1_epi8(0x0f);
  const __m128i rows = _mm_shuffle_epi8(load(kTokenRows.data()), _mm_and_si128(block, low));
  const __m128i bits = _mm_shuffle_epi8(load(kRowBits.data()), _mm_and_si128(_mm_srli_epi16(block, 4), low));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(rows, bits), _mm_setzero_si128())));
}

unsigned not_plain(__m128i block) {
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(control, _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f)))));
}

#endif

// How many characters at the front are as wanted. `unwanted` has a bit for each of 16 that is not.
template <class Unwanted, class Wanted>
[[gnu::always_inline]] inline size_t leading(std::string_view text, [[maybe_unused]] Unwanted unwanted, Wanted wanted) {
  size_t at = 0;
#if defined(__SSSE3__)
  for (; at + 16 <= text.size(); at += 16) {
    const unsigned found = unwanted(load(text.data() + at));
    if (found != 0) return at + static_cast<size_t>(std::countr_zero(found));
  }
#endif
  while (at < text.size() && wanted(text[at])) ++at;
  return at;
}

#if defined(__SSSE3__)
constexpr auto kUnwantedInToken = not_of_token;
constexpr auto kUnwantedInPlain = not_plain;
#else
constexpr auto kUnwantedInToken = nullptr;
constexpr auto kUnwantedInPlain = nullptr;
#endif

[[gnu::always_inline]] inline size_t scan_token(std::string_view text) {
  return leading(text, kUnwantedInToken, [](char c) { return kTokenBytes[static_cast<unsigned char>(c)]; });
}
[[gnu::always_inline]] inline size_t scan_plain(std::string_view text) {
  return leading(text, kUnwantedInPlain, is_plain);
}

template <class Word>
bool same_word(const char* name, const char* lower_name) {
  Word one;
  Word other;
  std::memcpy(&one, name, sizeof one);
  std::memcpy(&other, lower_name, sizeof other);
  return (one | static_cast<Word>(0x2020202020202020)) == other;
}

// Size and first letter tell the names apart.
constexpr size_t hash_of(std::string_view name) { return (name.size() * 5 + static_cast<size_t>(name[0] | 0x20)) & 63; }
constexpr auto kNoPlace = static_cast<uint8_t>(kOnce.size());
constexpr std::array<uint8_t, 64> kPlaces = [] {
  std::array<uint8_t, 64> places{};
  places.fill(kNoPlace);
  for (size_t i = 0; i < kOnce.size(); ++i) places[hash_of(kOnce[i])] = static_cast<uint8_t>(i);
  return places;
}();
static_assert([] {
  for (size_t i = 0; i < kOnce.size(); ++i) {
    if (kPlaces[hash_of(kOnce[i])] != i) return false;
  }
  return true;
}());

}  // namespace

size_t token_size(std::string_view text) { return scan_token(text); }
size_t plain_size(std::string_view text) { return scan_plain(text); }

HeaderLine usual_header(std::string_view text) {
  const char* const data = text.data();
  const size_t colon = scan_token(text);
  if (colon == 0 || colon + 2 >= text.size() || data[colon] != ':') return {};
  const size_t from = data[colon + 1] == ' ' ? colon + 2 : colon + 1;
  const size_t size = scan_plain({data + from, text.size() - from});
  const size_t end = from + size;
  if (size == 0 || end + 2 > text.size() || data[end] != '\r' || data[end + 1] != '\n') return {};
  if (data[from] == ' ' || data[end - 1] == ' ') return {};
  return {{data, colon}, {data + from, size}, end + 2};
}

bool same_name(std::string_view name, std::string_view lower_name) {
  const size_t size = name.size();
  if (size != lower_name.size()) return false;
  const char* const one = name.data();
  const char* const other = lower_name.data();
  if (size >= 8) {
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
      if (!same_word<uint64_t>(one + at, other + at)) return false;
    }
    return same_word<uint64_t>(one + size - 8, other + size - 8);
  }
  if (size >= 4) return same_word<uint32_t>(one, other) && same_word<uint32_t>(one + size - 4, other + size - 4);
  for (size_t i = 0; i < size; ++i) {
    if ((one[i] | 0x20) != other[i]) return false;
  }
  return true;
}

size_t place_in_once(std::string_view name) {
  if (name.empty()) return kNoPlace;
  const size_t place = kPlaces[hash_of(name)];
  return place != kNoPlace && same_name(name, kOnce[place]) ? place : kNoPlace;
}

}  // namespace partita::http
