// Writes one JSON text, front to back, into a buffer of its own; commas are its business.
//
//   JsonWriter json;
//   json.begin_object();
//   json.key("Count");
//   json.number(2);
//   json.key("Items");
//   json.begin_array();
//   PARTITA_TRY_VOID(json.write_encoded_item(stored_bytes));
//   json.end_array();
//   json.end_object();
//   reply.body = std::move(json).take();
//
// The caller keeps begins and ends in pairs and names every member of an object; that is not checked. Not thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/value.h"
#include "wire/json_reader.h"

namespace partita::wire {

class JsonWriter {
 public:
  explicit JsonWriter(size_t expected_bytes = 512);
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  void key(std::string_view name);
  void string(std::string_view text);  // UTF-8
  void number(int64_t value);
  void number(double value);  // finite; a whole one keeps its ".0", as AWS writes it
  void boolean(bool value);
  void null();
  void base64(std::string_view bytes);  // as a string
  void raw(std::string_view json);      // a whole JSON value as it is, or whole members of an object

  // DynamoDB's typed form: {"S":"..."}.
  void write_value(const model::AttributeValue& value);
  // The members' typed forms under their names: {"pk":{"S":"..."}}.
  void write_item(const model::Item& item);
  // The same straight from the bytes of model::encode_item, which is what GetItem and Query live on. Error: kCorrupt;
  // what was written by then stays, so the whole text must be thrown away.
  Result<void> write_encoded_item(std::string_view stored);

  // Bytes written so far.
  size_t size() const { return static_cast<size_t>(next_ - buffer_.data()); }

  std::string take() &&;

 private:
  friend class TypedWriter;

  void ensure(size_t bytes) {
    if (static_cast<size_t>(end_ - next_) < bytes) grow(bytes);
  }
  void grow(size_t bytes);
  void put(char c) { *next_++ = c; }  // precondition: ensured
  void put(std::string_view text) {   // precondition: ensured
    std::memcpy(next_, text.data(), text.size());
    next_ += text.size();
  }
  void comma() {  // precondition: ensured
    if (comma_) put(',');
  }
  void open(char bracket) {
    ensure(2);
    comma();
    put(bracket);
    comma_ = false;
  }
  void close(char bracket) {
    ensure(1);
    put(bracket);
    comma_ = true;
  }
  void bare(std::string_view text);
  void quoted(std::string_view before, std::string_view text, std::string_view behind);
  void quoted_number(std::string_view before, const model::Number& number, std::string_view behind);
  void quoted_base64(std::string_view before, std::string_view bytes, std::string_view behind);
  void bracket(std::string_view text, bool opens);

  std::string buffer_;
  char* next_;
  char* end_;
  bool comma_ = false;
};

// The value, as a member or an element; when more than about so many bytes are written, no further. Strings are cut at
// as many, perhaps in the middle of a character.
void write_json(JsonWriter& json, const JsonValue& value, size_t most_bytes = std::string::npos);

}  // namespace partita::wire
