#include "wire/form_reader.h"

#include <gtest/gtest.h>

#include "model/fault.h"
#include "wire/xml_writer.h"

namespace partita::wire {
namespace {

using model::Fault;

TEST(FormReader, TakesApartWhatSdksSend) {
  const Form form =
      Form::parse("Action=CreateUser&Version=2010-05-08&UserName=a%2Bb+c&Empty=&Bare&&Tag=%C3%A9").value();
  EXPECT_EQ(form.find("Action"), "CreateUser");
  EXPECT_EQ(form.find("UserName"), "a+b c");
  EXPECT_EQ(form.find("Empty"), "");
  EXPECT_EQ(form.find("Bare"), "");
  EXPECT_EQ(form.find("Tag"), "\xc3\xa9");
  EXPECT_EQ(form.find("Other"), std::nullopt);
  EXPECT_EQ(form.parameters().size(), 6U);
  EXPECT_TRUE(Form::parse("").value().parameters().empty());
}

TEST(FormReader, RefusesWhatCanBeReadInTwoWays) {
  for (const std::string_view body : {"a=%", "a=%4", "a=%zz", "%gg=1", "a=1&a=2", "a=%ff"}) {
    const auto form = Form::parse(body);
    ASSERT_FALSE(form.ok()) << body;
    EXPECT_EQ(model::fault_of(form.error()), Fault::kMalformedForm);
  }
}

TEST(FormReader, IsBounded) {
  std::string many;
  for (size_t i = 0; i <= kMaxFormParameters; ++i) many += "p" + std::to_string(i) + "=&";
  for (const std::string& body : {many, std::string(kMaxFormBytes + 1, 'a')}) {
    const auto form = Form::parse(body);
    ASSERT_FALSE(form.ok());
    EXPECT_EQ(model::fault_of(form.error()), Fault::kFormTooLarge);
  }
}

TEST(XmlWriter, EscapesWhatXmlWouldTakeForItsOwn) {
  XmlWriter xml;
  xml.begin("A", "urn:x");
  xml.text("B", "<&>\"'\r\n\x01z");
  xml.end();
  EXPECT_EQ(std::move(xml).take(), "<A xmlns=\"urn:x\"><B>&lt;&amp;&gt;&quot;'&#xD;\n\xef\xbf\xbdz</B></A>");
}

}  // namespace
}  // namespace partita::wire
