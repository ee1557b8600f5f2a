#include "engines/foundationdb/install.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "engines/foundationdb/foundationdb_engine.h"

namespace partita::foundationdb {
namespace {

Error refusal_of(const std::string& place) {
  FoundationdbOptions options;
  options.place = place;
  const auto opened = open_foundationdb_engine(options);
  EXPECT_FALSE(opened.ok());
  return opened.ok() ? Error(ErrorKind::kUnknown, "") : opened.error();
}

TEST(StoreLocation, IsAClusterFileAndAPrefix) {
  const auto plain = StoreLocation::parse("/etc/foundationdb/fdb.cluster");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->cluster_file, "/etc/foundationdb/fdb.cluster");
  EXPECT_EQ(plain->prefix, "partita");
  const auto named = StoreLocation::parse("fdb.cluster?prefix=Shop-2_b.c");
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->cluster_file, "fdb.cluster");
  EXPECT_EQ(named->prefix, "Shop-2_b.c");
  for (const char* const word :
       {"?", "?prefix", "?prefix=", "?prefix=a/b", "?prefix=\xc3\xa4", "?other=1", "?prefix=a&b=c"}) {
    EXPECT_EQ(refusal_of(std::string("fdb.cluster") + word).kind(), ErrorKind::kInvalid) << word;
  }
  EXPECT_FALSE(StoreLocation::parse("f?prefix=" + std::string(RowKeys::kMaxPrefixBytes, 'x')).ok());
}

TEST(Opening, SaysThatThereIsNoClusterFile) {
  const Error refusal = refusal_of("/nowhere/fdb.cluster");
  EXPECT_EQ(refusal.kind(), ErrorKind::kInvalid);
  EXPECT_EQ(refusal.sentence(),
            "FoundationDB's cluster file '/nowhere/fdb.cluster' cannot be read: No such file or directory.");
}

// Where the client library is missing that is told, else that the file is none.
TEST(Opening, SaysWhatElseIsWrong) {
  const std::string file = testing::TempDir() + "/none.cluster";
  std::ofstream(file) << "no cluster file\n";
  const Error refusal = refusal_of(file);
  const std::string sentence(refusal.sentence());
  if (refusal.kind() == ErrorKind::kUnavailable) {
    EXPECT_TRUE(sentence.starts_with("A store in FoundationDB needs its client library")) << sentence;
  } else {
    EXPECT_EQ(refusal.kind(), ErrorKind::kInvalid);
    EXPECT_TRUE(sentence.starts_with("FoundationDB's cluster file ")) << sentence;
    EXPECT_NE(sentence.find("cannot be used: "), std::string::npos) << sentence;
  }
  std::remove(file.c_str());
}

}  // namespace
}  // namespace partita::foundationdb
