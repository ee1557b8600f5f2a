#include "engines/postgres/conn_info.h"

#include <gtest/gtest.h>

#include <cstring>

namespace partita::postgres {
namespace {

std::string word(const ConnInfo& conn_info, const char* name) {
  const auto names = conn_info.names();
  const auto values = conn_info.values();
  for (size_t i = 0; names[i] != nullptr; ++i) {
    if (std::strcmp(names[i], name) == 0) return values[i];
  }
  return "";
}

TEST(ConnInfo, AddsOnlyWhatIsNotSaid) {
  const auto conn_info = ConnInfo::parse("postgresql://u:secret@h/d?tcp_user_timeout=1");
  ASSERT_TRUE(conn_info.ok());
  EXPECT_EQ(word(*conn_info, "tcp_user_timeout"), "1");
  EXPECT_EQ(word(*conn_info, "target_session_attrs"), "read-write");
}

TEST(ConnInfo, IsRefusedWithoutItsSecrets) {
  const auto refused = ConnInfo::parse("postgresql://u:secret@[h/d");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(refused.error().sentence().find("secret"), std::string_view::npos);
  EXPECT_NE(refused.error().sentence().find("IPv6"), std::string_view::npos);
}

TEST(ConnInfo, IsRefusedWithoutPartsOfATornPassword) {
  for (const char* url :
       {"postgresql://u:secret/s@h/d", "postgresql://u:s/secret?secret@h/d", "postgresql://u:%secret@h",
        "postgresql://u:s@secret@h/d", "postgresql://u:s@1:secret@h/d", "postgresql://u:s@[::1]secret/d",
        "postgresql:dbname=d password=s secret", "postgresql://h/d?password=s=secret", "postgresql://h/d?secret"}) {
    const auto refused = ConnInfo::parse(url);
    ASSERT_FALSE(refused.ok()) << url;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
    EXPECT_EQ(refused.error().sentence().find("secret"), std::string_view::npos) << refused.error().sentence();
  }
  EXPECT_EQ(
      ConnInfo::parse("postgresql://u:s/x@h/d").error().sentence(),
      "The store's address has a port that is none. In a password, write %2F for /, %3A for :, %3F for ?, %40 for "
      "@, and %25 for %.");
  EXPECT_NE(ConnInfo::parse("postgresql://h/d?sslmod=x").error().sentence().find("sslmod"), std::string_view::npos);
  EXPECT_TRUE(ConnInfo::parse("postgresql://u:s%2Fecret@a:1,b,[::1]:3/d?user=me@realm").ok());
  EXPECT_TRUE(ConnInfo::parse("postgresql:///d?host=@one,@two").ok());
}

TEST(ConnInfo, WaitsForAHostAsLongAsItIsTold) {
  EXPECT_EQ(ConnInfo::parse("postgresql://h/d")->connect_timeout_ms(), 5'000);
  EXPECT_EQ(ConnInfo::parse("postgresql://h/d?connect_timeout=9")->connect_timeout_ms(), 9'000);
  EXPECT_EQ(ConnInfo::parse("postgresql://h/d?connect_timeout=1")->connect_timeout_ms(), 2'000);
  EXPECT_EQ(ConnInfo::parse("postgresql://h/d?connect_timeout=0")->connect_timeout_ms(), 5'000);
}

TEST(ConnInfo, BeginsWithEachHostInTurn) {
  const auto conn_info = ConnInfo::parse("postgresql://a:1,b:2,c:3/d");
  ASSERT_TRUE(conn_info.ok());
  EXPECT_EQ(word(conn_info->rotated(0), "host"), "a,b,c");
  EXPECT_EQ(word(conn_info->rotated(1), "host"), "b,c,a");
  EXPECT_EQ(word(conn_info->rotated(5), "host"), "c,a,b");
  EXPECT_EQ(word(conn_info->rotated(5), "port"), "3,1,2");
  EXPECT_EQ(word(conn_info->rotated(5), "dbname"), "d");
}

}  // namespace
}  // namespace partita::postgres
