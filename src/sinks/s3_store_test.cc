#include "sinks/s3_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "auth/sha256.h"
#include "auth/text_util.h"
#include "base/mutex.h"
#include "base/random.h"
#include "net/responder_testing.h"
#include "sinks/change_files.h"
#include "sinks/changes_testing.h"
#include "sinks/zstd_text.h"

namespace partita::sinks {

Result<std::unique_ptr<ChangeDestination>> make_s3_destination(const ChangeSettings& settings, std::stop_token hurry);

namespace {

using net::json_reply;

std::string s3_fault(int status, const std::string& code, const std::string& more = "") {
  return json_reply(status, "<?xml version=\"1.0\"?>\n<Error><Code>" + code + "</Code><Message>The reason</Message>" +
                                more + "</Error>");
}

// A bucket that does as it is told.
class FakeS3 {
 public:
  std::string url() const { return "s3+http://127.0.0.1:" + responder_.url().port + "/music"; }
  std::string answer(std::string_view request) {
    const MutexLock lock(mutex_);
    const std::string_view body = request.substr(request.find("\r\n\r\n") + 4);
    head_ = request.substr(0, request.size() - body.size());
    if (!refusal_.empty()) return refusal_;
    const size_t begin = head_.find(' ') + 1;
    const std::string path = head_.substr(begin, head_.find(' ', begin) - begin);
    const auto found = objects_.find(path);
    if (head_.starts_with("GET ")) {
      if (found == objects_.end()) return lists_ ? s3_fault(404, "NoSuchKey") : s3_fault(403, "AccessDenied");
      return json_reply(200, found->second);
    }
    if (found != objects_.end() && honours_ && head_.contains("\r\nIf-None-Match: *\r\n")) {
      return s3_fault(412, "PreconditionFailed");
    }
    objects_[path] = body;
    const std::string lost = std::exchange(lost_reply_, "");
    return lost.empty() ? json_reply(200, "") : lost + net::Responder::kEnd;
  }
  void refuse(std::string reply) {
    set([&] { refusal_ = std::move(reply); });
  }
  void replace_objects() {
    set([&] { honours_ = false; });
  }
  void hide_absence() {
    set([&] { lists_ = false; });
  }
  // Ends the connection after the beginning of the next reply to PutObject.
  void lose_next_reply(std::string beginning) {
    set([&] { lost_reply_ = std::move(beginning); });
  }
  std::map<std::string, std::string> objects() {
    const MutexLock lock(mutex_);
    return objects_;
  }
  std::string head() {
    const MutexLock lock(mutex_);
    return head_;
  }

 private:
  void set(const std::function<void()>& change) {
    const MutexLock lock(mutex_);
    change();
  }

  Mutex mutex_;
  std::map<std::string, std::string> objects_ PARTITA_GUARDED_BY(mutex_);  // by their paths
  std::string refusal_ PARTITA_GUARDED_BY(mutex_);
  std::string head_ PARTITA_GUARDED_BY(mutex_);
  bool honours_ PARTITA_GUARDED_BY(mutex_) = true;
  bool lists_ PARTITA_GUARDED_BY(mutex_) = true;
  std::string lost_reply_ PARTITA_GUARDED_BY(mutex_);
  net::Responder responder_{[this](std::string_view request) { return answer(request); }};
};

std::unique_ptr<FileStore> s3_store(const std::string& url, const std::string& credentials = "") {
  auto place = S3Place::parse(url, "eu-west-3");
  EXPECT_TRUE(place.ok()) << url;
  place->credentials_file = credentials;
  return make_s3_store(*std::move(place), {});
}

TEST(S3Place, IsOfAwsOrOfAnotherServer) {
  const auto url_of = [](const std::string& url, const std::string& region) {
    const auto place = S3Place::parse(url, region);
    return place.ok() ? place->url_of("a/b.json").text() : std::string(place.error().sentence());
  };
  EXPECT_EQ(url_of("s3://music", "us-east-1"), "https://music.s3.us-east-1.amazonaws.com/a/b.json");
  EXPECT_EQ(url_of("s3://music/p/q/", "cn-north-1"), "https://music.s3.cn-north-1.amazonaws.com.cn/p/q/a/b.json");
  EXPECT_EQ(url_of("s3://my.music/p", "us-east-1"), "https://s3.us-east-1.amazonaws.com/my.music/p/a/b.json");
  EXPECT_EQ(url_of("s3+http://h:9000/music", "us-east-1"), "http://h:9000/music/a/b.json");
  EXPECT_EQ(url_of("s3+https://h/music/day=1/A_~+,", "x"), "https://h/music/day%3D1/A_~%2B%2C/a/b.json");
  EXPECT_EQ(S3Place::parse("s3+https://h/music/p/", "x")->text(), "s3://music/p");
  EXPECT_EQ(S3Place::parse("s3://music/", "x")->text(), "s3://music");
}

TEST(S3Place, RefusesOtherUrls) {
  for (const std::string& url : {std::string("s3://"),
                                 std::string("s3:///music"),
                                 std::string("s3://Music"),
                                 std::string("s3://mu"),
                                 std::string("s3://-music"),
                                 std::string("s3://user@music"),
                                 std::string("s3://music:80/p"),
                                 std::string("s3://music//p"),
                                 std::string("s3://music/p//"),
                                 std::string("s3://music/../p"),
                                 std::string("s3://music/./p"),
                                 std::string("s3://music/p?x"),
                                 std::string("s3://music/p#x"),
                                 std::string("s3://music/%2e"),
                                 std::string("s3://music/a b"),
                                 "s3://music/" + std::string(513, 'p'),
                                 std::string("s3+http://h"),
                                 std::string("s3+http://h/"),
                                 std::string("s3+http://u:p@h/music"),
                                 std::string("s3+http://h?x/music"),
                                 std::string("s3+ftp://h/music"),
                                 std::string("s3+http://h:0/music"),
                                 std::string("s3+http://h/music/\n"),
                                 std::string("s3+http://h/music/\xc3\xa4")}) {
    const auto refused = S3Place::parse(url, "us-east-1");
    ASSERT_FALSE(refused.ok()) << url;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
    EXPECT_TRUE(refused.error().sentence().contains("s3+https://HOST[:PORT]/BUCKET[/PREFIX]"));
  }
}

TEST(S3Destination, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](const ChangeSettings& settings) {
    const auto made = make_s3_destination(settings, {});
    return made.ok() ? std::string("none") : std::string(made.error().sentence());
  };
  EXPECT_EQ(refusal(changes_settings("s3+https://h/music", {{"region", "eu-west-3"}, {"max-mib", "4"}})), "none");
  EXPECT_TRUE(refusal(changes_settings("s3+https://h/music", {{"endpoint", "x"}})).contains("no option endpoint"));
  EXPECT_TRUE(refusal(changes_settings("s3+https://h/music", {{"region", "a/b"}})).contains("option region"));
  EXPECT_TRUE(refusal(changes_settings("s3+https://h/music", {{"max-mib", "65"}})).contains("option max-mib"));
  ChangeSettings aws = changes_settings("s3://music");
  EXPECT_TRUE(refusal(aws).contains("--credentials"));
  aws.credentials_file = "/x";
  EXPECT_EQ(refusal(aws), "none");
  EXPECT_EQ(make_s3_destination(aws, {}).value()->limits().bytes, size_t{4} << 20);
  EXPECT_EQ(make_s3_destination(aws, {}).value()->target(), "s3://music");
}

TEST(S3Store, CreatesObjectsOnce) {
  FakeS3 s3;
  const auto store = s3_store(s3.url() + "/day=1");
  ASSERT_TRUE(store->prepare().ok());
  ASSERT_TRUE(store->prepare().ok()) << "again";
  EXPECT_EQ(store->create("one.jsonl.zst", "first").value(), true);
  EXPECT_TRUE(s3.head().contains("\r\nContent-Type: application/zstd\r\n")) << s3.head();
  EXPECT_EQ(store->create("one.jsonl.zst", "second").value(), false);
  EXPECT_EQ(store->create("manifest/two.json", "x").value(), true);
  EXPECT_EQ(store->read("one.jsonl.zst").value(), "first");
  EXPECT_EQ(store->read("manifest/two.json").value(), "x");
  EXPECT_EQ(store->read("three").value(), std::nullopt);
  EXPECT_EQ(s3.objects().size(), 3U);
  EXPECT_TRUE(s3.objects().contains("/music/day%3D1/manifest/two.json"));
}

TEST(S3Store, SignsItsRequests) {
  FakeS3 s3;
  const std::filesystem::path keys =
      std::filesystem::path(testing::TempDir()) / ("partita-s3-keys-" + std::to_string(::getpid()));
  const auto store = s3_store(s3.url(), keys);
  const auto missing = store->create("a", "some bytes");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind(), ErrorKind::kUnavailable);
  EXPECT_TRUE(missing.error().sentence().contains(keys.string())) << missing.error().sentence();
  std::ofstream(keys) << "[default]\naws_access_key_id = AKIDS3\naws_secret_access_key = a secret\n";
  ::chmod(keys.c_str(), 0600);
  EXPECT_EQ(store->create("a", "some bytes").value(), true);
  std::string hash;
  auth::append_hex(hash, auth::sha256("some bytes"));
  EXPECT_TRUE(s3.head().contains("\r\nX-Amz-Content-Sha256: " + hash + "\r\n")) << s3.head();
  EXPECT_TRUE(s3.head().contains("Credential=AKIDS3/")) << s3.head();
  EXPECT_TRUE(
      s3.head().contains("/eu-west-3/s3/aws4_request, "
                         "SignedHeaders=content-type;host;if-none-match;x-amz-content-sha256;x-amz-date,"))
      << s3.head();
  std::filesystem::remove(keys);
}

struct Refusal {
  std::string reply;
  ErrorKind kind;
  std::string says;
};

TEST(S3Store, SaysAtTheStartWhatIsWrong) {
  FakeS3 s3;
  const auto store = s3_store(s3.url());
  const std::string moved = "HTTP/1.1 301 Moved\r\nx-amz-bucket-region: us-west-2\r\nLocation: http://127.0.0.1:1/\r\n";
  const std::vector<Refusal> refusals = {
      {s3_fault(404, "NoSuchBucket"), ErrorKind::kInvalid, "404 to PutObject in s3://music: NoSuchBucket: The reason."},
      {s3_fault(403, "AccessDenied"), ErrorKind::kInvalid, "AccessDenied"},
      {s3_fault(403, "RequestTimeTooSkewed"), ErrorKind::kUnavailable, "RequestTimeTooSkewed"},
      {s3_fault(400, "ExpiredToken"), ErrorKind::kUnavailable, "ExpiredToken"},
      {s3_fault(503, "SlowDown"), ErrorKind::kUnavailable, "SlowDown"},
      {s3_fault(500, "InternalError"), ErrorKind::kUnavailable, "InternalError"},
      {s3_fault(409, "ConditionalRequestConflict"), ErrorKind::kUnavailable, "Conflict"},
      {s3_fault(429, "TooManyRequests"), ErrorKind::kUnavailable, "429"},
      {s3_fault(501, "NotImplemented"), ErrorKind::kInvalid, "does not honour If-None-Match"},
      {s3_fault(307, "TemporaryRedirect"), ErrorKind::kUnavailable, "TemporaryRedirect"},
      {moved + "Content-Length: 0\r\n\r\n", ErrorKind::kInvalid, "--set region=us-west-2."},
      {s3_fault(400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>"), ErrorKind::kInvalid,
       "is in the region eu-west-1: create the sink with --set region=eu-west-1."},
      {s3_fault(400, "AuthorizationHeaderMalformed", "<Region>a b</Region>"), ErrorKind::kInvalid, "The reason."},
      {json_reply(404, "<html>Not here"), ErrorKind::kInvalid, "404 to PutObject in s3://music: <html>Not here."},
      {json_reply(502, ""), ErrorKind::kUnavailable, "502 to PutObject in s3://music: nothing that says why."},
      {json_reply(200, "always"), ErrorKind::kInvalid, "does not honour If-None-Match"},
      {std::string(1, net::Responder::kEnd), ErrorKind::kUnavailable, "ended the connection"},
  };
  for (const Refusal& each : refusals) {
    s3.refuse(each.reply);
    const auto refused = store->prepare();
    ASSERT_FALSE(refused.ok()) << each.reply;
    EXPECT_EQ(refused.error().kind(), each.kind) << each.reply;
    EXPECT_TRUE(refused.error().sentence().contains(each.says)) << refused.error().sentence();
  }
}

TEST(S3Store, WaitsForABucketThatWasUsed) {
  FakeS3 s3;
  const auto store = s3_store(s3.url());
  ASSERT_TRUE(store->prepare().ok());
  for (const std::string& reply : {s3_fault(403, "AccessDenied"), s3_fault(404, "NoSuchBucket"),
                                   s3_fault(503, "SlowDown"), json_reply(301, ""), json_reply(501, "")}) {
    s3.refuse(reply);
    for (const auto& trouble : {store->create("a", "x").error(), store->read("a").error()}) {
      EXPECT_EQ(trouble.kind(), ErrorKind::kUnavailable) << reply;
      EXPECT_TRUE(trouble.sentence().contains("s3://music")) << trouble.sentence();
    }
  }
}

TEST(S3Store, RefusesServersThatReplaceObjects) {
  FakeS3 s3;
  s3.replace_objects();
  const auto refused = s3_store(s3.url())->prepare();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(refused.error().sentence().contains("If-None-Match")) << refused.error().sentence();
}

TEST(S3Store, NeedsToSeeThatAnObjectIsAbsent) {
  FakeS3 s3;
  s3.hide_absence();
  const auto refused = s3_store(s3.url())->prepare();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(refused.error().sentence().ends_with(
      "The key needs s3:GetObject, and s3:ListBucket to see that an object is absent."))
      << refused.error().sentence();
}

TEST(S3Store, ReadsAnyReply) {
  FakeS3 s3;
  const auto store = s3_store(s3.url());
  SeededRandom random(3);
  const std::string parts[] = {"<Code>", "</Code>", "<Message>", "<Region>", "NoSuchKey", "<", "\xff\xc3", "\n", "eu"};
  for (int i = 0; i < 500; ++i) {
    std::string body;
    for (size_t left = random.below(8); left > 0; --left) body += parts[random.below(std::size(parts))];
    s3.refuse(json_reply(400 + static_cast<int>(random.below(200)), body));
    EXPECT_FALSE(store->create("a", "x").ok() && s3.objects().contains("/music/a"));
    const auto read = store->read("a");
    if (!read.ok()) {
      EXPECT_LT(read.error().sentence().size(), 700U);
    }
  }
}

class ChangesInS3 : public testing::Test {
 protected:
  ChangesInS3() { restart(); }
  void restart() {
    clock_.advance_ms(1);
    files_ = std::make_unique<ChangeFiles>(changes_settings(""), ChangeFilesOptions(), s3_store(s3_.url()), clock_);
    EXPECT_TRUE(files_->prepare().ok());
  }
  // Sends until something is done or there is an error; so many changes are done.
  Result<size_t> send(std::span<const Change> changes) {
    for (int i = 0; i < 1'000; ++i) {
      PARTITA_TRY(const ChangesSent sent, files_->send(0, changes, state_));
      if (sent.done > 0) return sent.done;
      clock_.advance_ms(sent.wait_ms);
    }
    return size_t{0};
  }
  // The lines of all files.
  size_t lines() {
    size_t lines = 0;
    for (const auto& [path, bytes] : s3_.objects()) {
      if (!path.starts_with("/music/changes-")) continue;
      const std::string text = zstd_text(bytes, size_t{1} << 20).value_or("damaged");
      lines += static_cast<size_t>(std::ranges::count(text, '\n'));
      EXPECT_TRUE(s3_.objects().contains("/music/manifest/" + path.substr(7, path.find('.') - 7) + ".json")) << path;
    }
    return lines;
  }

  FakeS3 s3_;
  ManualClock clock_{1'000};
  std::string state_;
  std::unique_ptr<ChangeFiles> files_;
};

TEST_F(ChangesInS3, AreInOneFileIfTheReplyIsLost) {
  SomeChanges changes;
  for (int i = 0; i < 5; ++i) changes.put("k" + std::to_string(i), "v");
  s3_.lose_next_reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  EXPECT_FALSE(send(changes.all()).ok());
  EXPECT_EQ(s3_.objects().size(), 3U) << "the trial, the owner, the file";
  for (int i = 5; i < 8; ++i) changes.put("k" + std::to_string(i), "v");  // meanwhile
  EXPECT_EQ(send(changes.all()).value(), 5U);
  EXPECT_EQ(send(changes.from(5)).value(), 3U);
  EXPECT_EQ(lines(), 8U);
  restart();
  EXPECT_EQ(send(changes.all()).value(), 5U) << "the same after a restart";
  EXPECT_EQ(lines(), 8U);
}

// A request of a server that was suspended arrives behind that of another one.
TEST_F(ChangesInS3, AreKeptFromLateRequests) {
  SomeChanges changes;
  for (int i = 0; i < 5; ++i) changes.put("k" + std::to_string(i), "v");
  EXPECT_EQ(send(changes.all()).value(), 5U);
  for (const auto& [path, bytes] : s3_.objects()) {
    EXPECT_EQ(s3_store(s3_.url())->create(path.substr(7), "late").value(), false) << path;
  }
  EXPECT_EQ(lines(), 5U);
}

TEST_F(ChangesInS3, HaveABucketAlone) {
  ChangeSettings other = changes_settings("");
  other.id = "z9";
  ChangeFiles files(other, {}, s3_store(s3_.url()), clock_);
  const auto refused = files.prepare();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_TRUE(refused.error().sentence().starts_with("The files in s3://music are those of another sink"))
      << refused.error().sentence();
  ChangeFiles apart(other, {}, s3_store(s3_.url() + "/other"), clock_);
  EXPECT_TRUE(apart.prepare().ok());
}

}  // namespace
}  // namespace partita::sinks
