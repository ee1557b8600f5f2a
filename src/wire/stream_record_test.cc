#include "wire/stream_record.h"

#include <gtest/gtest.h>

#include "model/item_codec.h"

namespace partita::wire {
namespace {

TEST(StreamRecordWriter, WritesAsGetRecordsAndAsLambdaDo) {
  model::AttributeMap item;
  item.set("p", model::AttributeValue::string("k"));
  const std::string stored = model::encode_item(item);
  const std::string plain = R"("eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"r","dynamodb":{)"
                            R"("ApproximateCreationDateTime":1700000000.0,"Keys":{"p":{"S":"k"}},)";
  const std::string end = R"("SequenceNumber":"0042","SizeBytes":4,"StreamViewType":"NEW_AND_OLD_IMAGES"})";
  StreamRecord record{
      .event = "INSERT", .at_ms = 1'700'000'000'999, .sequence_number = "0042", .keys = stored, .new_image = stored};
  const auto written = [](const StreamRecord& one, std::string_view arn) {
    JsonWriter json;
    StreamRecordWriter writer(json, "shard", "r", "NEW_AND_OLD_IMAGES");
    if (!arn.empty()) writer.write_for_lambda(arn);
    EXPECT_TRUE(writer.write(one).ok());
    std::string text = std::move(json).take();
    EXPECT_TRUE(text.starts_with(R"({"eventID":")")) << text;
    return text.substr(text.find(R"("eventName")"));
  };
  EXPECT_EQ(written(record, ""), R"("eventName":"INSERT",)" + plain + R"("NewImage":{"p":{"S":"k"}},)" + end + "}");
  record.event = "REMOVE";
  record.by_service = true;
  std::swap(record.new_image, record.old_image);
  const std::string removed = R"("eventName":"REMOVE",)" + plain + R"("OldImage":{"p":{"S":"k"}},)" + end;
  EXPECT_EQ(written(record, ""),
            removed + R"(,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}})");
  EXPECT_EQ(written(record, "arn:x"),
            removed + R"(,"userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"},)"
                      R"("eventSourceARN":"arn:x"})");
}

}  // namespace
}  // namespace partita::wire
