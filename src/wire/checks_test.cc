#include "wire/checks.h"

#include <gtest/gtest.h>

#include <string>

#include "model/fault.h"
#include "wire/error_body.h"

namespace partita::wire {
namespace {

using model::Fault;
using model::refuse;

// What is told of a fault that was found in a request which passed its shape.
std::string told(const Shape& shape, const std::string& body, Error error) {
  const auto document = JsonDocument::parse(body);
  PARTITA_CHECK(document.ok());
  return message_of(worded(std::move(error), document->root(), shape));
}

const std::string kKeyed = R"({"TableName":"abc","Key":{"a":{"S":"b"}}})";

std::string nested(int maps) {
  std::string value = R"({"S":"leaf"})";
  for (int i = 0; i < maps; ++i) value = R"({"M":{"n":)" + value + "}}";
  return R"({"TableName":"abc","Key":{"a":)" + value + "}}";
}

TEST(Checks, TheNewerAndTheEnvelopedHaveWordsOfTheirOwn) {
  const Error number = refuse(Fault::kNumberEmpty);
  const std::string plain = "The parameter cannot be converted to a numeric value";
  EXPECT_EQ(told(shapes::kScan, R"({"TableName":"abc"})", number), plain);
  EXPECT_EQ(told(shapes::kGetItem, kKeyed, number), plain + ": ");
  EXPECT_EQ(told(shapes::kDeleteItem, kKeyed, number), "1 validation error detected: " + plain + ": ");
}

TEST(Checks, WhatIsEnvelopedOrNoValidationStaysAsItIs) {
  EXPECT_EQ(told(shapes::kDeleteItem, kKeyed, constraint_violated("x")), "1 validation error detected: x");
  EXPECT_EQ(told(shapes::kDeleteItem, kKeyed, refuse(Fault::kResourceNotFound)), "Requested resource not found");
  EXPECT_EQ(told(shapes::kDeleteItem, kKeyed, Error(ErrorKind::kUnavailable, "disk")), "Internal server error");
}

TEST(Checks, DeepRequestsMeetTheOlderOnes) {
  const Error fault = refuse(Fault::kReturnValuesOldOnly);
  const std::string text = "ReturnValues can only be ALL_OLD or NONE";
  EXPECT_EQ(told(shapes::kDeleteItem, nested(40), fault), "1 validation error detected: " + text);
  EXPECT_EQ(told(shapes::kDeleteItem, nested(63), fault), text);
  EXPECT_EQ(told(shapes::kDeleteItem, nested(400), fault), text);
}

}  // namespace
}  // namespace partita::wire
