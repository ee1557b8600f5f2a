#include "wire/shape_check.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <utility>

#include "wire/error_body.h"
#include "wire/type_check.h"

namespace partita::wire {
namespace {

// The text of what check_shape finds; empty when it finds nothing.
std::string found(const Shape& shape, std::string_view text) {
  const auto document = JsonDocument::parse(text);
  PARTITA_CHECK(document.ok());
  const auto checked = check_shape(document->root(), shape);
  return checked.ok() ? "" : message_of(checked.error());
}

const std::string kKeyNull = "Value null at 'key' failed to satisfy constraint: Member must not be null";
const std::string kNameNull = "Value null at 'tableName' failed to satisfy constraint: Member must not be null";

TEST(Shape, PassesWhatIsRight) {
  EXPECT_EQ(found(shapes::kPutItem, R"({"TableName":"abc","Item":{"a":{"S":"b"}},"ReturnValues":"ALL_OLD"})"), "");
  EXPECT_EQ(found(shapes::kGetItem, R"({"TableName":"a","Key":{},"ConsistentRead":"true","Unknown":[1]})"), "");
  EXPECT_EQ(found(shapes::kListTables, "{}"), "");
  EXPECT_EQ(found(shapes::kQuery, R"({"TableName":"abc","Limit":1,"IndexName":"i-x","Select":"COUNT"})"), "");
  EXPECT_EQ(found(shapes::kScan, R"({"TableName":"abc","Segment":0,"TotalSegments":1000000})"), "");
  EXPECT_EQ(found(shapes::kCreateTable, R"({"TableName":"abc","KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],)"
                                        R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]})"),
            "");
}

TEST(Shape, AnArnMayStandForAName) {
  const std::string arn = "arn:aws:dynamodb:us-east-1:123456789012:table/abc";
  EXPECT_EQ(found(shapes::kGetItem, R"({"Key":{},"TableName":")" + arn + "\"}"), "");
  EXPECT_EQ(found(shapes::kDescribeTable, R"({"TableName":")" + arn + "\"}"), "");
  EXPECT_EQ(found(shapes::kBatchGetItem, R"({"RequestItems":{")" + arn + R"(":{"Keys":[{}]}}})"), "");
}

// DynamoDB itself cuts fractions off.
TEST(Shape, OtherServicesWantWholeNumbers) {
  const std::string decimal = "DECIMAL_VALUE cannot be converted to Integer";
  for (const std::string number : {"1.5", "1.0", "1e1"}) {
    const std::string cluster = R"({"ClusterName":"a","NewReplicationFactor":)" + number + "}";
    EXPECT_EQ(found(shapes::kIncreaseReplicationFactor, cluster), decimal);
    EXPECT_EQ(found(shapes::kDescribeEvents, "{\"Duration\":" + number + "}"), decimal);
    EXPECT_EQ(found(shapes::kDescribeEvents, "{\"StartTime\":" + number + "}"), "");
    EXPECT_EQ(found(shapes::kQuery, R"({"TableName":"abc","Limit":)" + number + "}"), "");
  }
}

TEST(Shape, CountsAndJoinsViolations) {
  EXPECT_EQ(found(shapes::kGetItem, "{}"), "2 validation errors detected: " + kNameNull + "; " + kKeyNull);
  EXPECT_EQ(found(shapes::kGetItem, R"({"TableName":"abc"})"), "1 validation error detected: " + kKeyNull);
  EXPECT_EQ(found(shapes::kGetItem, R"({"TableName":"abc","Key":null,"AttributesToGet":[]})"),
            "2 validation errors detected: Value '[]' at 'attributesToGet' failed to satisfy constraint: Member must "
            "have length greater than or equal to 1; " +
                kKeyNull);
}

TEST(Shape, ReportsNoMoreThanTenViolations) {
  std::string elements;
  for (int i = 0; i < 12; ++i) elements += R"({"KeyType":"x"},)";
  elements.pop_back();
  const std::string text = found(shapes::kCreateTable, R"({"TableName":"abc","KeySchema":[)" + elements + "]}");
  EXPECT_TRUE(text.starts_with("10 validation errors detected: ")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), ';'), 9);
}

TEST(Shape, PrintsEnumsInAwsOrder) {
  EXPECT_EQ(found(shapes::kPutItem, R"({"TableName":"abc","Item":{},"ReturnValues":"x","ReturnConsumedCapacity":"y",)"
                                    R"("ReturnItemCollectionMetrics":"z"})"),
            "3 validation errors detected: "
            "Value 'y' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: "
            "[INDEXES, TOTAL, NONE]; "
            "Failed to satisfy constraint: Member must satisfy enum value set: "
            "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]; "
            "Value 'z' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value "
            "set: [SIZE, NONE]");
}

TEST(Shape, NewerChecksReportSomeEnumsAloneAndDeepRequestsMeetTheOlderOnes) {
  const std::string returned =
      "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, "
      "ALL_NEW, UPDATE_NEW, NONE]";
  const std::string bad = R"("ReturnValues":"x","ReturnConsumedCapacity":"y")";
  EXPECT_EQ(found(shapes::kUpdateItem, R"({"TableName":"abc","Key":{},)" + bad + "}"),
            "1 validation error detected: " + returned);
  EXPECT_TRUE(found(shapes::kUpdateItem, R"({"TableName":"abc",)" + bad + "}").starts_with("3 validation errors"));
  std::string deep = R"({"S":"leaf"})";
  for (int i = 0; i < 63; ++i) deep = R"({"M":{"n":)" + deep + "}}";
  EXPECT_TRUE(found(shapes::kUpdateItem, R"({"TableName":"abc","Key":{"a":)" + deep + "}," + bad + "}")
                  .starts_with("2 validation errors"));
  const std::string joined = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]";
  EXPECT_EQ(found(shapes::kQuery, R"({"TableName":"abc","ConditionalOperator":"XOR","Select":"x"})"), joined);
  EXPECT_EQ(found(shapes::kPutItem, R"({"TableName":"abc","Item":{},"ConditionalOperator":"XOR"})"),
            "1 validation error detected: " + joined);
  EXPECT_TRUE(found(shapes::kScan, R"({"TableName":"abc","ConditionalOperator":"XOR","Select":"x"})")
                  .starts_with("2 validation errors"));
}

TEST(Shape, PathsGoThroughListsAndMaps) {
  EXPECT_EQ(found(shapes::kCreateTable,
                  R"({"TableName":"abc","KeySchema":[{"AttributeName":"p","KeyType":"HASH"},{"KeyType":"x"}],)"
                  R"("AttributeDefinitions":[],"GlobalSecondaryIndexes":[{"IndexName":"a","Projection":)"
                  R"({"NonKeyAttributes":["",""]},"KeySchema":[],"ProvisionedThroughput":{"ReadCapacityUnits":0}}]})"),
            "8 validation errors detected: "
            "Value null at 'keySchema.2.member.attributeName' failed to satisfy constraint: Member must not be null; "
            "Value 'x' at 'keySchema.2.member.keyType' failed to satisfy constraint: Member must satisfy enum value "
            "set: [HASH, RANGE]; "
            "Value 'a' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have "
            "length greater than or equal to 3; "
            "Value '[]' at 'globalSecondaryIndexes.1.member.keySchema' failed to satisfy constraint: Member must have "
            "length greater than or equal to 1; "
            "Value '' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes.1.member' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1; "
            "Value '' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes.2.member' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1; "
            "Value null at 'globalSecondaryIndexes.1.member.provisionedThroughput.writeCapacityUnits' failed to "
            "satisfy constraint: Member must not be null; "
            "Value '0' at 'globalSecondaryIndexes.1.member.provisionedThroughput.readCapacityUnits' failed to satisfy "
            "constraint: Member must have value greater than or equal to 1");
  EXPECT_EQ(found(shapes::kQuery, R"({"TableName":"abc","KeyConditions":{"a":{}}})"),
            "1 validation error detected: Value null at 'keyConditions.a.member.comparisonOperator' failed to satisfy "
            "constraint: Member must not be null");
  EXPECT_EQ(found(shapes::kTransactWriteItems, R"({"TransactItems":[{},{"Put":{"TableName":"","Item":{}}}]})"),
            "1 validation error detected: Value '' at 'transactItems.2.member.put.tableName' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1");
}

TEST(Shape, ABadTableNameIsReportedAlone) {
  const auto name_at_fault = [](const std::string& name, const std::string& constraint) {
    return "1 validation error detected: Value '" + name +
           "' at 'tableName' failed to satisfy constraint: " + constraint;
  };
  const std::string pattern = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";
  EXPECT_EQ(found(shapes::kPutItem, R"({"TableName":"","Item":{},"ReturnValues":"x"})"),
            "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must have length "
            "greater than or equal to 1");
  EXPECT_EQ(found(shapes::kScan, R"({"TableName":""})"),
            name_at_fault("", "Member must have length greater than or equal to 1"));
  EXPECT_EQ(found(shapes::kPutItem, R"({"TableName":"a b","Item":{}})"), name_at_fault("a b", pattern));
  const std::string long_name(256, 'a');
  EXPECT_EQ(found(shapes::kScan, R"({"TableName":")" + long_name + "\"}"),
            name_at_fault(long_name, "Member must have length less than or equal to 255"));
  EXPECT_EQ(found(shapes::kCreateTable, R"({"TableName":"ab","KeySchema":[]})"),
            name_at_fault("ab", "Member must have length greater than or equal to 3"));
  EXPECT_EQ(found(shapes::kDeleteTable, R"({"TableName":"abc;"})"), name_at_fault("abc;", pattern));
  EXPECT_EQ(found(shapes::kDescribeTable, R"({"TableName":"ab"})"),
            name_at_fault("ab", "Member must have length greater than or equal to 3"));
  EXPECT_EQ(found(shapes::kUpdateTable, R"({"TableName":")" + long_name + "\"}"),
            name_at_fault(long_name, "Member must have length less than or equal to 255"));
  const std::string of_empty = "Value '' at 'tableName' failed to satisfy constraint: ";
  EXPECT_EQ(found(shapes::kDescribeTable, R"({"TableName":""})"),
            "2 validation errors detected: " + of_empty + "Member must have length greater than or equal to 3; " +
                of_empty + pattern);
}

TEST(Shape, ABadTableNameIsJoinedWhenAMemberIsMissing) {
  EXPECT_EQ(found(shapes::kUpdateItem, R"({"TableName":"","ReturnValues":"x","ReturnConsumedCapacity":"y"})"),
            "4 validation errors detected: "
            "Value 'y' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: "
            "[INDEXES, TOTAL, NONE]; "
            "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1; "
            "Value 'x' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: "
            "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; " +
                kKeyNull);
}

TEST(Shape, AMissingTableNameHasWordsOfItsOwn) {
  const std::string missing = "The parameter 'TableName' is required but was not present in the request";
  EXPECT_EQ(found(shapes::kCreateTable, "{}"), missing);
  EXPECT_EQ(found(shapes::kDescribeTable, R"({"TableName":null})"), missing);
  EXPECT_EQ(found(shapes::kPutItem, R"({"Item":{}})"), "1 validation error detected: " + kNameNull);
}

TEST(Shape, LimitsOfQueryAndScanAreWordedDifferently) {
  EXPECT_EQ(found(shapes::kQuery, R"({"TableName":"abc","Limit":0})"),
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value "
            "greater than or equal to 1");
  EXPECT_EQ(found(shapes::kQuery, R"({"Limit":0})"), "1 validation error detected: " + kNameNull);
  EXPECT_EQ(found(shapes::kScan, R"({"TableName":"abc","Limit":0})"),
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value "
            "greater than or equal to 1");
  EXPECT_EQ(found(shapes::kListTables, R"({"Limit":101})"),
            "1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have value "
            "less than or equal to 100");
}

std::string repeated(std::string_view element, size_t count) {
  std::string list;
  for (size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + std::string(element);
  return "[" + list + "]";
}

TEST(Shape, BatchesAreCounted) {
  EXPECT_EQ(found(shapes::kBatchGetItem, "{}"),
            "1 validation error detected: Value null at 'requestItems' failed to satisfy constraint: Member must not "
            "be null");
  EXPECT_EQ(
      found(shapes::kBatchGetItem, R"({"RequestItems":{}})"),
      "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: Member must have length "
      "greater than or equal to 1");
  EXPECT_EQ(found(shapes::kBatchGetItem, R"({"RequestItems":{"abc":{}}})"),
            "1 validation error detected: Value null at 'requestItems.abc.member.keys' failed to satisfy constraint: "
            "Member must not be null");
  EXPECT_EQ(found(shapes::kBatchWriteItem, R"({"RequestItems":{}})"),
            "The requestItems parameter is required for BatchWriteItem");
  const std::string keys = repeated(R"({"p":{"S":"a"}})", 101);
  EXPECT_EQ(found(shapes::kBatchGetItem, R"({"RequestItems":{"abc":{"Keys":)" + keys + "}}}"),
            "1 validation error detected: Value at 'RequestItems.abc.member.Keys' failed to satisfy constraint: Member "
            "must have length less than or equal to 100");
  const std::string put = R"({"PutRequest":{"Item":{"p":{"S":"a"}}}})";
  const std::string printed = "WriteRequest(putRequest=PutRequest(item={p=AttributeValue(s=a)}))";
  std::string all = printed;
  for (int i = 1; i < 26; ++i) all += ", " + printed;
  EXPECT_EQ(found(shapes::kBatchWriteItem, R"({"RequestItems":{"abc":)" + repeated(put, 26) + "}}"),
            "1 validation error detected: Value '{abc=[" + all +
                "]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must "
                "have length less than or equal to 25, Member must have length greater than or equal to 1]");
  EXPECT_EQ(found(shapes::kBatchWriteItem, R"({"RequestItems":{"abc":)" + repeated(put, 25) + "}}"), "");
}

TEST(Shape, TableNamesInBatches) {
  const std::string keys =
      " at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length "
      "less than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular "
      "expression pattern: [a-zA-Z0-9_.-]+]";
  const std::string capacity =
      "Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: "
      "[INDEXES, TOTAL, NONE]";
  const std::string reads = R"("RequestItems":{"a b":{"Keys":[{"p":{"S":"é\""}}],"ConsistentRead":true}})";
  const std::string shown = R"('{"a b":{"Keys":[{"p":{"S":")"
                            "é"
                            R"(\""}}],"ConsistentRead":true}}')";
  EXPECT_EQ(found(shapes::kBatchGetItem, "{" + reads + "}"), "1 validation error detected: Value " + shown + keys);
  EXPECT_EQ(found(shapes::kBatchGetItem, R"({"ReturnConsumedCapacity":"x",)" + reads + "}"),
            "2 validation errors detected: Value " + shown + keys + "; " + capacity);
  const std::string writes = R"("RequestItems":{"a b":[{}]})";
  EXPECT_EQ(found(shapes::kBatchWriteItem, "{" + writes + "}"),
            "1 validation error detected: Value '{a b=[WriteRequest()]}'" + keys);
  EXPECT_EQ(found(shapes::kBatchWriteItem, R"({"ReturnConsumedCapacity":"x",)" + writes + "}"),
            "1 validation error detected: " + capacity);
}

TEST(Shape, LongValuesAreCutWhenPrinted) {
  const std::string big = R"({"Put":{"TableName":"abc","Item":{"p":{"S":")" + std::string(100'000, 'x') + R"("}}}})";
  const std::string text = found(shapes::kTransactWriteItems, R"({"TransactItems":)" + repeated(big, 101) + "}");
  EXPECT_LT(text.size(), 50'000u);
  EXPECT_TRUE(
      text.ends_with("]' at 'transactItems' failed to satisfy constraint: Member must have length less than or "
                     "equal to 100"));
  EXPECT_EQ(found(shapes::kTransactGetItems, R"({"TransactItems":[]})"),
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have "
            "length greater than or equal to 1");
}

TEST(Shape, WrongKindsComeBeforeConstraintsAndInTheOrderOfTheText) {
  EXPECT_EQ(found(shapes::kPutItem, R"({"ReturnValues":5,"TableName":[]})"),
            "NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(found(shapes::kPutItem, R"({"TableName":{},"ReturnValues":5})"),
            "Start of structure or map found where not expected");
  EXPECT_EQ(found(shapes::kPutItem, R"({"Item":"x"})"), "Unexpected field type");
  EXPECT_EQ(found(shapes::kPutItem, R"({"Item":{"a":"x"}})"), "Unexpected value type in payload");
  EXPECT_EQ(found(shapes::kPutItem, R"({"Item":{"a":{"SS":[5]}}})"), "NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(found(shapes::kPutItem, R"({"Expected":[]})"),
            "Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.ExpectedAttributeValue>");
  EXPECT_EQ(found(shapes::kPutItem, R"({"ExpressionAttributeNames":[]})"),
            "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>");
  EXPECT_EQ(found(shapes::kPutItem, R"({"Expected":{"a":{"Exists":5}}})"),
            "NUMBER_VALUE cannot be converted to Boolean");
  EXPECT_EQ(found(shapes::kQuery, R"({"Limit":"1"})"), "STRING_VALUE cannot be converted to Integer");
  EXPECT_EQ(found(shapes::kCreateTable, R"({"ProvisionedThroughput":{"ReadCapacityUnits":true}})"),
            "TRUE_VALUE cannot be converted to Long");
  EXPECT_EQ(found(shapes::kCreateTable, R"({"ProvisionedThroughput":[]})"),
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.ProvisionedThroughput");
  EXPECT_EQ(found(shapes::kCreateTable, R"({"KeySchema":{}})"), "Start of structure or map found where not expected");
  EXPECT_EQ(found(shapes::kCreateTable, R"({"KeySchema":["x"]})"), "Unexpected value type in payload");
  EXPECT_EQ(found(shapes::kBatchWriteItem, R"({"RequestItems":[]})"),
            "Unrecognized collection type java.util.Map<java.lang.String, "
            "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>>");
  EXPECT_TRUE(found(shapes::kBatchWriteItem, R"({"RequestItems":{"a":5}})").starts_with("class sun.reflect."));
  EXPECT_TRUE(found(shapes::kBatchGetItem, R"({"RequestItems":{"a":{"Keys":[5]}}})").starts_with("class sun.reflect."));
  EXPECT_EQ(found(shapes::kListTables, "[]"),
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.ListTablesInput");
  EXPECT_EQ(found(shapes::kListTables, "5"), "Unexpected value type in payload");
  EXPECT_EQ(found(shapes::kListTables, "null"), "");
}

// A name that is wrong is shown with the whole map, and all of them may be wrong.
TEST(Shape, ManyBadNamesAreSaidOnce) {
  for (const auto& [shape, value] : {std::pair(&shapes::kBatchGetItem, R"({"Keys":[{}]})"),
                                     std::pair(&shapes::kBatchWriteItem, R"([{"PutRequest":{"Item":{}}}])")}) {
    std::string body = R"({"RequestItems":{)";
    for (int i = 0; i < 20'000; ++i) body += (i > 0 ? ",\"!" : "\"!") + std::to_string(i) + "\":" + value;
    const clock_t start = clock();
    EXPECT_NE(found(*shape, body + "}}").find("detected: "), std::string::npos);
    EXPECT_LT(clock() - start, CLOCKS_PER_SEC / 2);
  }
}

TEST(Shape, TruthReadsBooleansAndTheirWords) {
  const auto document = JsonDocument::parse(R"({"a":true,"b":"no","c":null})");
  EXPECT_TRUE(truth(document->root().get("a")));
  EXPECT_FALSE(truth(document->root().get("b"), true));
  EXPECT_TRUE(truth(document->root().get("c"), true));
  EXPECT_FALSE(truth(document->root().get("c")));
}

TEST(Shape, LengthsCountCharactersAsJavaDoes) {
  const std::string token = R"({"TransactItems":[{}],"ClientRequestToken":")";
  std::string wide;
  for (int i = 0; i < 36; ++i) wide += "\xc3\xa9";
  EXPECT_EQ(found(shapes::kTransactWriteItems, token + wide + "\"}"), "");
  std::string astral;
  for (int i = 0; i < 19; ++i) astral += "\xf0\x9f\x98\x80";
  EXPECT_NE(found(shapes::kTransactWriteItems, token + astral + "\"}"), "");
}

}  // namespace
}  // namespace partita::wire
