#include "auth/credentials.h"

#include <gtest/gtest.h>

namespace partita::auth {
namespace {

TEST(Credentials, ReadsWhatTheCliKeeps) {
  const auto read = Credentials::parse(
      "# mine\r\n"
      "[default]\r\n"
      "aws_access_key_id = AKID1\r\n"
      "aws_secret_access_key=se=cret/+ \r\n"
      "region = eu-west-3\r\n"
      "\r\n"
      "; temporary\n"
      "[ profile two ]\n"
      "aws_access_key_id=ASIA2\n"
      "aws_secret_access_key=other\n"
      "aws_session_token=token==");
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_EQ(read->size(), 2u);
  ASSERT_NE(read->find("AKID1"), nullptr);
  EXPECT_EQ(read->find("AKID1")->secret, "se=cret/+");
  EXPECT_EQ(read->find("AKID1")->session_token, "");
  ASSERT_NE(read->find("ASIA2"), nullptr);
  EXPECT_EQ(read->find("ASIA2")->session_token, "token==");
  EXPECT_EQ(read->find("default"), nullptr);
}

TEST(Credentials, SaysWhichLineIsWrong) {
  const std::string one = "[a]\naws_access_key_id=K\naws_secret_access_key=S\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "The credentials hold no profile."},
      {"# nothing\n", "The credentials hold no profile."},
      {"aws_access_key_id=K\n", "Line 1 of the credentials stands before the first [profile]."},
      {"[a]\nhello\n", "Line 2 of the credentials is neither [a profile] nor NAME = VALUE."},
      {"[]\n", "Line 1 of the credentials begins a profile without a name in brackets."},
      {"[a\n", "Line 1 of the credentials begins a profile without a name in brackets."},
      {"[a]\nrole_arn=x\n", "Line 2 of the credentials sets role_arn, which a server cannot use."},
      {"[a]\naws_access_key_id=\n", "Line 2 of the credentials gives aws_access_key_id no value."},
      {one + "aws_access_key_id=L\n", "Line 4 of the credentials sets aws_access_key_id again."},
      {"[a]\naws_access_key_id=K\n", "Line 1 of the credentials begins [a], which has no aws_secret_access_key."},
      {"\n[a]\n[b]\n", "Line 2 of the credentials begins [a], which has no aws_access_key_id."},
      {"[a]\naws_access_key_id=K/L\naws_secret_access_key=S\n",
       "Line 1 of the credentials begins [a], whose aws_access_key_id has a slash in it."},
      {one + "[b]\naws_access_key_id=K\naws_secret_access_key=T\n",
       "Line 4 of the credentials begins [b], whose aws_access_key_id another profile has."},
  };
  for (const auto& [text, sentence] : cases) {
    const auto read = Credentials::parse(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().sentence(), sentence) << text;
  }
}

}  // namespace
}  // namespace partita::auth
