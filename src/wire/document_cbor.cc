// Documents as CBOR (RFC 8949). What the protocol excludes is refused: byte strings, and keys that are no texts.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "model/fault.h"
#include "wire/document.h"

namespace partita::wire {

namespace {

using model::Fault;
using model::refuse;

// The kinds of items, in the highest three bits of their first byte.
enum class Major : uint8_t { kUnsigned, kNegative, kBytes, kText, kArray, kMap, kTag, kSimple };

constexpr uint8_t kIndefinite = 31;  // in the lowest five bits; after kSimple: the end of an item of that kind
constexpr uint8_t kFalse = 20;
constexpr uint8_t kTrue = 21;
constexpr uint8_t kNull = 22;
constexpr uint8_t kUndefined = 23;
constexpr uint8_t kHalfFloat = 25;
constexpr uint8_t kSingleFloat = 26;
constexpr uint8_t kDoubleFloat = 27;
constexpr uint64_t kEpochTag = 1;
constexpr double kMsPerSecond = 1'000;
constexpr double kMostSeconds = 1e12;  // in either direction; more is no time

double of_half(uint16_t bits) {
  constexpr int kBias = 15;
  constexpr int kFractionBits = 10;
  const int exponent = bits >> kFractionBits & 0x1f;
  const int fraction = bits & 0x3ff;
  double value = 0;
  if (exponent == 0x1f) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, 1 - kBias - kFractionBits);
  } else {
    value = std::ldexp(fraction + (1 << kFractionBits), exponent - kBias - kFractionBits);
  }
  return bits >> 15 == 0 ? value : -value;
}

class CborReader {
 public:
  explicit CborReader(std::string_view in) : in_(in) {}

  Result<Document> read(int depth) {
    const auto head = take_u8(in_);
    if (!head || depth > kMaxDocumentDepth || left_ == 0) return bad();
    --left_;
    const auto major = static_cast<Major>(*head >> 5);
    const uint8_t low = *head & 0x1f;
    if (major == Major::kSimple) return simple(low);
    const bool indefinite = low == kIndefinite;
    const auto number = indefinite ? std::optional<uint64_t>(0) : argument(low);
    if (!number) return bad();
    switch (major) {
      case Major::kUnsigned:
        return integer(indefinite, *number, false);
      case Major::kNegative:
        return integer(indefinite, *number, true);
      case Major::kText:
        return text(indefinite, *number);
      case Major::kArray:
        return list(indefinite, *number, depth);
      case Major::kMap:
        return map(indefinite, *number, depth);
      case Major::kTag:
        return indefinite ? bad() : tagged(*number, depth);
      default:
        return bad();
    }
  }
  bool at_end() const { return in_.empty(); }

 private:
  static Error bad() { return refuse(Fault::kMalformedDocument); }

  std::optional<uint64_t> argument(uint8_t low) {
    if (low < 24) return low;
    if (low == 24) return take_u8(in_);
    if (low == 25) return take_u16(in_);
    if (low == 26) return take_u32(in_);
    if (low == 27) return take_u64(in_);
    return std::nullopt;
  }
  // Whether an item of indefinite length ends here; if so, its end is removed.
  bool ends() {
    constexpr char kBreak = '\xff';
    if (!in_.starts_with(kBreak)) return false;
    in_.remove_prefix(1);
    return true;
  }

  static Result<Document> integer(bool indefinite, uint64_t number, bool negative) {
    if (indefinite || number > static_cast<uint64_t>(INT64_MAX)) return bad();
    const auto value = static_cast<int64_t>(number);
    return Document(negative ? -1 - value : value);
  }

  Result<Document> simple(uint8_t low) {
    if (low == kFalse || low == kTrue) return Document(low == kTrue);
    if (low == kNull || low == kUndefined) return Document();
    const auto bits = low == kHalfFloat || low == kSingleFloat || low == kDoubleFloat ? argument(low) : std::nullopt;
    if (!bits) return bad();
    if (low == kHalfFloat) return Document(of_half(static_cast<uint16_t>(*bits)));
    if (low == kSingleFloat) return Document(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(*bits))));
    return Document(std::bit_cast<double>(*bits));
  }

  Result<std::string> whole(uint64_t size) {
    if (size > in_.size()) return bad();
    std::string text(in_.substr(0, size));
    in_.remove_prefix(size);
    return text;
  }
  Result<Document> text(bool indefinite, uint64_t size) {
    std::string all;
    if (!indefinite) {
      PARTITA_TRY(all, whole(size));
    }
    while (indefinite && !ends()) {
      const auto head = take_u8(in_);
      if (!head || static_cast<Major>(*head >> 5) != Major::kText) return bad();
      const auto part_size = argument(*head & 0x1f);
      if (!part_size) return bad();
      PARTITA_TRY(const std::string part, whole(*part_size));
      all += part;
    }
    if (!is_utf8(all)) return bad();
    return Document(std::move(all));
  }

  Result<Document> list(bool indefinite, uint64_t size, int depth) {
    Document::List list;
    for (uint64_t i = 0; indefinite ? !ends() : i < size; ++i) {
      PARTITA_TRY(Document one, read(depth + 1));
      list.push_back(std::move(one));
    }
    return Document(std::move(list));
  }

  Result<Document> map(bool indefinite, uint64_t size, int depth) {
    Document::Map map;
    for (uint64_t i = 0; indefinite ? !ends() : i < size; ++i) {
      PARTITA_TRY(Document name, read(depth + 1));
      std::string* const text = name.as<std::string>();
      if (text == nullptr) return bad();
      PARTITA_TRY(Document one, read(depth + 1));
      map.emplace_back(std::move(*text), std::move(one));
    }
    return Document(std::move(map));
  }

  // Other tags than that of times are ignored, as RFC 8949 allows.
  Result<Document> tagged(uint64_t tag, int depth) {
    PARTITA_TRY(Document value, read(depth + 1));
    if (tag != kEpochTag) return value;
    const int64_t* const whole = value.as<int64_t>();
    const double* const part = value.as<double>();
    if (whole == nullptr && part == nullptr) return bad();
    const double seconds = whole != nullptr ? static_cast<double>(*whole) : *part;
    if (!(std::abs(seconds) <= kMostSeconds)) return bad();
    return Document(Document::Time{std::llround(seconds * kMsPerSecond)});
  }

  std::string_view in_;
  size_t left_ = kMaxDocumentValues;
};

struct ToCbor {
  std::string& out;

  void head(Major major, uint64_t number) const {
    const auto bits = static_cast<uint8_t>(static_cast<uint8_t>(major) << 5);
    const auto put = [&](uint8_t low) { out.push_back(static_cast<char>(bits | low)); };
    if (number < 24) {
      put(static_cast<uint8_t>(number));
    } else if (number <= UINT8_MAX) {
      put(24);
      out.push_back(static_cast<char>(number));
    } else if (number <= UINT16_MAX) {
      put(25);
      append_u16(out, static_cast<uint16_t>(number));
    } else if (number <= UINT32_MAX) {
      put(26);
      append_u32(out, static_cast<uint32_t>(number));
    } else {
      put(27);
      append_u64(out, number);
    }
  }
  void simple(uint8_t low) const { out.push_back(static_cast<char>(static_cast<uint8_t>(Major::kSimple) << 5 | low)); }

  void operator()(std::monostate) const { simple(kNull); }
  void operator()(bool value) const { simple(value ? kTrue : kFalse); }
  void operator()(int64_t value) const {
    if (value < 0) {
      head(Major::kNegative, static_cast<uint64_t>(-1 - value));
    } else {
      head(Major::kUnsigned, static_cast<uint64_t>(value));
    }
  }
  void operator()(double value) const {
    simple(kDoubleFloat);
    append_u64(out, std::bit_cast<uint64_t>(value));
  }
  void operator()(const std::string& text) const {
    head(Major::kText, text.size());
    out += text;
  }
  void operator()(Document::Time time) const {
    head(Major::kTag, kEpochTag);
    (*this)(static_cast<double>(time.ms) / kMsPerSecond);
  }
  void operator()(const Document::List& list) const {
    head(Major::kArray, list.size());
    for (const Document& one : list) one.visit(*this);
  }
  void operator()(const Document::Map& map) const {
    size_t members = 0;
    for (const auto& [name, one] : map) members += one.is_null() ? 0 : 1;
    head(Major::kMap, members);
    for (const auto& [name, one] : map) {
      if (one.is_null()) continue;
      (*this)(name);
      one.visit(*this);
    }
  }
  void operator()(const Document::Entries& entries) const { (*this)(entries.map); }
};

}  // namespace

Result<Document> read_cbor(std::string_view body) {
  if (body.empty()) return Document(Document::Map());
  CborReader reader(body);
  PARTITA_TRY(Document document, reader.read(1));
  if (!reader.at_end() || document.as<Document::Map>() == nullptr) return refuse(Fault::kMalformedDocument);
  return document;
}

std::string write_cbor(const Document& document) {
  std::string out;
  document.visit(ToCbor{out});
  return out;
}

}  // namespace partita::wire
