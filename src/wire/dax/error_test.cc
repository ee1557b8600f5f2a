#include "wire/dax/error.h"

#include <gtest/gtest.h>

#include "model/aside_fault.h"
#include "model/fault.h"
#include "model/fault_detail.h"
#include "model/item_codec.h"
#include "wire/dax/reply_testing.h"
#include "wire/fault_table.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using model::Fault;
using model::refuse;

std::string bytes_of(const Error& error, std::string_view request_id = "REQID") {
  CborWriter out;
  encode_error(out, error, request_id);
  return std::string(out.view());
}

struct ReadError {
  std::vector<int64_t> numbers;
  std::string message;
  std::string code;
  int64_t status = 0;
};

// Up to the reasons.
ReadError read_error(CborReader& in) {
  ReadError error;
  for (auto members = in.array(); in.next(members);) error.numbers.push_back(in.integer());
  error.message = in.text();
  EXPECT_GE(in.array().left, 3U);
  if (!in.take_null()) {
    EXPECT_EQ(in.text(), "REQID");
  }
  error.code = in.text();
  error.status = in.integer();
  return error;
}

ReadError read_whole(const Error& error) {
  const std::string bytes = bytes_of(error);
  CborReader in(bytes);
  const ReadError read = read_error(in);
  EXPECT_TRUE(in.finished());
  return read;
}

TEST(Errors, HaveTheBytesThatClientsRead) {
  EXPECT_EQ(to_hex(bytes_of(refuse(Fault::kConditionFailed))),
            "8504182518261827182b781e54686520636f6e646974696f6e616c207265717565737420"
            "6661696c656483655245514944781f436f6e646974696f6e616c436865636b4661696c65"
            "64457863657074696f6e190190");
}

TEST(Errors, MayHaveNoRequestId) {
  const std::string bytes = bytes_of(refuse(Fault::kConditionFailed), "");
  CborReader in(bytes);
  EXPECT_EQ(read_error(in).code, "ConditionalCheckFailedException");
  EXPECT_TRUE(in.finished());
}

// Each exception as any of its faults has it.
TEST(Errors, HaveTheNumbersOfTheirExceptions) {
  using Numbers = std::vector<int64_t>;
  const std::vector<std::pair<Exception, Numbers>> all = {
      {Exception::kProvisionedThroughputExceeded, {4, 37, 38, 39, 40}},
      {Exception::kResourceNotFound, {4, 37, 38, 39, 41}},
      {Exception::kAccessDenied, {4, 37, 38, 42}},
      {Exception::kConditionalCheckFailed, {4, 37, 38, 39, 43}},
      {Exception::kResourceInUse, {4, 37, 38, 39, 45}},
      {Exception::kValidation, {4, 37, 38, 39, 46}},
      {Exception::kItemCollectionSizeLimitExceeded, {4, 37, 38, 39, 48}},
      {Exception::kLimitExceeded, {4, 37, 38, 39, 49}},
      {Exception::kThrottling, {4, 37, 38, 39, 50}},
      {Exception::kTransactionConflict, {4, 37, 38, 39, 57}},
      {Exception::kTransactionCanceled, {4, 37, 38, 39, 58}},
      {Exception::kTransactionInProgress, {4, 37, 38, 39, 59}},
      {Exception::kIdempotentParameterMismatch, {4, 37, 38, 39, 60}},
      {Exception::kUnrecognizedClient, {4, 23, 31, 32}},
      {Exception::kInvalidSignature, {4, 23, 31, 32}},
      {Exception::kIncompleteSignature, {4, 23, 31, 32}},
      {Exception::kExpiredToken, {4, 23, 31, 32}},
      {Exception::kMissingAuthenticationToken, {4, 23, 31, 32}},
  };
  for (const auto& [exception, numbers] : all) {
    size_t faults = 0;
    for (size_t i = 0; i < static_cast<size_t>(Fault::kCount); ++i) {
      const auto fault = static_cast<Fault>(i);
      if (row_of(fault).exception != exception || fault == Fault::kDaxUnsupported) continue;
      ++faults;
      const ReadError error = read_whole(refuse(fault));
      EXPECT_EQ(error.numbers, numbers) << name_of(exception).name;
      EXPECT_EQ(error.code, name_of(exception).name);
      EXPECT_EQ(error.status, name_of(exception).status);
      if (row_of(fault).text.contains('{')) continue;
      EXPECT_EQ(error.message, row_of(fault).text);
    }
    EXPECT_GT(faults, 0U) << name_of(exception).name;
  }
}

// The errors of all other exceptions have a number that no client knows, so that the name decides.
TEST(Errors, OfAllFaultsHaveFiveNumbersOrOfARequest) {
  for (size_t i = 0; i < static_cast<size_t>(Fault::kCount); ++i) {
    const ReadError error = read_whole(refuse(static_cast<Fault>(i)));
    ASSERT_GE(error.numbers.size(), 4U);
    EXPECT_TRUE(error.numbers[0] == (error.status >= 500 ? 1 : 4)) << error.code;
    EXPECT_FALSE(error.code.empty());
  }
}

TEST(Errors, OfFeaturesThatDynamoDbDoesNotHave) {
  const ReadError error = read_whole(model::refuse_aside(model::AsideFault::kBusy, "Too much at once."));
  EXPECT_EQ(error.numbers, (std::vector<int64_t>{4, 37, 38, 39, 61}));
  EXPECT_EQ(error.code, "RequestLimitExceeded");
  EXPECT_EQ(error.message, "Too much at once.");
}

TEST(Errors, OfWhatIsNotServed) {
  const ReadError error = read_whole(refuse(Fault::kDaxUnsupported, {"ListTables"}));
  EXPECT_EQ(error.numbers, (std::vector<int64_t>{4, 37, 38, 44}));
  EXPECT_TRUE(error.message.contains("ListTables")) << error.message;
}

TEST(Errors, RevealNothingInternal) {
  const std::vector<std::pair<ErrorKind, std::vector<int64_t>>> kinds = {
      {ErrorKind::kUnknown, {1, 37, 38, 39, 47}},
      {ErrorKind::kUnavailable, {1, 37, 38, 39, 47}},
      {ErrorKind::kCorrupt, {3, 37, 38, 39, 47}},
  };
  for (const auto& [kind, numbers] : kinds) {
    const ReadError error = read_whole(Error(kind, "a secret of the store"));
    EXPECT_EQ(error.numbers, numbers);
    EXPECT_FALSE(error.message.contains("secret"));
    EXPECT_EQ(error.code, "InternalServerError");
    EXPECT_EQ(error.status, 500);
  }
}

TEST(Errors, OfAConflictAreRetried) {
  const ReadError error = read_whole(Error(ErrorKind::kConflict, "a secret"));
  EXPECT_EQ(error.numbers, (std::vector<int64_t>{4, 37, 38, 39, 40}));
  EXPECT_EQ(error.code, "ProvisionedThroughputExceededException");
  EXPECT_FALSE(error.message.contains("secret"));
}

TEST(Errors, OfALapsedAuthorisation) {
  CborWriter out;
  encode_authorisation_lapsed(out, "REQID");
  const std::string bytes(out.view());
  CborReader in(bytes);
  const ReadError error = read_error(in);
  EXPECT_TRUE(in.finished());
  EXPECT_EQ(error.numbers, (std::vector<int64_t>{4, 23, 31, 33}));
  EXPECT_EQ(error.code, "MissingAuthenticationTokenException");
}

Error error_with(Fault fault, std::shared_ptr<const ErrorDetail> detail) {
  return {ErrorKind::kInvalid, static_cast<uint16_t>(fault), {}, std::move(detail)};
}

struct Cancelled : ReplyTest {
  api::TransactWriteRequest request;
  std::vector<model::TransactionCancelledDetail::Reason> reasons;

  void add(std::string table, std::optional<Error> error) {
    request.parts.emplace_back();
    request.parts.back().table = std::move(table);
    reasons.push_back({std::move(error), 0});
  }
  Error error() const {
    return error_with(Fault::kTransactionCancelled, std::make_shared<model::TransactionCancelledDetail>(reasons));
  }
  std::string bytes() {
    return whole([&](CborWriter& out) {
      encode_error(out, error(), "REQID", request, encoding);
      return Result<void>();
    });
  }
};

Error failed_with(const model::Item& item) {
  return error_with(Fault::kConditionFailed, std::make_shared<model::ConditionFailedDetail>(model::encode_item(item)));
}

TEST(Errors, OfACancelledTransactionHaveItsReasons) {
  Cancelled cancelled;
  const model::Item first = item_of({{"pk", text_value("go")}, {"v", text_value("old")}});
  const model::Item second = item_of({{"a", number_value("1")}, {"pk", text_value("go")}, {"sk", number_value("2")}});
  cancelled.add("Tab1", std::nullopt);
  cancelled.add("Tab1", failed_with(first));
  cancelled.add("Tab2", failed_with(second));
  cancelled.add("Tab2", refuse(Fault::kConditionFailed));
  cancelled.add("Tab2", Error(ErrorKind::kConflict, "a secret"));
  cancelled.add("gone", failed_with(first));
  const std::string bytes = cancelled.bytes();
  EXPECT_EQ(cancelled.store.loads, 1U);
  ReplyReader in(bytes, cancelled.tables, cancelled.store);
  const ReadError error = read_error(in.in());
  EXPECT_EQ(error.numbers, (std::vector<int64_t>{4, 37, 38, 39, 58}));
  EXPECT_EQ(error.code, "TransactionCanceledException");
  EXPECT_TRUE(
      error.message.contains("[None, ConditionalCheckFailed, ConditionalCheckFailed, ConditionalCheckFailed, "
                             "TransactionConflict, ConditionalCheckFailed]"))
      << error.message;
  EXPECT_EQ(in.in().array().left, 18U);
  const auto expect_reason = [&in](std::string_view code, bool message, const std::optional<model::Item>& item) {
    EXPECT_EQ(in.in().text(), code);
    if (message) {
      EXPECT_FALSE(in.in().text().empty());
    } else {
      EXPECT_TRUE(in.in().take_null());
    }
    model::Item key;
    if (item) key.set("pk", text_value("go"));
    if (item && item->contains("sk")) key.set("sk", number_value("2"));
    EXPECT_EQ(in.values(key), item);
  };
  expect_reason("None", false, std::nullopt);
  expect_reason("ConditionalCheckFailed", true, first);
  expect_reason("ConditionalCheckFailed", true, second);
  expect_reason("ConditionalCheckFailed", true, std::nullopt);
  expect_reason("TransactionConflict", true, std::nullopt);
  expect_reason("ConditionalCheckFailed", true, std::nullopt);
  in.expect_end();
}

TEST(Errors, OfACancelledTransactionMayHaveNoRequest) {
  Cancelled cancelled;
  cancelled.add("Tab1", failed_with(item_of({{"pk", text_value("go")}})));
  CborWriter out;
  encode_error(out, cancelled.error(), "REQID");
  ReplyReader in(out.view(), cancelled.tables, cancelled.store);
  read_error(in.in());
  EXPECT_EQ(in.in().array().left, 3U);
  EXPECT_EQ(in.in().text(), "ConditionalCheckFailed");
  in.in().text();
  EXPECT_TRUE(in.in().take_null());
  in.expect_end();
}

TEST(Errors, WithADamagedItemAreThoseOfTheServer) {
  Cancelled cancelled;
  cancelled.add("Tab1", error_with(Fault::kConditionFailed, std::make_shared<model::ConditionFailedDetail>("damaged")));
  const std::string bytes = cancelled.bytes();
  CborReader in(bytes);
  const ReadError error = read_error(in);
  EXPECT_EQ(error.numbers, (std::vector<int64_t>{3, 37, 38, 39, 47}));
  EXPECT_TRUE(in.finished());
}

}  // namespace
}  // namespace partita::wire::dax
