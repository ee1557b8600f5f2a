#include "wire/json_writer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "base/bytes.h"
#include "model/item_codec.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace partita::wire {
namespace {

using model::AttributeValue;
using model::Type;

constexpr char kPlain = 0;
constexpr char kUnicode = 'u';
constexpr size_t kBlock = 16;         // bytes that the escape scan may write past what it keeps
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

#if defined(__SSE2__)
// All bits of each byte that needs an escape.
__m128i suspects_in(__m128i block) {
  const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
  return _mm_or_si128(control, _mm_or_si128(quote, backslash));
}

// One bit for each byte that needs an escape.
unsigned escapes_in(__m128i block) { return static_cast<unsigned>(_mm_movemask_epi8(suspects_in(block))); }

// Copies the text up to its first byte that needs an escape; whole blocks are stored before they are looked at.
void copy_plain(const char*& from, const char* end, char*& to) {
  // Copies, as a byte that is stored might be one of the pointers' own.
  const char* in = from;
  char* out = to;
  const auto stop = [&] {
    from = in;
    to = out;
  };
  // Four blocks at once, as an escape is rare.
  while (end - in >= 64) {
    __m128i suspects = _mm_setzero_si128();
    for (ptrdiff_t at = 0; at < 64; at += 16) {
      const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + at));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + at), block);
      suspects = _mm_or_si128(suspects, suspects_in(block));
    }
    if (_mm_movemask_epi8(suspects) != 0) break;
    in += 64;
    out += 64;
  }
  while (end - in >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), block);
    const unsigned found = escapes_in(block);
    const int plain = found == 0 ? 16 : std::countr_zero(found);
    in += plain;
    out += plain;
    if (found != 0) return stop();
  }
  if (end - in >= 8) {
    const __m128i block = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(in));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), block);
    const unsigned found = escapes_in(block) & 0xffU;
    const int plain = found == 0 ? 8 : std::countr_zero(found);
    in += plain;
    out += plain;
    if (found != 0) return stop();
  }
  while (in != end && kEscapes[static_cast<unsigned char>(*in)] == kPlain) *out++ = *in++;
  stop();
}
#else
void copy_plain(const char*& in, const char* end, char*& out) {
  while (in != end && kEscapes[static_cast<unsigned char>(*in)] == kPlain) *out++ = *in++;
}
#endif

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

void JsonWriter::quoted(std::string_view text) {
  const char* in = text.data();
  const char* const stop = in + text.size();
  ensure(text.size() + kBlock + 2);
  put('"');
  copy_plain(in, stop, next_);
  while (in != stop) {
    ensure(static_cast<size_t>(stop - in) + kLongestEscape + kBlock + 1);
    next_ = put_escape(next_, static_cast<unsigned char>(*in++));
    copy_plain(in, stop, next_);
  }
  put('"');
}

void JsonWriter::quoted_number(const model::Number& number) {
  scratch_.clear();
  number.append_to(scratch_);
  ensure(scratch_.size() + 2);
  put('"');
  put(scratch_);
  put('"');
}

void JsonWriter::quoted_base64(std::string_view bytes) {
  scratch_.clear();
  append_base64(scratch_, bytes);
  ensure(scratch_.size() + 2);
  put('"');
  put(scratch_);
  put('"');
}

void JsonWriter::key(std::string_view name) {
  ensure(1);
  comma();
  quoted(name);
  ensure(1);
  put(':');
  comma_ = false;
}

void JsonWriter::bare(std::string_view text) {
  ensure(text.size() + 1);
  comma();
  put(text);
  comma_ = true;
}

void JsonWriter::string(std::string_view text) {
  ensure(1);
  comma();
  quoted(text);
  comma_ = true;
}

void JsonWriter::base64(std::string_view bytes) {
  ensure(1);
  comma();
  quoted_base64(bytes);
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

void JsonWriter::open_typed(std::string_view opening) {
  ensure(opening.size() + 1);
  comma();
  put(opening);
  comma_ = false;
}

void JsonWriter::close_typed(std::string_view closing) {
  ensure(closing.size());
  put(closing);
  comma_ = true;
}

// One body for both sources of a value, the model's and the stored form's, so that they can not differ.
class StoredItemWriter final : public model::ItemVisitor {
 public:
  explicit StoredItemWriter(JsonWriter& json) : json_(json) {}

  void begin_map(size_t) override { json_.open_typed(depth_++ == 0 ? "{" : R"({"M":{)"); }
  void name(std::string_view name) override { json_.key(name); }
  void end_map() override { json_.close_typed(--depth_ == 0 ? "}" : "}}"); }
  void begin_list(size_t) override {
    ++depth_;
    json_.open_typed(R"({"L":[)");
  }
  void end_list() override {
    --depth_;
    json_.close_typed("]}");
  }
  void string(std::string_view text) override {
    if (in_set_) return json_.string(text);
    json_.open_typed(R"({"S":)");
    json_.quoted(text);
    json_.close_typed("}");
  }
  void number(const model::Number& number) override {
    json_.open_typed(in_set_ ? "" : R"({"N":)");
    json_.quoted_number(number);
    json_.close_typed(in_set_ ? "" : "}");
  }
  void binary(std::string_view bytes) override {
    if (in_set_) return json_.base64(bytes);
    json_.open_typed(R"({"B":)");
    json_.quoted_base64(bytes);
    json_.close_typed("}");
  }
  void boolean(bool value) override { json_.bare(value ? R"({"BOOL":true})" : R"({"BOOL":false})"); }
  void null() override { json_.bare(R"({"NULL":true})"); }
  void begin_set(Type type, size_t) override {
    in_set_ = true;
    json_.open_typed(type == Type::kSS ? R"({"SS":[)" : type == Type::kNS ? R"({"NS":[)" : R"({"BS":[)");
  }
  void end_set() override {
    in_set_ = false;
    json_.close_typed("]}");
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
        return walk_set(Type::kSS, value.as_string_set(), &StoredItemWriter::string);
      case Type::kNS:
        return walk_set(Type::kNS, value.as_number_set(), &StoredItemWriter::number);
      case Type::kBS:
        return walk_set(Type::kBS, value.as_binary_set(), &StoredItemWriter::binary);
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

void JsonWriter::write_value(const AttributeValue& value) { StoredItemWriter(*this).walk(value); }
void JsonWriter::write_item(const model::Item& item) { StoredItemWriter(*this).walk(item); }

Result<void> JsonWriter::write_encoded_item(std::string_view stored) {
  StoredItemWriter writer(*this);
  return model::visit_item(stored, writer);
}

}  // namespace partita::wire
