#include "cloudwatch/protocol.h"

#include <gtest/gtest.h>

#include "model/fault.h"

namespace partita::cloudwatch {
namespace {

using wire::Document;

constexpr std::string_view kForm = "application/x-www-form-urlencoded; charset=utf-8";
const Raw kJsonCall{"GraniteServiceVersion20100801.ListMetrics", "/", "application/x-amz-json-1.0",
                    R"({"Namespace":"a"})"};
const Raw kCborCall{"", "/service/GraniteServiceVersion20100801/operation/ListMetrics", "application/cbor",
                    "\xbf\x69Namespace\x61"
                    "a\xff"};
const Raw kFormCall{"", "/", kForm, "Action=ListMetrics&Version=2010-08-01&Namespace=a"};

TEST(ProtocolTest, EachNamesTheOperationAndItsParameters) {
  for (const Raw& raw : {kJsonCall, kCborCall, kFormCall}) {
    const Protocol* const protocol = protocol_of(raw);
    ASSERT_NE(protocol, nullptr) << raw.body;
    EXPECT_EQ(protocol->operation(raw), "ListMetrics");
    const auto read = protocol->parameters(raw);
    ASSERT_TRUE(read.ok()) << raw.body;
    EXPECT_EQ(write_json(*read), R"({"Namespace":"a"})");
  }
}

TEST(ProtocolTest, LargeBodiesAreNotRead) {
  const std::string large(std::size_t{1} << 20 | 1, ' ');
  for (Raw raw : {kJsonCall, kCborCall, kFormCall}) {
    raw.body = large;
    if (raw.content_type == kForm) continue;  // has a limit of its own
    const auto read = protocol_of(raw)->parameters(raw);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(model::fault_of(read.error()), model::Fault::kMonitorCombination);
  }
}

TEST(ProtocolTest, OtherCallsAreOthers) {
  EXPECT_EQ(protocol_of({"DynamoDB_20120810.ListTables", "/", "application/x-amz-json-1.0", "{}"}), nullptr);
  EXPECT_EQ(protocol_of({"", "/", kForm, "Action=ListUsers&Version=2010-05-08"}), nullptr);
  EXPECT_EQ(protocol_of({"", "/", kForm, "Action=ListUsers&XVersion=2010-08-01"}), nullptr);
  EXPECT_EQ(protocol_of({"", "/", "text/plain", "Action=ListMetrics&Version=2010-08-01"}), nullptr);
  EXPECT_EQ(protocol_of({"", "/service/Other/operation/ListMetrics", "application/cbor", ""}), nullptr);
}

TEST(ProtocolTest, RepliesOfEach) {
  const Document reply = Document::Map{{"Label", "x"}};
  EXPECT_EQ(protocol_of(kJsonCall)->reply("GetMetricStatistics", reply, "id").body, R"({"Label":"x"})");
  const Answer cbor = protocol_of(kCborCall)->reply("GetMetricStatistics", reply, "id");
  EXPECT_EQ(cbor.body, "\xa1\x65Label\x61x");
  EXPECT_EQ(cbor.headers, "smithy-protocol: rpc-v2-cbor\r\n");
  EXPECT_EQ(protocol_of(kFormCall)->reply("GetMetricStatistics", reply, "id").body,
            "<GetMetricStatisticsResponse xmlns=\"http://monitoring.amazonaws.com/doc/2010-08-01/\">"
            "<GetMetricStatisticsResult><Label>x</Label></GetMetricStatisticsResult>"
            "<ResponseMetadata><RequestId>id</RequestId></ResponseMetadata></GetMetricStatisticsResponse>");
  EXPECT_EQ(protocol_of(kFormCall)->reply("DeleteAlarms", Document::Map{}, "id").body,
            "<DeleteAlarmsResponse xmlns=\"http://monitoring.amazonaws.com/doc/2010-08-01/\">"
            "<ResponseMetadata><RequestId>id</RequestId></ResponseMetadata></DeleteAlarmsResponse>");
}

// botocore fails without the result.
TEST(ProtocolTest, AnEmptyResultInXml) {
  EXPECT_EQ(
      protocol_of(kFormCall)->reply("TagResource", Document::Map{}, "id").body,
      "<TagResourceResponse xmlns=\"http://monitoring.amazonaws.com/doc/2010-08-01/\"><TagResourceResult></TagResourceResult>"
      "<ResponseMetadata><RequestId>id</RequestId></ResponseMetadata></TagResourceResponse>");
}

TEST(ProtocolTest, RefusalsOfEach) {
  const Error error = model::refuse(model::Fault::kMonitorMissing, {"Period"});
  const Answer json = protocol_of(kJsonCall)->refusal(error, "id");
  EXPECT_EQ(json.status, 400);
  EXPECT_EQ(json.headers, "x-amzn-query-error: MissingParameter;Sender\r\n");
  EXPECT_EQ(json.body,
            R"({"__type":"com.amazonaws.cloudwatch.v2010_08_01#MissingRequiredParameterException",)"
            R"("message":"The parameter Period is required.","Message":"The parameter Period is required."})");
  const Answer cbor = protocol_of(kCborCall)->refusal(error, "id");
  EXPECT_EQ(write_json(*wire::read_cbor(cbor.body)), json.body);
  EXPECT_EQ(cbor.headers, "smithy-protocol: rpc-v2-cbor\r\nx-amzn-query-error: MissingParameter;Sender\r\n");
  const Answer xml = protocol_of(kFormCall)->refusal(error, "id");
  EXPECT_EQ(xml.status, 400);
  EXPECT_TRUE(
      xml.body.contains("<Type>Sender</Type><Code>MissingParameter</Code><Message>The parameter Period is required."));
  const Error lost = model::refuse(model::Fault::kMonitorNoAlarm, {"a"});
  EXPECT_EQ(protocol_of(kFormCall)->refusal(lost, "id").status, 404);
  EXPECT_EQ(protocol_of(kJsonCall)->refusal(lost, "id").headers, "x-amzn-query-error: ResourceNotFound;Sender\r\n");
  const Error away(ErrorKind::kUnavailable, "the store is away.");
  EXPECT_EQ(protocol_of(kJsonCall)->refusal(away, "id").status, 500);
}

}  // namespace
}  // namespace partita::cloudwatch
