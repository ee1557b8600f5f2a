#include "wire/error_body.h"

#include <gtest/gtest.h>

#include <tuple>

#include "base/retry_after.h"
#include "model/aside_fault.h"
#include "model/fault.h"
#include "model/fault_detail.h"
#include "model/item_codec.h"
#include "model/value.h"

namespace partita::wire {
namespace {

using model::AttributeValue;
using model::Fault;
using model::Item;
using model::refuse;

Error with_detail(Fault fault, std::shared_ptr<const ErrorDetail> detail) {
  return Error(ErrorKind::kInvalid, static_cast<uint16_t>(fault), {}, std::move(detail));
}

std::string one_item() {
  Item item;
  item.set("pk", AttributeValue::string("a\"b"));
  return model::encode_item(item);
}

TEST(ErrorBody, FillsTheTextAndEscapesIt) {
  const ErrorReply reply = render(refuse(Fault::kNumberSyntax, {"1\"2"}));
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body, R"({"__type":"com.amazon.coral.validate#ValidationException",)"
                        R"("message":"The parameter cannot be converted to a numeric value: 1\"2"})");
}

TEST(ErrorBody, SaysNoMoreOfAVeryLongTextThanItsBeginning) {
  std::string names;
  while (names.size() < 1'000'000) names += ":\u00e9, ";
  const ErrorReply reply = render(refuse(Fault::kUnusedValues, {names}));
  EXPECT_LT(reply.body.size(), 70'000U);
  EXPECT_TRUE(reply.body.ends_with("...\"}")) << reply.body.substr(reply.body.size() - 20);
}

TEST(ErrorBody, IsTextWhateverItRepeats) {
  EXPECT_TRUE(render(refuse(Fault::kNumberSyntax, {"a\xff\u00e9"})).body.ends_with(": a???\"}"));
  EXPECT_TRUE(render(refuse(Fault::kNumberSyntax, {"a\u00e9"})).body.ends_with(": a\u00e9\"}"));
}

TEST(ErrorBody, SerializationSpellsMessageWithACapital) {
  EXPECT_EQ(render(refuse(Fault::kSerialization, {"Unexpected field type"})).body,
            R"({"__type":"com.amazon.coral.service#SerializationException","Message":"Unexpected field type"})");
}

TEST(ErrorBody, SearchVectorsSpellsItSmallAndMaySayNothing) {
  EXPECT_EQ(render(refuse(Fault::kStrictSerialization, {"invalid type"})).body,
            R"({"__type":"com.amazon.coral.service#SerializationException","message":"invalid type"})");
  EXPECT_EQ(render(refuse(Fault::kStrictSerialization)).body,
            R"({"__type":"com.amazon.coral.service#SerializationException"})");
}

TEST(ErrorBody, AFaultWithoutTextHasNoMessage) {
  EXPECT_EQ(render(refuse(Fault::kNoOperation)).body,
            R"({"__type":"com.amazon.coral.service#UnknownOperationException"})");
}

TEST(ErrorBody, SaysWhenToTryAgainWhatMaySucceed) {
  for (const Error& error : {Error(ErrorKind::kConflict, "others"), Error(ErrorKind::kUnavailable, "the store is away"),
                             refuse(Fault::kRateExceeded), refuse(Fault::kOverloaded),
                             model::refuse_aside(model::AsideFault::kBusy, "all are in use.")}) {
    EXPECT_GT(render(error).retry_after_ms, 0u) << error.sentence();
  }
  EXPECT_EQ(render(with_detail(Fault::kRateExceeded, std::make_shared<RetryAfter>(321))).retry_after_ms, 321u);
  EXPECT_EQ(render_query(Error(ErrorKind::kUnavailable, "away"), "s", "id").retry_after_ms, 1'000u);
  for (const Error& error : {refuse(Fault::kResourceNotFound), Error(ErrorKind::kCorrupt, "damaged"),
                             Error(ErrorKind::kTooLarge, "too much")}) {
    EXPECT_EQ(render(error).retry_after_ms, 0u) << error.sentence();
  }
}

// SDKs drop the member in the other spelling.
TEST(ErrorBody, SaysWhichThroughputWasExceeded) {
  using model::ThrottledDetail;
  using model::ThroughputLimit;
  const auto rendered = [](Fault fault, ThroughputLimit limit, bool index, bool write) {
    return render(with_detail(
        fault, std::make_shared<ThrottledDetail>(1'500, ThrottledDetail::Reason{limit, index, write, "arn:R"})));
  };
  const ErrorReply table = rendered(Fault::kThroughputExceeded, ThroughputLimit::kProvisioned, false, false);
  EXPECT_TRUE(table.body.ends_with(
      R"(,"ThrottlingReasons":[{"reason":"TableReadProvisionedThroughputExceeded","resource":"arn:R"}]})"))
      << table.body;
  EXPECT_EQ(table.retry_after_ms, 1'500u);
  const std::tuple<Fault, ThroughputLimit, std::string_view> kInThrottling[] = {
      {Fault::kIndexOnDemandExceeded, ThroughputLimit::kKeyRange, "IndexWriteKeyRangeThroughputExceeded"},
      {Fault::kMaxOnDemandExceeded, ThroughputLimit::kMaxOnDemand, "IndexWriteMaxOnDemandThroughputExceeded"},
      {Fault::kAccountThroughputExceeded, ThroughputLimit::kAccount, "IndexWriteAccountLimitExceeded"}};
  for (const auto& [fault, limit, name] : kInThrottling) {
    const ErrorReply reply = rendered(fault, limit, true, true);
    EXPECT_NE(reply.body.find("ThrottlingException"), std::string::npos);
    EXPECT_TRUE(reply.body.ends_with(",\"throttlingReasons\":[{\"reason\":\"" + std::string(name) +
                                     "\",\"resource\":\"arn:R\"}]}"))
        << reply.body;
  }
}

TEST(ErrorBody, OperatorsSentencesStayInside) {
  for (const ErrorKind kind : {ErrorKind::kUnknown, ErrorKind::kUnavailable, ErrorKind::kCorrupt}) {
    const ErrorReply reply = render(Error(kind, "secret path"));
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(reply.body,
              R"({"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"Internal server error"})");
  }
  const ErrorReply conflict = render(Error(ErrorKind::kConflict, "gave up"));
  EXPECT_EQ(conflict.status, 400);
  EXPECT_NE(conflict.body.find("ProvisionedThroughputExceededException"), std::string::npos);
  EXPECT_EQ(conflict.body.find("gave up"), std::string::npos);
}

TEST(ErrorBody, WhoLosesAgainstOthersIsToldSoInIamsWords) {
  const ErrorReply reply = render_query(Error(ErrorKind::kConflict, "gave up"), "", "");
  EXPECT_EQ(reply.status, 409);
  EXPECT_NE(reply.body.find("<Code>ConcurrentModification</Code><Message>The request was rejected because multiple "
                            "requests to change this object were submitted simultaneously."),
            std::string::npos)
      << reply.body;
}

TEST(ErrorBody, WhatTheStoreCanNotTakeIsTheCallersToChange) {
  const ErrorReply reply = render(Error(ErrorKind::kTooLarge, "secret limit"));
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.body.find("ValidationException"), std::string::npos);
  EXPECT_NE(reply.body.find("Item size has exceeded the maximum allowed size"), std::string::npos);
  EXPECT_EQ(reply.body.find("secret"), std::string::npos);
}

TEST(ErrorBody, AFailedConditionShowsTheItemWhenItWasAskedFor) {
  EXPECT_EQ(render(refuse(Fault::kConditionFailed)).body,
            R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
            R"("message":"The conditional request failed"})");
  const auto detail = std::make_shared<model::ConditionFailedDetail>(one_item());
  EXPECT_EQ(render(with_detail(Fault::kConditionFailed, detail)).body,
            R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
            R"("Message":"The conditional request failed","Item":{"pk":{"S":"a\"b"}}})");
}

TEST(ErrorBody, ACancelledTransactionNamesAReasonForEachAction) {
  std::vector<model::TransactionCancelledDetail::Reason> reasons(4);
  reasons[1].error = with_detail(Fault::kConditionFailed, std::make_shared<model::ConditionFailedDetail>(one_item()));
  reasons[2].error = refuse(Fault::kKeySchemaMismatch);
  reasons[3].error = Error(ErrorKind::kConflict, "gave up");
  const auto detail = std::make_shared<model::TransactionCancelledDetail>(std::move(reasons));
  EXPECT_EQ(
      render(with_detail(Fault::kTransactionCancelled, detail)).body,
      R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
      R"("Message":"Transaction cancelled, please refer cancellation reasons for specific reasons )"
      R"([None, ConditionalCheckFailed, ValidationError, TransactionConflict]",)"
      R"("CancellationReasons":[{"Code":"None"},)"
      R"({"Code":"ConditionalCheckFailed","Message":"The conditional request failed","Item":{"pk":{"S":"a\"b"}}},)"
      R"({"Code":"ValidationError","Message":"The provided key element does not match the schema"},)"
      R"({"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"}]})");
}

}  // namespace
}  // namespace partita::wire
