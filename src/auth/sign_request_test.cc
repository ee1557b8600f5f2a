#include "auth/sign_request.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <variant>

#include "auth/authenticate.h"
#include "auth/credentials.h"
#include "auth/text_util.h"
#include "base/clock.h"

namespace partita::auth {
namespace {

// Of the examples in AWS's documentation of S3.
AccessKey example_key() { return {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""}; }
constexpr int64_t kExampleMs = 1'369'353'600'000;  // 2013-05-24

std::string header_of(const HeaderList& headers, std::string_view name) {
  for (const auto& [one, value] : headers) {
    if (one == name) return value;
  }
  return {};
}

TEST(SignRequest, SignsTheExamplesOfS3) {
  RequestToSign get{.method = "GET",
                    .target = "/test.txt",
                    .host = "examplebucket.s3.amazonaws.com",
                    .region = "us-east-1",
                    .service = "s3"};
  const HeaderList range = {{"Range", "bytes=0-9"}};
  get.headers = &range;
  const HeaderList added = sign_request(get, example_key(), kExampleMs);
  EXPECT_EQ(header_of(added, "X-Amz-Date"), "20130524T000000Z");
  EXPECT_EQ(header_of(added, "Authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");

  RequestToSign put = get;
  put.method = "PUT";
  put.target = "/test%24file.text";
  put.body = "Welcome to Amazon S3.";
  const HeaderList more = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
  put.headers = &more;
  EXPECT_TRUE(header_of(sign_request(put, example_key(), kExampleMs), "Authorization")
                  .ends_with("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

// What this signs, the server accepts.
TEST(SignRequest, SignsWhatIsVerified) {
  const auto keys = Credentials::parse("[default]\naws_access_key_id = K\naws_secret_access_key = a secret\n");
  ASSERT_TRUE(keys.ok());
  const ManualClock clock(kExampleMs);
  HeaderList headers = {{"Content-Type", "application/x-amz-json-1.0"},
                        {"X-Amz-Target", "DynamoDB_20120810.ListTables"}};
  RequestToSign request{.target = "/a%20b/?x=1&a=%2F",
                        .host = "localhost:8000",
                        .headers = &headers,
                        .body = "{}",
                        .region = "eu-west-3",
                        .service = "dynamodb"};
  const HeaderList added = sign_request(request, {"K", "a secret", ""}, kExampleMs);
  headers.insert(headers.end(), added.begin(), added.end());
  headers.emplace_back("Host", "localhost:8000");
  const Facts facts{"POST", request.target,
                    [&](std::string_view name, size_t place) -> std::optional<std::string_view> {
                      for (const auto& [one, value] : headers) {
                        if (std::ranges::equal(one, name, {}, lower) && place == 0) return value;
                      }
                      return std::nullopt;
                    },
                    request.body};
  Authenticator authenticator(&*keys, clock, "eu-west-3");
  EXPECT_TRUE(std::holds_alternative<std::shared_ptr<const Caller>>(verify(authenticator.claim(facts), facts)));
}

TEST(SignRequest, SendsTheTokenOfATemporaryKey) {
  AccessKey key = example_key();
  key.session_token = "a token";
  const HeaderList added = sign_request({.host = "h", .region = "r", .service = "kinesis"}, key, kExampleMs);
  EXPECT_EQ(header_of(added, "X-Amz-Security-Token"), "a token");
  EXPECT_TRUE(header_of(added, "Authorization").contains("SignedHeaders=host;x-amz-date;x-amz-security-token,"));
}

class SigningKeyFile : public testing::Test {
 protected:
  Result<AccessKey> read(const std::string& text, mode_t mode = 0600) {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), mode);
    auto key = read_signing_key(path_);
    std::filesystem::remove(path_);
    return key;
  }
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("partita-signing-key-" + std::to_string(::getpid()));
};

std::string profile(const std::string& name) {
  return "[" + name + "]\naws_access_key_id = of-" + name + "\naws_secret_access_key = secret\n";
}

TEST_F(SigningKeyFile, HasADefaultOrOneProfile) {
  EXPECT_EQ(read(profile("streams"))->id, "of-streams");
  EXPECT_EQ(read(profile("a") + profile("default"))->id, "of-default");
  for (const std::string& wrong : {std::string(), std::string("nonsense"), profile("a") + profile("b")}) {
    const auto refused = read(wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
    EXPECT_TRUE(refused.error().sentence().contains(path_.string())) << refused.error().sentence();
  }
  EXPECT_TRUE(read(profile("a"), 0640).error().sentence().contains("chmod 600"));
  EXPECT_FALSE(read_signing_key(path_).ok());
}

}  // namespace
}  // namespace partita::auth
