#include "cli/help.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "cli/parser.h"
#include "cli/verbs.h"

namespace partita::cli {
namespace {

Result<CommandLine> read_line(std::vector<const char*> words) { return read_command_line(words); }

std::vector<std::string> topics() {
  std::vector<std::string> all{"", "user", "group", "role", "policy", "snapshot", "namespace"};
  for (const VerbRow& row : all_verbs()) all.emplace_back(row.name);
  return all;
}

TEST(Help, EveryVerbIsInTheOverviewAndHasItsOwn) {
  for (const VerbRow& row : all_verbs()) {
    EXPECT_NE(help_text("").find("\n  " + std::string(row.name) + "  "), std::string::npos) << row.name;
    EXPECT_TRUE(help_text(row.name).starts_with("Usage: partita " + std::string(row.name))) << row.name;
    for (const Flag& flag : row.flags) {
      EXPECT_NE(help_text(row.name).find("\n  " + std::string(flag.name)), std::string::npos) << flag.name;
    }
  }
}

TEST(Help, EveryVerbAndOptionOfServeHasAGroup) {
  EXPECT_EQ(help_text("").find("Other verbs:"), std::string::npos) << help_text("");
  const std::string serve = help_text("serve");
  EXPECT_NE(serve.find("\nOther options:\n  --help "), std::string::npos) << serve;
}

TEST(Help, FitsIn80Columns) {
  for (const std::string& topic : topics()) {
    std::istringstream lines(help_text(topic));
    for (std::string line; std::getline(lines, line);) {
      const bool one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
      EXPECT_TRUE(line.size() <= 80 || one_word) << topic << ": " << line;
      EXPECT_FALSE(line.ends_with(' ')) << topic << ": " << line;
    }
  }
}

// What is shown as an example has to be understood.
TEST(Help, ExamplesAreUnderstood) {
  size_t examples = 0;
  for (const VerbRow& row : all_verbs()) {
    const std::string text = help_text(row.name);
    const size_t at = text.find("\nExample");
    if (at == std::string::npos) continue;
    std::istringstream lines(text.substr(text.find(":\n", at) + 2));
    for (std::string line; std::getline(lines, line);) {
      for (size_t end = line.find(" && "); !line.empty(); end = line.find(" && ")) {
        std::istringstream words(line.substr(0, end));
        line.erase(0, end == std::string::npos ? end : end + 4);
        std::vector<std::string> all;
        for (std::string word; words >> word;) all.push_back(word);
        ASSERT_EQ(all.front(), "partita");
        std::vector<const char*> behind;
        for (size_t i = 1; i < all.size(); ++i) behind.push_back(all[i].c_str());
        const auto understood = read_line(behind);
        EXPECT_TRUE(understood.ok()) << line << ": " << (understood.ok() ? "" : understood.error().sentence());
        ++examples;
      }
    }
  }
  EXPECT_GE(examples, 10u);
}

TEST(Help, NamesStoresWhereTheyAreTaken) {
  EXPECT_NE(help_text("serve").find("rocksdb:DIR"), std::string::npos);
  EXPECT_NE(help_text("serve").find("memory:"), std::string::npos);
  for (const char* verb : {"backup", "verify", "copy"}) {
    EXPECT_EQ(help_text(verb).find("memory:"), std::string::npos) << verb;
    EXPECT_NE(help_text(verb).find("rocksdb:DIR"), std::string::npos) << verb;
  }
  for (const char* url : {"postgresql:", "fdb:"}) {
    EXPECT_NE(help_text("copy").find(url), std::string::npos) << url;
    EXPECT_EQ(help_text("backup").find(url), std::string::npos) << url << " has tools of its own for backups";
  }
}

TEST(Help, IsAskedForInEveryWay) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"help", "user"}, {"user", "--help"}}) {
    const auto line = read_line(words);
    ASSERT_TRUE(line.ok()) << line.error().sentence();
    EXPECT_EQ(line->verb->name, "help");
    EXPECT_EQ(line->topic, "user");
  }
  for (const auto& words : std::vector<std::vector<const char*>>{{"backup", "--help"}, {"backup", "-h"}}) {
    const auto line = read_line(words);
    ASSERT_TRUE(line.ok());
    EXPECT_EQ(line->verb->name, "help");
    EXPECT_EQ(line->topic, "backup");
  }
  EXPECT_EQ(read_line({"--help"})->verb->name, "help");
  EXPECT_EQ(read_line({"help", "serve"})->topic, "serve");
}

TEST(Help, ListsTheVerbsBehindAFirstWord) {
  EXPECT_NE(help_text("backup").find("  backup prune "), std::string::npos);
  const std::string help = help_text("user");
  EXPECT_NE(help.find("  user key create "), std::string::npos);
  EXPECT_EQ(help.find("  group create "), std::string::npos);
}

}  // namespace
}  // namespace partita::cli
