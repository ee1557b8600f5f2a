#include "wire/document.h"

#include <gtest/gtest.h>

#include "model/fault.h"

namespace partita::wire {
namespace {

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string json_of(const Result<Document>& document) {
  return document.ok() ? write_json(*document) : "fault " + std::to_string(document.error().reason());
}

bool is_malformed(const Result<Document>& document) {
  return !document.ok() && model::fault_of(document.error()) == model::Fault::kMalformedDocument;
}

// As Go's SDK sends it: a map of indefinite length.
constexpr std::string_view kPutMetricAlarm =
    "bf69416c61726d4e616d65616172436f6d70617269736f6e4f70657261746f7274477265617465725468616e5468726573686f6c6471"
    "4576616c756174696f6e506572696f647302695468726573686f6c64fb4045400000000000ff";

TEST(DocumentCborTest, ReadsARequestOfGo) {
  EXPECT_EQ(json_of(read_cbor(bytes_of(kPutMetricAlarm))),
            R"({"AlarmName":"a","ComparisonOperator":"GreaterThanThreshold","EvaluationPeriods":2,"Threshold":42.5})");
}

TEST(DocumentCborTest, ReadsTimesOfEachKind) {
  // {"a": 1(1764000000), "b": 1(1764000000.5), "c": [_ -1, 1.5 as a half, null], "d": (_ "x", "y")}
  const auto read =
      read_cbor(bytes_of("a46161c11a69248100"
                         "6162c1fb41da492040200000"
                         "61639f20f93e00f6ff"
                         "61647f61786179ff"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->find("a")->as<Document::Time>()->ms, 1'764'000'000'000);
  EXPECT_EQ(read->find("b")->as<Document::Time>()->ms, 1'764'000'000'500);
  EXPECT_EQ(write_json(*read->find("c")), "[-1,1.5,null]");
  EXPECT_EQ(*read->find("d")->as<std::string>(), "xy");
}

TEST(DocumentCborTest, WritesWhatItReads) {
  Document document = Document::Map{};
  document.set("Texts", Document::List{"", std::string(300, 'x'), std::string(70'000, 'y')});
  document.set("Numbers", Document::List{int64_t{0}, int64_t{23}, int64_t{24}, int64_t{-25}, int64_t{1} << 40, 0.25});
  document.set("Time", Document::Time{1'764'000'000'250});
  document.set("Null", Document());
  document.set("Flag", true);
  const auto read = read_cbor(write_cbor(document));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(write_json(*read), write_json(document));
  EXPECT_EQ(read->find("Time")->as<Document::Time>()->ms, 1'764'000'000'250);
}

TEST(DocumentCborTest, RefusesWhatIsNoRequest) {
  for (const std::string_view hex :
       {"a0a0", "80", "a1", "a10101", "a16161", "a1616142ffff", "bf", "a16161c161ff", "ff", "a161611c",
        "a16161c1fb7ff0000000000000", "a161611bffffffffffffffff", "a1616162ff00"}) {
    EXPECT_TRUE(is_malformed(read_cbor(bytes_of(hex)))) << hex;
  }
  EXPECT_TRUE(is_malformed(read_cbor("\xa1\x61\x61" + std::string(100, '\x81') + std::string(1, '\0'))));
}

TEST(DocumentCborTest, RefusesTooManyValues) {
  const auto read = [](size_t values) { return read_cbor("\xa1\x61\x61\x9f" + std::string(values, '\1') + "\xff"); };
  EXPECT_TRUE(read(kMaxDocumentValues - 3).ok()) << "the map, the name and the list are values";
  EXPECT_TRUE(is_malformed(read(kMaxDocumentValues - 2)));
}

TEST(DocumentCborTest, EveryCutOfARequestIsRefused) {
  const std::string whole = bytes_of(kPutMetricAlarm);
  for (size_t size = 1; size < whole.size(); ++size)
    EXPECT_TRUE(is_malformed(read_cbor(whole.substr(0, size)))) << size;
}

TEST(DocumentJsonTest, ReadsAndWrites) {
  EXPECT_EQ(json_of(read_json("")), "{}");
  EXPECT_EQ(json_of(read_json(R"({"a":[1,2.5,true,null,{"b":"x"}]})")), R"({"a":[1,2.5,true,null,{"b":"x"}]})");
  EXPECT_TRUE(is_malformed(read_json("[]")));
  EXPECT_TRUE(is_malformed(read_json(R"({"a":)" + std::string(100, '[') + std::string(100, ']') + "}")));
  std::string many = "[1";
  for (size_t i = 1; i < kMaxDocumentValues; ++i) many += ",1";
  EXPECT_TRUE(is_malformed(read_json(R"({"a":)" + many + "]}")));
  Document document = Document::Map{};
  document.set("At", Document::Time{1'764'000'000'000});
  document.set("Later", Document::Time{1'764'000'000'250});
  EXPECT_EQ(write_json(document), R"({"At":1764000000,"Later":1764000000.25})");
}

TEST(DocumentFormTest, ReadsListsAndMaps) {
  const auto form = Form::parse(
      "Action=PutMetricAlarm&Version=2010-08-01&AlarmName=a&Dimensions.member.10.Name=z&Dimensions.member.2.Name=b&"
      "Dimensions.member.2.Value=c%20d&OKActions.member.1=x");
  ASSERT_TRUE(form.ok());
  EXPECT_EQ(json_of(read_form(*form)),
            R"({"AlarmName":"a","Dimensions":[{"Name":"b","Value":"c d"},{"Name":"z"}],"OKActions":["x"]})");
  const auto odd = Form::parse("Dimensions.member.x.Name=z");
  EXPECT_TRUE(is_malformed(read_form(*odd)));
  std::string deep = "a";
  for (int i = 0; i < 100; ++i) deep += ".a";
  EXPECT_TRUE(is_malformed(read_form(*Form::parse(deep + "=1"))));
}

TEST(DocumentXmlTest, WritesListsAsMembers) {
  Document document = Document::Map{};
  document.set("Datapoints", Document::List{Document::Map{{"Sum", 1.5}, {"Timestamp", Document::Time{0}}}});
  document.set("Label", "a<b");
  document.set("None", Document::List{});
  XmlWriter xml;
  xml.begin("Result");
  write_xml(xml, document);
  xml.end();
  EXPECT_EQ(
      std::move(xml).take(),
      "<Result><Datapoints><member><Sum>1.5</Sum><Timestamp>1970-01-01T00:00:00Z</Timestamp></member></Datapoints>"
      "<Label>a&lt;b</Label><None></None></Result>");
}

}  // namespace
}  // namespace partita::wire
