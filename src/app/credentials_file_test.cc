#include "app/credentials_file.h"

#include <gtest/gtest.h>

namespace partita::app {
namespace {

const ProfileKey kKey{"alice", "AKIDNEW", "new secret"};
constexpr std::string_view kLines = "aws_access_key_id = AKIDNEW\naws_secret_access_key = new secret\n";

TEST(CredentialsFile, HasANewProfileAtItsEnd) {
  std::string replaced;
  EXPECT_EQ(with_key("", kKey, replaced).value(), "[alice]\n" + std::string(kLines));
  const std::string other = "[bob]\naws_access_key_id = B\naws_secret_access_key = b";
  EXPECT_EQ(with_key(other, kKey, replaced).value(), other + "\n\n[alice]\n" + std::string(kLines));
  EXPECT_EQ(replaced, "");
}

TEST(CredentialsFile, HasTheKeyOfAProfileReplaced) {
  std::string replaced;
  const std::string text =
      "# mine\n[bob]\naws_access_key_id=B\n\n[ alice ]\nregion = eu-west-1\naws_access_key_id = AKIDOLD\n"
      "  aws_secret_access_key=a=b\naws_session_token = t\noutput=json\n[carol]\naws_access_key_id = C\n";
  EXPECT_EQ(with_key(text, kKey, replaced).value(),
            "# mine\n[bob]\naws_access_key_id=B\n\n[ alice ]\n" + std::string(kLines) +
                "region = eu-west-1\noutput=json\n[carol]\naws_access_key_id = C\n");
  EXPECT_EQ(replaced, "AKIDOLD");
  EXPECT_EQ(
      with_key(with_key(text, kKey, replaced).value(), {"alice", "AKIDNEXT", "n"}, replaced).value().find("AKIDNEW"),
      std::string::npos);
  EXPECT_EQ(replaced, "AKIDNEW");
}

TEST(CredentialsFile, IsLeftAloneWhereAProfileIsThereTwice) {
  std::string replaced;
  const auto refused = with_key("[alice]\na = b\n[bob]\n[alice]\n", kKey, replaced);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence(), "The profile [alice] is there twice; remove one.");
}

}  // namespace
}  // namespace partita::app
