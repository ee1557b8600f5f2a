#include "wire/json_writer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "model/item_walk.h"

#if defined(__SSSE3__)
#include <immintrin.h>
#endif

namespace partita::wire {

using model::AttributeValue;
using model::Type;

namespace {

constexpr char kPlain = 0;
constexpr char kUnicode = 'u';
constexpr size_t kLongestEscape = 6;  // \u001f

// How each byte stands inside a JSON string: as it is, behind a backslash as this letter, or as \u00XX.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (size_t i = 0; i < 0x20; ++i) escapes[i] = kUnicode;
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  return escapes;
}();

size_t copy_bytewise(char* out, const char* in, size_t size) {
  size_t at = 0;
  for (; at < size && kEscapes[static_cast<unsigned char>(in[at])] == kPlain; ++at) out[at] = in[at];
  return at;
}

#if defined(__SSSE3__)

// The quote and the backslash, each at the place of its own lower four bits; what no byte is equal to elsewhere.
alignas(16) constexpr std::array<unsigned char, 16> kMarks = [] {
  std::array<unsigned char, 16> marks{};
  marks.fill(0xff);
  marks['"' & 15] = '"';
  marks['\\' & 15] = '\\';
  return marks;
}();

// One bit for each byte that needs an escape.
inline unsigned escapes_in(__m128i block) {
  const __m128i marks = _mm_load_si128(reinterpret_cast<const __m128i*>(kMarks.data()));
  const __m128i quoted = _mm_cmpeq_epi8(_mm_shuffle_epi8(marks, block), block);
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(quoted, control)));
}

inline unsigned copy_block(char* out, const char* in) {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), block);
  return escapes_in(block);
}

// Copies as many pieces of 128 bytes as need no escape; the bytes that they have.
__attribute__((target("avx2"))) size_t copy_pieces(char* out, const char* in, size_t size) {
  const __m256i marks = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(kMarks.data())));
  const __m256i last_control = _mm256_set1_epi8(0x1f);
  size_t at = 0;
  for (; at + 128 <= size; at += 128) {
    const auto* const from = reinterpret_cast<const __m256i*>(in + at);
    auto* const to = reinterpret_cast<__m256i*>(out + at);
    __m256i quoted = _mm256_setzero_si256();
    __m256i least = _mm256_set1_epi8(-1);
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) {
      const __m256i block = _mm256_loadu_si256(from + i);
      _mm256_storeu_si256(to + i, block);
      quoted = _mm256_or_si256(quoted, _mm256_cmpeq_epi8(_mm256_shuffle_epi8(marks, block), block));
      least = _mm256_min_epu8(least, block);
    }
    const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(least, last_control), least);
    if (_mm256_movemask_epi8(_mm256_or_si256(quoted, control)) != 0) break;
  }
  return at;
}

// Two halves of 8 or 4 bytes, which overlap when the text is shorter than both.
template <class Half>
size_t copy_halves(char* out, const char* in, size_t size) {
  constexpr size_t kHalf = sizeof(Half);
  Half first;
  Half last;
  std::memcpy(&first, in, kHalf);
  std::memcpy(&last, in + size - kHalf, kHalf);
  std::memcpy(out, &first, kHalf);
  std::memcpy(out + size - kHalf, &last, kHalf);
  const __m128i both = _mm_set_epi64x(
      kHalf == 8 ? static_cast<int64_t>(last) : 0,
      kHalf == 8 ? static_cast<int64_t>(first) : static_cast<int64_t>(static_cast<uint64_t>(last) << 32 | first));
  const unsigned found = escapes_in(both) & ((1U << (2 * kHalf)) - 1);
  if (found == 0) return size;
  const auto place = static_cast<size_t>(std::countr_zero(found));
  return place < kHalf ? place : size - 2 * kHalf + place;
}

#endif

// Copies bytes up to the first one that needs an escape, and says how many; all of them when none does. May write all
// `size` bytes at `out`, which overlaps nothing.
#if defined(__SSSE3__)

[[gnu::noinline]] size_t copy_plain(char* out, const char* in, size_t size) {
  if (size < 16) {
    if (size >= 8) return copy_halves<uint64_t>(out, in, size);
    return size >= 4 ? copy_halves<uint32_t>(out, in, size) : copy_bytewise(out, in, size);
  }
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  size_t at = wide && size >= 128 ? copy_pieces(out, in, size) : 0;
  for (; at + 16 <= size; at += 16) {
    const unsigned found = copy_block(out + at, in + at);
    if (found != 0) return at + static_cast<size_t>(std::countr_zero(found));
  }
  if (at == size) return size;
  // The rest together with plain bytes before it.
  const unsigned found = copy_block(out + size - 16, in + size - 16);
  return found == 0 ? size : size - 16 + static_cast<size_t>(std::countr_zero(found));
}

#else

[[gnu::noinline]] size_t copy_plain(char* out, const char* in, size_t size) { return copy_bytewise(out, in, size); }

#endif

// Writes a byte that needs an escape; where it ends. Precondition: room for kLongestEscape.
char* put_escape(char* out, unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const char letter = kEscapes[c];
  *out++ = '\\';
  *out++ = letter;
  if (letter != kUnicode) return out;
  *out++ = '0';
  *out++ = '0';
  *out++ = kHex[c >> 4];
  *out++ = kHex[c & 15];
  return out;
}

}  // namespace

JsonWriter::JsonWriter(size_t expected_bytes) {
  buffer_.resize_and_overwrite(std::max(expected_bytes, size_t{64}), [](char*, size_t count) { return count; });
  next_ = buffer_.data();
  end_ = next_ + buffer_.size();
}

void JsonWriter::grow(size_t bytes) {
  const size_t used = size();
  const size_t wanted = std::max(buffer_.size() * 2, used + bytes);
  buffer_.resize_and_overwrite(wanted, [](char*, size_t count) { return count; });
  next_ = buffer_.data() + used;
  end_ = buffer_.data() + buffer_.size();
}

std::string JsonWriter::take() && {
  buffer_.resize(size());
  std::string text = std::move(buffer_);
  next_ = end_ = buffer_.data();
  return text;
}

// A text from its first byte that needs an escape on, with room behind it for so many bytes; where it ends.
[[gnu::noinline]] char* JsonWriter::put_escaped(char* out, std::string_view text, size_t behind) {
  next_ = out;
  while (!text.empty()) {
    ensure(kLongestEscape + text.size() + behind);
    next_ = put_escape(next_, static_cast<unsigned char>(text[0]));
    text.remove_prefix(1);
    const size_t plain = copy_plain(next_, text.data(), text.size());
    next_ += plain;
    text.remove_prefix(plain);
  }
  return next_;
}

// A comma if one is due, then the text between two quotes; `before` ends with the first of them, and `behind` begins
// with the second one. Written with a pointer of its own, because next_ would be stored again after each character.
[[gnu::always_inline]] inline void JsonWriter::quoted(std::string_view before, std::string_view text,
                                                      std::string_view behind) {
  ensure(1 + before.size() + text.size() + behind.size());
  char* out = next_;
  if (comma_) *out++ = ',';
  std::memcpy(out, before.data(), before.size());
  out += before.size();
  const size_t copied = copy_plain(out, text.data(), text.size());
  out += copied;
  if (copied < text.size()) [[unlikely]]
    out = put_escaped(out, text.substr(copied), behind.size());
  std::memcpy(out, behind.data(), behind.size());
  next_ = out + behind.size();
}

[[gnu::always_inline]] inline void JsonWriter::quoted_number(std::string_view before, const model::Number& number,
                                                             std::string_view behind) {
  ensure(1 + before.size() + model::Number::kMaxTextBytes + behind.size());
  comma();
  put(before);
  next_ = number.write_to(next_);
  put(behind);
}

[[gnu::always_inline]] inline void JsonWriter::quoted_base64(std::string_view before, std::string_view bytes,
                                                             std::string_view behind) {
  ensure(1 + before.size() + base64_size(bytes.size()) + behind.size());
  comma();
  put(before);
  next_ = write_base64(next_, bytes);
  put(behind);
}

void JsonWriter::key(std::string_view name) {
  quoted("\"", name, "\":");
  comma_ = false;
}

void JsonWriter::bare(std::string_view text) {
  ensure(text.size() + 1);
  comma();
  put(text);
  comma_ = true;
}

void JsonWriter::string(std::string_view text) {
  quoted("\"", text, "\"");
  comma_ = true;
}

void JsonWriter::base64(std::string_view bytes) {
  quoted_base64("\"", bytes, "\"");
  comma_ = true;
}

void JsonWriter::number(int64_t value) {
  std::array<char, 24> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  PARTITA_CHECK(error == std::errc());
  bare({digits.data(), static_cast<size_t>(end - digits.data())});
}

void JsonWriter::number(double value) {
  PARTITA_CHECK(std::isfinite(value));
  std::array<char, 40> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size() - 2, value);
  PARTITA_CHECK(error == std::errc());
  std::string_view text(digits.data(), static_cast<size_t>(end - digits.data()));
  if (text.find_first_of(".e") == std::string_view::npos) {
    end[0] = '.';
    end[1] = '0';
    text = {text.data(), text.size() + 2};
  }
  bare(text);
}

void JsonWriter::boolean(bool value) { bare(value ? "true" : "false"); }
void JsonWriter::null() { bare("null"); }
void JsonWriter::raw(std::string_view json) { bare(json); }

// Brackets of whatever kind, and no comma behind those that open.
void JsonWriter::bracket(std::string_view text, bool opens) {
  ensure(text.size() + 1);
  if (opens) comma();
  put(text);
  comma_ = !opens;
}

// Writes the members of DynamoDB's typed form. One for both sources of a value, the model's and the stored form's
// (see model/item_walk.h), so that they cannot differ.
class TypedWriter {
 public:
  explicit TypedWriter(JsonWriter& json) : json_(json) {}

  void begin_map(size_t) { depth_++ == 0 ? json_.begin_object() : json_.bracket(R"({"M":{)", true); }
  void name(std::string_view name) { json_.key(name); }
  void end_map() { --depth_ == 0 ? json_.end_object() : json_.bracket("}}", false); }
  void begin_list(size_t) {
    ++depth_;
    json_.bracket(R"({"L":[)", true);
  }
  void end_list() {
    --depth_;
    json_.bracket("]}", false);
  }
  void string(std::string_view text) {
    if (in_set_) return json_.string(text);
    json_.quoted(R"({"S":")", text, R"("})");
    json_.comma_ = true;
  }
  void number(const model::Number& number) {
    in_set_ ? json_.quoted_number("\"", number, "\"") : json_.quoted_number(R"({"N":")", number, R"("})");
    json_.comma_ = true;
  }
  void binary(std::string_view bytes) {
    in_set_ ? json_.quoted_base64("\"", bytes, "\"") : json_.quoted_base64(R"({"B":")", bytes, R"("})");
    json_.comma_ = true;
  }
  void boolean(bool value) { json_.bare(value ? R"({"BOOL":true})" : R"({"BOOL":false})"); }
  void null() { json_.bare(R"({"NULL":true})"); }
  void begin_set(Type type, size_t) {
    in_set_ = true;
    json_.bracket(type == Type::kSS ? R"({"SS":[)" : type == Type::kNS ? R"({"NS":[)" : R"({"BS":[)", true);
  }
  void end_set() {
    in_set_ = false;
    json_.bracket("]}", false);
  }

  // A value that stands alone, so that a map in it is not taken for the item itself.
  void walk(const AttributeValue& value) {
    ++depth_;
    walk_inner(value);
    --depth_;
  }
  void walk(const model::AttributeMap& map) {
    begin_map(map.size());
    for (const auto& [name_of_member, value] : map) {
      name(name_of_member);
      walk_inner(value);
    }
    end_map();
  }

 private:
  void walk_inner(const AttributeValue& value) {
    switch (value.type()) {
      case Type::kS:
        return string(value.as_string());
      case Type::kN:
        return number(value.as_number());
      case Type::kB:
        return binary(value.as_binary());
      case Type::kBool:
        return boolean(value.as_bool());
      case Type::kNull:
        return null();
      case Type::kM:
        return walk(value.as_map());
      case Type::kL:
        return walk_list(value.as_list());
      case Type::kSS:
        return walk_set(Type::kSS, value.as_string_set(), &TypedWriter::string);
      case Type::kNS:
        return walk_set(Type::kNS, value.as_number_set(), &TypedWriter::number);
      case Type::kBS:
        return walk_set(Type::kBS, value.as_binary_set(), &TypedWriter::binary);
    }
  }
  void walk_list(const AttributeValue::List& list) {
    begin_list(list.size());
    for (const AttributeValue& member : list) walk_inner(member);
    end_list();
  }
  template <class Members, class Write>
  void walk_set(Type type, const Members& members, Write write) {
    begin_set(type, members.size());
    for (const auto& member : members) (this->*write)(member);
    end_set();
  }

  JsonWriter& json_;
  int depth_ = 0;
  bool in_set_ = false;
};

void JsonWriter::write_value(const AttributeValue& value) { TypedWriter(*this).walk(value); }
void JsonWriter::write_item(const model::Item& item) { TypedWriter(*this).walk(item); }

// Flattened, because the calls for each attribute cost as much as its bytes.
[[gnu::flatten]] Result<void> JsonWriter::write_encoded_item(std::string_view stored) {
  TypedWriter writer(*this);
  return model::visit_item(stored, writer);
}

void write_json(JsonWriter& json, const JsonValue& value, size_t most_bytes) {
  switch (value.kind()) {
    case JsonValue::Kind::kNull:
      return json.null();
    case JsonValue::Kind::kBoolean:
      return json.boolean(value.as_boolean());
    case JsonValue::Kind::kInteger:
      return json.number(value.as_integer());
    case JsonValue::Kind::kDecimal:
      return json.number(value.as_double());
    case JsonValue::Kind::kString:
      return json.string(value.as_string().substr(0, most_bytes));
    case JsonValue::Kind::kArray:
      json.begin_array();
      for (const JsonValue element : value.elements()) {
        if (json.size() > most_bytes) break;
        write_json(json, element, most_bytes);
      }
      return json.end_array();
    case JsonValue::Kind::kObject:
      json.begin_object();
      for (const auto [name, member] : value.members()) {
        if (json.size() > most_bytes) break;
        json.key(name);
        write_json(json, member, most_bytes);
      }
      return json.end_object();
  }
}

}  // namespace partita::wire
