#include "wire/json_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "base/per_thread.h"
#include "model/fault.h"

namespace partita::wire {

namespace {

constexpr size_t kMaxTextBytes = 16 * 1024 * 1024;  // DynamoDB's largest request
constexpr size_t kMaxDepth = 1024;                  // an item's 32 levels take about 70
constexpr size_t kKeptCapacity = 256 * 1024;        // a parser that grew past this is not kept
constexpr size_t kKeptParsers = 8;
int64_t clamp(double value) {
  if (value >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
  if (value <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

}  // namespace

int64_t JsonValue::as_integer() const {
  if (kind_ == Kind::kDecimal) return clamp(as_double());
  PARTITA_CHECK(kind_ == Kind::kInteger);
  const uint64_t word = tape_->words[at_ + 1];
  const bool large = tape_->tag(at_) == 'u';  // what does not fit is larger than any
  return large ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(word);
}

double JsonValue::as_double() const {
  PARTITA_CHECK(kind_ == Kind::kDecimal || kind_ == Kind::kInteger);
  const uint64_t word = tape_->words[at_ + 1];
  if (kind_ == Kind::kDecimal) return std::bit_cast<double>(word);
  return tape_->tag(at_) == 'u' ? static_cast<double>(word) : static_cast<double>(static_cast<int64_t>(word));
}

JsonValue JsonValue::get(std::string_view name) const {
  JsonValue found;
  for (const auto [key, value] : members()) {
    if (key == name) found = value;
  }
  return found;
}

size_t JsonValue::size() const {
  if (kind_ != Kind::kArray && kind_ != Kind::kObject) return 0;
  const size_t counted = tape_->count(at_);
  if (counted < JsonTape::kFullCount) return counted;
  size_t size = 0;
  for (auto it = elements().begin(); it != elements().end(); ++it) ++size;
  for (auto it = members().begin(); it != members().end(); ++it) ++size;
  return size;
}

struct JsonDocument::Parser {
  simdjson::dom::parser parser{kMaxTextBytes};
  JsonTape tape;
};

struct JsonDocument::Pool {
  std::vector<std::unique_ptr<Parser>> idle;
  Pool() { idle.reserve(kKeptParsers); }  // so that giving back does not throw
};

void JsonDocument::GiveBack::operator()(Parser* parser) const noexcept {
  std::unique_ptr<Parser> own(parser);
  if (parser->parser.capacity() > kKeptCapacity) return;
  Pool* const pool = PerThread<Pool>::find();
  if (pool != nullptr && pool->idle.size() < kKeptParsers) pool->idle.push_back(std::move(own));
}

// simdjson notes each structural character, quote and first character of a number (4 bytes), and puts each value on a
// tape (8 bytes, 16 of a number or a container) and each string into a buffer of its own.
size_t JsonDocument::memory_of(std::string_view text) {
  constexpr size_t kSmall = size_t{64} << 10;
  constexpr size_t kWorstPerByte = 14;
  if (text.size() <= kSmall) return kWorstPerByte * text.size();
  size_t marks = 0;
  for (const char c : text) {
    marks += static_cast<size_t>(c == ',') + static_cast<size_t>(c == ':') + static_cast<size_t>(c == '[') +
             static_cast<size_t>(c == '{');
  }
  constexpr size_t kPerMark = 2 * 8 + 4 * 4 + 8;
  return std::min(kWorstPerByte * text.size(), kPerMark * marks + text.size());
}

Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  Pool& pool = PerThread<Pool>::get();
  OwnedParser parser;
  if (pool.idle.empty()) {
    parser.reset(new Parser);
  } else {
    parser.reset(pool.idle.back().release());
    pool.idle.pop_back();
  }
  static_assert(kMaxDepth == simdjson::DEFAULT_MAX_DEPTH);
  JsonDocument document(std::move(parser));
  if (text.data() == nullptr) text = std::string_view("");  // simdjson copies even nothing, which takes a pointer
  const auto parsed = document.parser_->parser.parse(text.data(), text.size(), true);
  if (parsed.error() == simdjson::MEMALLOC) {
    delete document.parser_.release();  // it takes itself for larger than it is
    return Error(ErrorKind::kUnavailable, "there was not enough memory to read the request.");
  }
  if (parsed.error() != simdjson::SUCCESS) return model::refuse(model::Fault::kMalformedJson);
  const simdjson::dom::document& read = document.parser_->parser.doc;
  document.parser_->tape = {read.tape.get(), reinterpret_cast<const char*>(read.string_buf.get())};
  return document;
}

JsonValue JsonDocument::root() const { return {parser_->tape, 1}; }  // behind the word of the document itself

}  // namespace partita::wire
