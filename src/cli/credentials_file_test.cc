#include "cli/credentials_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace partita::cli {
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

// As the AWS CLI reads them: else it would find a profile or a setting twice, and refuse the whole file.
TEST(CredentialsFile, IsReadAsTheAwsCliReadsIt) {
  std::string replaced;
  const std::string text =
      "[alice]\nAWS_Access_Key_Id: AKIDOLD\naws_secret_access_key:a=b\n[bob] # at work\naws_access_key_id = B\n";
  EXPECT_EQ(with_key(text, kKey, replaced).value(),
            "[alice]\n" + std::string(kLines) + "[bob] # at work\naws_access_key_id = B\n");
  EXPECT_EQ(replaced, "AKIDOLD");
  EXPECT_EQ(with_key(text, {"bob", "N", "n"}, replaced).value(),
            "[alice]\nAWS_Access_Key_Id: AKIDOLD\naws_secret_access_key:a=b\n[bob] # at work\n"
            "aws_access_key_id = N\naws_secret_access_key = n\n");
  EXPECT_EQ(replaced, "B");
}

TEST(CredentialsFile, LosesNoKeyOfSeveralThatArePutAtOnce) {
  constexpr int kPrograms = 8;
  constexpr int kRounds = 20;
  const std::string path = testing::TempDir() + "credentials_put_at_once";
  for (int round = 0; round < kRounds; ++round) {
    std::remove(path.c_str());
    {
      std::vector<std::jthread> programs;
      for (int i = 0; i < kPrograms; ++i) {
        programs.emplace_back([&path, i] {
          std::string replaced;
          EXPECT_TRUE(put_in_credentials_file(path, {"user" + std::to_string(i), "A", "s"}, replaced).ok());
        });
      }
    }
    const std::string text = read_credentials_file(path).value();
    for (int i = 0; i < kPrograms; ++i) {
      ASSERT_NE(text.find("[user" + std::to_string(i) + "]"), std::string::npos) << text;
    }
  }
  std::remove(path.c_str());
}

TEST(CredentialsFile, IsLeftAloneWhereAProfileIsThereTwice) {
  std::string replaced;
  const auto refused = with_key("[alice]\na = b\n[bob]\n[alice]\n", kKey, replaced);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence(), "The profile [alice] is there twice; remove one.");
}

}  // namespace
}  // namespace partita::cli
