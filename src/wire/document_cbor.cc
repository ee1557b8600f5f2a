// Documents as CBOR (RFC 8949). What the protocol excludes is refused: byte strings, and keys that are no texts.
#include <cmath>

#include "base/bytes.h"
#include "model/fault.h"
#include "wire/cbor.h"
#include "wire/document.h"

namespace partita::wire {

namespace {

using model::Fault;
using model::refuse;

constexpr uint64_t kEpochTag = 1;
constexpr double kMsPerSecond = 1'000;
constexpr double kMostSeconds = 1e12;  // in either direction; more is no time

class FromCbor {
 public:
  explicit FromCbor(std::string_view in) : in_(in) {}

  Result<Document> read(int depth) {
    if (depth > kMaxDocumentDepth || left_ == 0) return bad();
    --left_;
    switch (in_.peek_major()) {
      case CborMajor::kUnsigned:
      case CborMajor::kNegative:
        return checked(Document(in_.integer()));
      case CborMajor::kText:
        return text();
      case CborMajor::kArray:
        return list(depth);
      case CborMajor::kMap:
        return map(depth);
      case CborMajor::kTag:
        return tagged(depth);
      case CborMajor::kSimple:
        return simple();
      default:
        return bad();
    }
  }
  bool at_end() const { return in_.finished(); }

 private:
  static Error bad() { return refuse(Fault::kMalformedDocument); }
  Result<Document> checked(Document document) const {
    if (!in_.ok()) return bad();
    return document;
  }

  Result<Document> simple() {
    const uint8_t low = in_.peek() & 0x1f;
    if (low == kCborFalse || low == kCborTrue) return checked(Document(in_.boolean()));
    if (in_.take_null()) return Document();
    return checked(Document(in_.number()));
  }

  Result<Document> text() {
    std::string all;
    const CborHead head = in_.head();
    if (head.indefinite()) {
      while (in_.ok() && in_.peek_major() == CborMajor::kText) all += in_.text();
      if (!in_.head().is_simple(kCborBreak)) return bad();
    } else {
      all = in_.take(head.argument);
    }
    if (!in_.ok() || !is_utf8(all)) return bad();
    return Document(std::move(all));
  }

  Result<Document> list(int depth) {
    Document::List list;
    for (auto members = in_.array(); in_.next(members);) {
      PARTITA_TRY(Document one, read(depth + 1));
      list.push_back(std::move(one));
    }
    return checked(Document(std::move(list)));
  }

  Result<Document> map(int depth) {
    Document::Map map;
    for (auto members = in_.map(); in_.next(members);) {
      PARTITA_TRY(Document name, read(depth + 1));
      std::string* const text = name.as<std::string>();
      if (text == nullptr) return bad();
      PARTITA_TRY(Document one, read(depth + 1));
      map.emplace_back(std::move(*text), std::move(one));
    }
    return checked(Document(std::move(map)));
  }

  // Other tags than that of times are ignored, as RFC 8949 allows.
  Result<Document> tagged(int depth) {
    const uint64_t tag = in_.tag();
    PARTITA_TRY(Document value, read(depth + 1));
    if (tag != kEpochTag) return value;
    const int64_t* const whole = value.as<int64_t>();
    const double* const part = value.as<double>();
    if (whole == nullptr && part == nullptr) return bad();
    const double seconds = whole != nullptr ? static_cast<double>(*whole) : *part;
    if (!(std::abs(seconds) <= kMostSeconds)) return bad();
    return Document(Document::Time{std::llround(seconds * kMsPerSecond)});
  }

  CborReader in_;
  size_t left_ = kMaxDocumentValues;
};

struct ToCbor {
  CborWriter& out;

  void operator()(std::monostate) const { out.null(); }
  void operator()(bool value) const { out.boolean(value); }
  void operator()(int64_t value) const { out.integer(value); }
  void operator()(double value) const { out.number(value); }
  void operator()(const std::string& text) const { out.text(text); }
  void operator()(Document::Time time) const {
    out.tag(kEpochTag);
    out.number(static_cast<double>(time.ms) / kMsPerSecond);
  }
  void operator()(const Document::List& list) const {
    out.array(list.size());
    for (const Document& one : list) one.visit(*this);
  }
  void operator()(const Document::Map& map) const {
    size_t members = 0;
    for (const auto& [name, one] : map) members += one.is_null() ? 0 : 1;
    out.map(members);
    for (const auto& [name, one] : map) {
      if (one.is_null()) continue;
      out.text(name);
      one.visit(*this);
    }
  }
  void operator()(const Document::Entries& entries) const { (*this)(entries.map); }
};

}  // namespace

Result<Document> read_cbor(std::string_view body) {
  if (body.empty()) return Document(Document::Map());
  FromCbor reader(body);
  PARTITA_TRY(Document document, reader.read(1));
  if (!reader.at_end() || document.as<Document::Map>() == nullptr) return refuse(Fault::kMalformedDocument);
  return document;
}

std::string write_cbor(const Document& document) {
  CborWriter out;
  document.visit(ToCbor{out});
  return std::move(out).take();
}

}  // namespace partita::wire
