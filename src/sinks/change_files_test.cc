#include "sinks/change_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <utility>

#include "base/whole_file.h"
#include "sinks/change_json.h"
#include "sinks/changes_testing.h"
#include "sinks/zstd_text.h"

namespace partita::sinks {

Result<std::unique_ptr<ChangeDestination>> make_file_destination(const ChangeSettings& settings, std::stop_token hurry);

namespace {

constexpr std::string_view kFirst = "changes-2-00000000000000010000000000000000";

// Files in memory, which outlive a server.
using Kept = std::map<std::string, std::string, std::less<>>;

class FakeStore final : public FileStore {
 public:
  FakeStore(Kept& files, int& left) : files_(files), left_(left) {}
  Result<void> prepare() override { return {}; }
  Result<bool> create(std::string_view name, std::string_view bytes) override {
    if (left_-- <= 0) return Error(ErrorKind::kUnavailable, "The disk is full.");
    return files_.emplace(name, bytes).second;
  }
  Result<std::optional<std::string>> read(std::string_view name) override {
    const auto found = files_.find(name);
    return found == files_.end() ? std::optional<std::string>() : std::optional(found->second);
  }
  std::string target() const override { return "memory"; }

 private:
  Kept& files_;
  int& left_;
};

class ChangeFilesTest : public testing::Test {
 protected:
  ChangeFilesTest() { restart(); }
  void restart() {
    files_ = std::make_unique<ChangeFiles>(changes_settings("file:///x"), options_,
                                           std::make_unique<FakeStore>(kept_, calls_left_), clock_);
    EXPECT_TRUE(files_->prepare().ok());
  }
  ChangesSent sent(std::span<const Change> changes) {
    auto sent = files_->send(2, changes, state_);
    EXPECT_TRUE(sent.ok()) << sent.error().sentence();
    return sent.ok() ? *std::move(sent) : ChangesSent();
  }
  // Sends until something is done.
  ChangesSent sent_after_window(std::span<const Change> changes) {
    for (int i = 0; i < 1'000; ++i) {
      const ChangesSent result = sent(changes);
      if (result.done > 0 || result.wait_ms == 0) return result;
      clock_.advance_ms(result.wait_ms);
    }
    ADD_FAILURE() << "nothing was written";
    return {};
  }
  // What is sent, until that fails.
  ChangesSent first_failure(std::span<const Change> changes) {
    auto sent = files_->send(2, changes, state_);
    EXPECT_EQ(sent.ok() ? sent->done : 0U, 0U);
    return sent.ok() ? *std::move(sent) : ChangesSent();
  }
  std::string text_of(std::string_view name) {
    const auto found = kept_.find(name);
    if (found == kept_.end()) return "none";
    return options_.compressed ? zstd_text(found->second, size_t{1} << 30).value_or("damaged") : found->second;
  }
  std::string lines_of(std::span<const Change> changes, std::span<const std::string> positions) {
    std::string lines;
    for (size_t i = 0; i < changes.size(); ++i) {
      const std::string json = change_json(changes_settings(""), 2, changes[i]).value();
      lines += R"({"slice":2,"position":")" + positions[i] + "\"," + json.substr(1) + "\n";
    }
    return lines;
  }
  size_t count_files() const {
    return static_cast<size_t>(
        std::ranges::count_if(kept_, [](const auto& each) { return each.first.starts_with("changes-"); }));
  }

  ChangeFilesOptions options_;
  Kept kept_;
  int calls_left_ = 1'000'000;
  ManualClock clock_{1'000};
  std::string state_;
  std::unique_ptr<ChangeFiles> files_;
};

TEST_F(ChangeFilesTest, WritesAFileWhenItsTimeIsOver) {
  SomeChanges changes;
  changes.put("a", "1");
  changes.remove("b", "2");
  const int64_t began = clock_.now_ms();
  EXPECT_EQ(sent_after_window(changes.all()).done, 2U);
  EXPECT_EQ(clock_.now_ms() - began, 60'000);
  const std::vector<std::string> positions{"00000000000000010000000000000000", "00000000000000020000000000000000"};
  EXPECT_EQ(text_of(std::string(kFirst) + ".jsonl.zst"), lines_of(changes.all(), positions));
  const std::string manifest = kept_["manifest/" + std::string(kFirst) + ".json"];
  EXPECT_TRUE(manifest.starts_with(R"({"file":")" + std::string(kFirst) + R"(.jsonl.zst","slice":2,"first":")" +
                                   positions[0] + R"(","last":")" + positions[1] +
                                   R"(","changes":2,"firstTime":1700000000000,"lastTime":1700000000001,)"))
      << manifest;
  EXPECT_TRUE(manifest.ends_with("}\n"));
  EXPECT_TRUE(state_.empty());
}

TEST_F(ChangeFilesTest, ReadsChangesAboutTwiceWhileItWaits) {
  SomeChanges changes;
  changes.put("a", "1");
  size_t calls = 0;
  for (int64_t waited = 0; waited < 60'000; ++calls) {
    const ChangesSent result = sent(changes.all());
    ASSERT_GT(result.wait_ms, 0);
    ASSERT_LE(result.wait_ms, 60'000 - waited);
    waited += result.wait_ms;
    clock_.advance_ms(result.wait_ms);
  }
  EXPECT_LE(calls, 20U);
  EXPECT_EQ(sent(changes.all()).done, 1U);
}

TEST_F(ChangeFilesTest, WritesAFullFileAtOnce) {
  SomeChanges changes;
  for (int i = 0; i < 60; ++i) changes.put("a" + std::to_string(i), std::string(100'000, 'x'));
  EXPECT_EQ(sent(changes.from(40)).done, 0U) << "less than half";
  EXPECT_EQ(sent(changes.all()).done, 60U);
  EXPECT_EQ(count_files(), 1U);
}

TEST_F(ChangeFilesTest, CutsATextThatIsLarge) {
  options_.most_text = 20'000;
  for (const bool compressed : {true, false}) {
    options_.compressed = compressed;
    kept_.clear();
    restart();
    SomeChanges changes;
    for (int i = 0; i < 50; ++i) changes.put("a" + std::to_string(i), std::string(100, '\x01'));  // six bytes in JSON
    std::vector<size_t> done;
    for (size_t from = 0; from < changes.size(); from += done.back()) {
      done.push_back(sent_after_window(changes.from(from)).done);
      ASSERT_GT(done.back(), 0U);
    }
    EXPECT_EQ(done, (std::vector<size_t>{20, 20, 10}));
    restart();
    EXPECT_EQ(sent(changes.all()).done, 20U) << "found again";
    EXPECT_EQ(count_files(), 3U);
    for (const auto& [name, bytes] : kept_) {
      if (name.starts_with("changes-")) {
        EXPECT_LE(text_of(name).size(), 20'000U) << name;
      }
    }
  }
  options_.most_text = 10;
  kept_.clear();
  restart();
  SomeChanges one;
  one.put("a", "1");
  EXPECT_EQ(sent_after_window(one.all()).done, 1U) << "a file has at least one";
}

TEST_F(ChangeFilesTest, FindsItsFileAgainAfterACrash) {
  SomeChanges changes;
  for (int i = 0; i < 5; ++i) changes.put("k" + std::to_string(i), "v");
  for (int left : {0, 1}) {  // before the file, before its description
    restart();
    calls_left_ = left;
    ChangesSent result;
    while ((result = first_failure(changes.all())).wait_ms > 0) clock_.advance_ms(result.wait_ms);
    calls_left_ = 1'000'000;
  }
  changes.put("k5", "v");  // meanwhile
  calls_left_ = 1'000'000;
  restart();
  EXPECT_EQ(sent(changes.all()).done, 5U) << "what the file has, at once";
  EXPECT_TRUE(kept_.contains("manifest/" + std::string(kFirst) + ".json"));
  EXPECT_EQ(count_files(), 1U);
  EXPECT_EQ(sent_after_window(changes.from(5)).done, 1U);
  EXPECT_EQ(count_files(), 2U);
  restart();
  EXPECT_EQ(sent(changes.all()).done, 5U) << "the answer was lost";
  EXPECT_EQ(sent(changes.from(5)).done, 1U);
  EXPECT_EQ(count_files(), 2U);
}

// A store that was away for a while is no sign that the rest is not to come.
TEST_F(ChangeFilesTest, WaitsForTheRestOfItsFile) {
  SomeChanges changes;
  for (int i = 0; i < 30; ++i) changes.put("k" + std::to_string(i), "v");
  EXPECT_EQ(sent_after_window(changes.all()).done, 30U);
  restart();
  for (size_t given = 1; given < changes.size(); ++given) {
    const ChangesSent looked = sent(changes.all().first(given));
    EXPECT_EQ(looked.done, 0U);
    EXPECT_TRUE(looked.wants_more);
    clock_.advance_ms(50'000);
  }
  EXPECT_EQ(sent(changes.all()).done, 30U);
  EXPECT_EQ(count_files(), 1U);
  restart();
  SomeChanges fewer;  // of a store that was restored: the rest never comes
  for (int i = 0; i < 4; ++i) fewer.put("k" + std::to_string(i), "v");
  EXPECT_EQ(sent_after_window(fewer.all()).done, 4U);
  EXPECT_EQ(count_files(), 2U);
}

TEST_F(ChangeFilesTest, KeepsFilesOfAStoreThatWasRestored) {
  SomeChanges before;
  before.put("a", "1");
  before.put("b", "removed");
  EXPECT_EQ(sent_after_window(before.all()).done, 2U);
  const std::string kept = text_of(std::string(kFirst) + ".jsonl.zst");
  SomeChanges after;  // at the same positions
  after.put("a", "1");
  after.put("b", "another");
  restart();
  EXPECT_EQ(sent_after_window(after.all()).done, 2U);
  EXPECT_EQ(text_of(std::string(kFirst) + ".jsonl.zst"), kept);
  EXPECT_TRUE(text_of(std::string(kFirst) + ".1.jsonl.zst").contains("another"));
  EXPECT_TRUE(kept_.contains("manifest/" + std::string(kFirst) + ".1.json"));
  EXPECT_EQ(count_files(), 2U);
}

TEST_F(ChangeFilesTest, KeepsADamagedFileAside) {
  SomeChanges changes;
  changes.put("a", "1");
  for (const char* damage : {"", "nonsense", "\x28\xb5\x2f\xfd"}) {
    kept_ = {{std::string(kFirst) + ".jsonl.zst", damage}};
    restart();
    EXPECT_EQ(sent_after_window(changes.all()).done, 1U);
    EXPECT_EQ(kept_[std::string(kFirst) + ".jsonl.zst"], damage);
    EXPECT_TRUE(text_of(std::string(kFirst) + ".1.jsonl.zst").contains("INSERT"));
  }
}

TEST_F(ChangeFilesTest, RejectsWhatIsDamaged) {
  SomeChanges changes;
  changes.put("a", "1");
  changes.damage();
  changes.put("b", "2");
  const ChangesSent result = sent_after_window(changes.all());
  EXPECT_EQ(result.done, 3U);
  ASSERT_EQ(result.rejections.size(), 1U);
  EXPECT_EQ(result.rejections[0].index, 1U);
  EXPECT_FALSE(result.rejections[0].reason.empty());
  SomeChanges only;
  only.damage();
  kept_.clear();
  EXPECT_EQ(sent_after_window(only.all()).done, 1U);
  EXPECT_EQ(count_files(), 0U);
}

TEST_F(ChangeFilesTest, WritesPlainText) {
  options_.compressed = false;
  restart();
  SomeChanges changes;
  changes.put("a", "1");
  EXPECT_EQ(sent_after_window(changes.all()).done, 1U);
  EXPECT_TRUE(kept_[std::string(kFirst) + ".jsonl"].ends_with("\"eventSource\":\"aws:dynamodb\"}\n"));
  restart();
  EXPECT_EQ(sent(changes.all()).done, 1U);
}

TEST_F(ChangeFilesTest, KeepsOutOfThePlaceOfAnotherSink) {
  ChangeSettings other = changes_settings("file:///x");
  other.id = "z9";
  ChangeFiles files(other, options_, std::make_unique<FakeStore>(kept_, calls_left_), clock_);
  const auto refused = files.prepare();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(refused.error().sentence().contains("another sink")) << refused.error().sentence();
}

TEST(ChangeFilesOptions, AreHonouredOrRefused) {
  std::map<std::string, std::string, std::less<>> options{
      {"max-mib", "64"}, {"max-seconds", "5"}, {"compression", "none"}, {"region", "x"}};
  const auto taken = ChangeFilesOptions::take(options);
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(taken->most_bytes, size_t{64} << 20);
  EXPECT_EQ(taken->most_ms, 5'000);
  EXPECT_FALSE(taken->compressed);
  EXPECT_EQ(options.size(), 1U);
  const std::pair<const char*, const char*> kBad[] = {{"max-mib", "3"},
                                                      {"max-mib", "65"},
                                                      {"max-mib", "8x"},
                                                      {"max-mib", ""},
                                                      {"max-mib", "99999999999999999999"},
                                                      {"max-seconds", "0"},
                                                      {"max-seconds", "3601"},
                                                      {"compression", "gzip"},
                                                      {"compression", ""}};
  for (const auto& [name, value] : kBad) {
    std::map<std::string, std::string, std::less<>> bad{{name, value}};
    const auto refused = ChangeFilesOptions::take(bad);
    ASSERT_FALSE(refused.ok()) << name << value;
    EXPECT_TRUE(refused.error().sentence().contains(name)) << refused.error().sentence();
  }
}

TEST(FileDestination, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(make_file_destination(changes_settings("file:///x", {{"max-mib", "4"}}), {}).ok());
  const auto refused = make_file_destination(changes_settings("file:///x", {{"acks", "1"}}), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(refused.error().sentence().contains("no option acks")) << refused.error().sentence();
  ChangeSettings with_file = changes_settings("file:///x");
  with_file.credentials_file = "/x";
  EXPECT_FALSE(make_file_destination(with_file, {}).ok());
  EXPECT_FALSE(make_file_destination(changes_settings("file://x"), {}).ok());
}

TEST(ZstdText, ReadsWhatItWrote) {
  ZstdWriter writer;
  std::string text;
  for (int i = 0; i < 200'000; ++i) {
    const std::string part = std::to_string(i * 7919) + "\n";
    writer.add(part);
    text += part;
  }
  const std::string bytes = writer.finish();
  EXPECT_LT(bytes.size(), text.size() / 2);
  EXPECT_EQ(zstd_text(bytes, text.size()), text);
  EXPECT_EQ(zstd_text(bytes, text.size() / 2), std::nullopt);
  EXPECT_EQ(zstd_text(bytes.substr(0, bytes.size() - 1), text.size()), std::nullopt);
  EXPECT_EQ(zstd_text(bytes + "x", text.size()), std::nullopt);
  std::string altered = bytes;
  altered[bytes.size() / 2] = static_cast<char>(altered[bytes.size() / 2] ^ 1);
  EXPECT_EQ(zstd_text(altered, text.size()), std::nullopt);
  EXPECT_EQ(zstd_text("", 1), std::nullopt);
}

// --- directories
// ------------------------------------------------------------------------------------------------------

namespace fs = std::filesystem;

class DirectoryStoreTest : public testing::Test {
 protected:
  DirectoryStoreTest() { fs::create_directory(directory_); }
  ~DirectoryStoreTest() override { fs::remove_all(directory_); }
  std::unique_ptr<FileStore> store() {
    auto made = make_directory_store("file://" + directory_.string());
    EXPECT_TRUE(made.ok());
    return *std::move(made);
  }
  size_t count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }
  const fs::path directory_ = fs::path(testing::TempDir()) / ("partita-directory-store-" + std::to_string(::getpid()));
};

TEST_F(DirectoryStoreTest, CreatesFilesOnce) {
  const auto files = store();
  ASSERT_TRUE(files->prepare().ok());
  EXPECT_EQ(files->create("one", "first").value(), true);
  EXPECT_EQ(files->create("one", "second").value(), false);
  EXPECT_EQ(files->create("manifest/two", "x").value(), true);
  EXPECT_EQ(files->read("one").value(), "first");
  EXPECT_EQ(files->read("manifest/two").value(), "x");
  EXPECT_EQ(files->read("three").value(), std::nullopt);
  EXPECT_EQ(count(), 2U) << "nothing unfinished is left";
  struct stat found{};
  ASSERT_EQ(::stat((directory_ / "one").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07, 0U) << "others cannot read it";
}

TEST_F(DirectoryStoreTest, RemovesWhatAKilledServerLeft) {
  std::ofstream(directory_ / ".unfinished-old") << "x";
  std::ofstream(directory_ / ".unfinished-new") << "x";
  fs::last_write_time(directory_ / ".unfinished-old", fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(store()->prepare().ok());
  EXPECT_FALSE(fs::exists(directory_ / ".unfinished-old"));
  EXPECT_TRUE(fs::exists(directory_ / ".unfinished-new"));
}

TEST_F(DirectoryStoreTest, SaysWhatIsWrong) {
  const auto files = store();
  fs::remove_all(directory_);
  for (const auto& trouble : {files->prepare().error(), files->create("one", "x").error()}) {
    EXPECT_EQ(trouble.kind(), ErrorKind::kUnavailable);
    EXPECT_TRUE(trouble.sentence().ends_with(directory_.string() + ": No such file or directory."))
        << trouble.sentence();
  }
  std::ofstream(directory_) << "a file";
  EXPECT_TRUE(files->prepare().error().sentence().ends_with("Not a directory."));
  EXPECT_FALSE(files->read("one").ok());
}

TEST_F(DirectoryStoreTest, ReadsNoPipesAndNothingEndless) {
  ASSERT_EQ(::mkfifo((directory_ / "sink.json").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", directory_ / "changes-0");
  std::ofstream(directory_ / "large.json") << std::string(65'537, ' ');
  for (const char* name : {"sink.json", "changes-0", "large.json"}) EXPECT_FALSE(store()->read(name).ok()) << name;
}

TEST(DirectoryStore, TakesOnlyWholePaths) {
  for (const char* url : {"file://", "file:///", "file://relative", "file:///..", "file:///a\nb"}) {
    const auto refused = make_directory_store(url);
    ASSERT_FALSE(refused.ok()) << url;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  }
  EXPECT_EQ(make_directory_store("file:///a/b/../c").value()->target(), "/a/c");
}

}  // namespace
}  // namespace partita::sinks
