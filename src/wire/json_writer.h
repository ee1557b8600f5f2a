// Writes one JSON text, front to back, into its own buffer. It adds the commas.
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
// The caller pairs begins and ends, and names every member of an object. This is not checked. Not thread-safe.
#pragma once

#include <concepts>
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
  void begin_object(std::string_view name) { key(name), begin_object(); }  // as a member
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void begin_array(std::string_view name) { key(name), begin_array(); }  // as a member
  void end_array() { close(']'); }

  void key(std::string_view name);
  void string(std::string_view text);  // UTF-8
  void number(int64_t value);
  void number(double value);  // finite; a whole number has ".0", as in AWS
  void boolean(bool value);
  void null();
  void base64(std::string_view bytes);  // as a string
  void raw(std::string_view json);      // a complete JSON value, or complete members of an object

  // A key and its value.
  void member(std::string_view name, std::string_view text) { key(name), string(text); }
  void member(std::string_view name, int64_t value) { key(name), number(value); }  // also of an atomic
  void member(std::string_view name, double value) { key(name), number(value); }
  template <std::integral Value>
  void member(std::string_view name, Value value) {
    key(name);
    if constexpr (std::same_as<Value, bool>) {
      boolean(value);
    } else {
      number(static_cast<int64_t>(value));
    }
  }

  // DynamoDB's typed form: {"S":"..."}.
  void write_value(const model::AttributeValue& value);
  // The members' typed forms by name: {"pk":{"S":"..."}}.
  void write_item(const model::Item& item);
  // The same directly from the bytes of model::encode_item; GetItem and Query use this. Error: kCorrupt. The text so
  // far is then incomplete and must be discarded.
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
  char* put_escaped(char* out, std::string_view text, size_t behind);
  void quoted(std::string_view before, std::string_view text, std::string_view behind);
  void quoted_number(std::string_view before, const model::Number& number, std::string_view behind);
  void quoted_base64(std::string_view before, std::string_view bytes, std::string_view behind);
  void bracket(std::string_view text, bool opens);

  std::string buffer_;
  char* next_;
  char* end_;
  bool comma_ = false;
};

// Writes the value as a member or an element, and stops after about `most_bytes`. Strings are cut at that length,
// perhaps within a character.
void write_json(JsonWriter& json, const JsonValue& value, size_t most_bytes = std::string::npos);

}  // namespace partita::wire
