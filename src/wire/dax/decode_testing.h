// What the tests of the decoders share.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "wire/dax/request.h"
#include "wire/error_body.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {

class FakeTables : public TableSchemas {
 public:
  const model::KeySchema* find(std::string_view table) override {
    const auto found = schemas_.find(std::string(table));
    return found == schemas_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, model::KeySchema> schemas_{
      {"Tab1", {{{"pk", model::Type::kS}}, {}}},
      {"Tab2", {{{"pk", model::Type::kS}}, {{"sk", model::Type::kN}}}},
  };
};

class LimitedMemory final : public MemorySource {
 public:
  bool take(size_t bytes) override {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  }
  size_t left = SIZE_MAX;
};

class DaxDecodeTest : public testing::Test {
 protected:
  DaxDecodeTest() {
    lists_.add(model::make_attribute_list(257, {"n", "x"}));
    lists_.add(model::make_attribute_list(258, {"x", "n"}));
    lists_.add(model::make_attribute_list(259, {"a", "sk"}));
  }

  // `arguments` are hexadecimal digits.
  template <class Request>
  Result<Request> decode(Result<Request> (*decoder)(CborReader&, Decoding&), std::string_view arguments) {
    const std::string bytes = from_hex(arguments);
    CborReader in(bytes);
    Decoding decoding{tables_, lists_, {}, always_selects_, DecodedBytes(&memory_)};
    auto decoded = decoder(in, decoding);
    missing_ = decoding.missing.ids;
    return decoded;
  }
  template <class Request>
  std::string fault(Result<Request> (*decoder)(CborReader&, Decoding&), std::string_view arguments) {
    const auto decoded = decode(decoder, arguments);
    return decoded.ok() ? "ok" : message_of(decoded.error());
  }

  FakeTables tables_;
  KnownLists lists_;
  std::vector<uint64_t> missing_;
  bool always_selects_ = false;
  LimitedMemory memory_;
};

inline model::Item item_of(std::vector<model::AttributeMap::Entry> entries) {
  return model::AttributeMap::of(std::move(entries));
}
inline model::AttributeValue text_value(std::string text) { return model::AttributeValue::string(std::move(text)); }
inline model::AttributeValue number_value(std::string_view text) {
  return model::AttributeValue::number(model::Number::parse(text).value());
}

// Of texts of at most 23 bytes: their items as hexadecimal digits.
inline std::string hex_text(std::string_view text) {
  return to_hex(std::string(1, static_cast<char>(0x60 + text.size())) + std::string(text));
}
inline std::string hex_bytes(std::string_view bytes) {
  return to_hex(std::string(1, static_cast<char>(0x40 + bytes.size())) + std::string(bytes));
}
// The same of bytes that are given as digits.
inline std::string hex_bytes_of(std::string_view hex) {
  const std::string bytes = from_hex(hex);
  if (bytes.size() > 0xff) {
    std::string size;
    append_u32(size, static_cast<uint32_t>(bytes.size()));
    return "5a" + to_hex(size) + std::string(hex);
  }
  const auto size = static_cast<char>(bytes.size());
  return (bytes.size() < 24 ? to_hex(std::string(1, static_cast<char>(0x40 + bytes.size())))
                            : "58" + to_hex(std::string(1, size))) +
         std::string(hex);
}

}  // namespace partita::wire::dax
