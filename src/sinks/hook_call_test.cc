#include "sinks/hook_call.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "net/responder_testing.h"
#include "sinks/changes_testing.h"

namespace partita::sinks {

Result<std::unique_ptr<ChangeDestination>> make_hook_destination(const ChangeSettings& settings, std::stop_token hurry);

namespace {

using net::json_reply;
using net::Responder;
using Kind = HookAnswer::Kind;

TEST(HookAnswer, HasTheStateOfAWindow) {
  const auto answer = [](const char* body, bool reports) {
    return hook_answer({.status = 200, .headers = {}, .body = body}, reports, {"10", "20"}, true);
  };
  EXPECT_EQ(answer(R"({"state":{}})", true).state, "{}");
  EXPECT_EQ(answer(R"( {"a":1, "state" : { "n":18446744073709551615 , "s":"}\u0041"} })", false).state,
            R"({ "n":18446744073709551615 , "s":"}\u0041"})");
  const HookAnswer some = answer(R"({"state":{"n":1},"batchItemFailures":[{"itemIdentifier":"20"}]})", true);
  EXPECT_EQ(some.kind, Kind::kFailed);
  EXPECT_EQ(some.first, 1U);
  EXPECT_EQ(some.state, R"({"n":1})");
  for (const char* body : {"", "null", "{}", R"({"state":null})", R"({"state":[]})", R"({"state":"{}"})", "[]",
                           R"({"state":{})", R"({"State":{}})", R"({"state":{"n":18446744073709551616}})",
                           R"({"state":1,"state":{}})", R"({"batchItemFailures":[{"itemIdentifier":"20"}]})"}) {
    for (const bool reports : {false, true}) {
      EXPECT_EQ(answer(body, reports).kind, Kind::kFailed) << body;
      EXPECT_EQ(answer(body, reports).first, 0U) << body;
      EXPECT_TRUE(answer(body, reports).reason.contains("TumblingWindowInSeconds")) << body;
    }
  }
}

TEST(HookAnswer, IsReadAsLambdaReadsIt) {
  const std::vector<std::string> numbers{"10", "20", "30"};
  constexpr size_t kAll = 0;
  const struct {
    const char* body;
    Kind kind;
    size_t first;
  } kCases[] = {
      {"", Kind::kDone, 0},
      {" \n", Kind::kDone, 0},
      {"null", Kind::kDone, 0},
      {"{}", Kind::kDone, 0},
      {R"({"batchItemFailures":[]})", Kind::kDone, 0},
      {R"({"batchItemFailures":null})", Kind::kDone, 0},
      {R"({"batchItemFailures":[{"itemIdentifier":"20"}]})", Kind::kFailed, 1},
      {R"({"batchItemFailures":[{"itemIdentifier":"30"},{"itemIdentifier":"20"}]})", Kind::kFailed, 1},
      {R"({"batchItemFailures":[{"itemIdentifier":"20"},{"itemIdentifier":"30"}]})", Kind::kFailed, 1},
      {R"({"batchItemFailures":[{"itemIdentifier":"10"}]})", Kind::kFailed, 0},
      {R"({"batchItemFailures":[{"itemIdentifier":""}]})", Kind::kFailed, kAll},
      {R"({"batchItemFailures":[{"itemIdentifier":null}]})", Kind::kFailed, kAll},
      {R"({"batchItemFailures":[{"itemIdentifier":20}]})", Kind::kFailed, kAll},
      {R"({"batchItemFailures":[{"ItemIdentifier":"20"}]})", Kind::kFailed, kAll},
      {R"({"batchItemFailures":[{"itemIdentifier":"30"},{"itemIdentifier":"99"}]})", Kind::kFailed, kAll},
      {R"({"batchItemFailures":["20"]})", Kind::kFailed, kAll},
      {R"({"batchItemFailures":"20"})", Kind::kFailed, kAll},
      {R"({"batchItemFailures":[)", Kind::kFailed, kAll},
      {"ok", Kind::kFailed, kAll},
      {"[]", Kind::kFailed, kAll},
  };
  for (const auto& one : kCases) {
    const HookAnswer answer = hook_answer({.status = 200, .headers = {}, .body = one.body}, true, numbers);
    EXPECT_EQ(answer.kind, one.kind) << one.body;
    EXPECT_EQ(answer.first, one.first) << one.body;
    EXPECT_EQ(answer.reason.empty(), one.kind == Kind::kDone) << one.body;
    EXPECT_EQ(hook_answer({.status = 200, .headers = {}, .body = one.body}, false, numbers).kind, Kind::kDone);
  }
}

TEST(HookAnswer, TellsFailuresFromWhatDidNotReachTheFunction) {
  for (const int status : {200, 201, 202, 204}) {
    EXPECT_EQ(hook_answer({.status = status, .headers = {}, .body = {}}, false, {}).kind, Kind::kDone) << status;
  }
  for (const int status : {301, 400, 409, 413, 500, 504}) {
    EXPECT_EQ(hook_answer({.status = status, .headers = {}, .body = {}}, false, {}).kind, Kind::kFailed) << status;
  }
  for (const int status : {401, 403, 404, 407, 429, 502, 503}) {
    EXPECT_EQ(hook_answer({.status = status, .headers = {}, .body = {}}, false, {}).kind, Kind::kMissed) << status;
  }
  const HookAnswer unhandled =
      hook_answer({.status = 200, .headers = {{"x-amz-function-error", "Unhandled"}}, .body = "{}"}, true, {"1"});
  EXPECT_EQ(unhandled.kind, Kind::kFailed) << "as Lambda's Invoke answers";
  EXPECT_EQ(hook_answer({.status = 500, .headers = {}, .body = "broken"}, false, {}).reason,
            "The hook answered 500: broken");
  EXPECT_LT(hook_answer({.status = 500, .headers = {}, .body = std::string(10'000, 'x')}, false, {}).reason.size(),
            400U);
}

// The same secret, id, time and body as computed by Python's hmac.
TEST(HookSignature, IsThatOfStandardWebhooks) {
  const HookCall call{.id = "msg_1", .body = R"({"Records":[]})", .sequence_numbers = {}};
  const auto headers = hook_signature("whsec_c2VjcmV0LWtleS1vZi1ob29rcw==", call, 1'700'000'000'999);
  ASSERT_EQ(headers.size(), 3U);
  EXPECT_EQ(headers[0], std::pair(std::string("webhook-id"), std::string("msg_1")));
  EXPECT_EQ(headers[1], std::pair(std::string("webhook-timestamp"), std::string("1700000000")));
  EXPECT_EQ(headers[2].first, "webhook-signature");
  EXPECT_EQ(headers[2].second, "v1,7PAgZnWKOrknA7OSLImXUskcGdIhulPk0prNuOl54y4=");
  EXPECT_EQ(hook_signature("secret-key-of-hooks", call, 1'700'000'000'999), headers) << "the same key as plain text";
}

class HttpHookTest : public testing::Test {
 protected:
  HttpHookTest() { write("secret", 0600); }
  ~HttpHookTest() override { std::filesystem::remove(file_); }
  void write(const std::string& text, mode_t mode) {
    std::ofstream(file_) << text;
    ::chmod(file_.c_str(), mode);
  }
  HookAnswer call(const net::Url& url, HookOptions options = {}) {
    ChangeSettings settings = changes_settings(url.text());
    settings.credentials_file = file_;
    auto hook = make_http_hook(settings, options, clock_, {});
    EXPECT_TRUE(hook.ok());
    return (*hook)->call(0, {.id = "msg_1", .body = R"({"Records":[]})", .sequence_numbers = {"7"}});
  }
  const std::string file_ = std::filesystem::temp_directory_path() / ("partita-hook-" + std::to_string(::getpid()));
  ManualClock clock_{1'700'000'000'000};
};

TEST_F(HttpHookTest, PostsASignedEvent) {
  Responder responder({json_reply(200, R"({"batchItemFailures":[{"itemIdentifier":"7"}]})")});
  EXPECT_EQ(call(responder.url()).kind, Kind::kDone);
  EXPECT_EQ(call(responder.url(), {.reports_items = true}).kind, Kind::kFailed);
  const std::string requests = responder.requests();
  EXPECT_TRUE(requests.starts_with("POST /x?y=1 HTTP/1.1\r\n")) << requests;
  EXPECT_TRUE(requests.contains("\r\nContent-Type: application/json\r\n")) << requests;
  EXPECT_TRUE(requests.contains("\r\nwebhook-id: msg_1\r\n")) << requests;
  EXPECT_TRUE(requests.contains("\r\nwebhook-timestamp: 1700000000\r\n")) << requests;
  EXPECT_TRUE(requests.contains("\r\nwebhook-signature: v1,")) << requests;
  EXPECT_TRUE(requests.ends_with("\r\n\r\n{\"Records\":[]}")) << requests;
}

TEST_F(HttpHookTest, TellsWhatReachedTheFunction) {
  Responder cut({std::string(1, Responder::kEnd)});
  EXPECT_EQ(call(cut.url()).kind, Kind::kFailed) << "it may have died of the event";
  net::Url gone;
  {
    const Responder responder({json_reply(200, "{}")});
    gone = responder.url();
  }
  const HookAnswer answer = call(gone);
  EXPECT_EQ(answer.kind, Kind::kMissed);
  EXPECT_TRUE(answer.reason.contains("Cannot reach")) << answer.reason;
}

TEST_F(HttpHookTest, FailsAnAnswerThatIsTooLarge) {
  Responder fits({json_reply(200, std::string(HookCaller::kMostAnswerBytes, ' '))});
  EXPECT_EQ(call(fits.url()).kind, Kind::kDone);
  Responder responder({json_reply(200, std::string(HookCaller::kMostAnswerBytes + 1, ' '))});
  const HookAnswer answer = call(responder.url());
  EXPECT_EQ(answer.kind, Kind::kFailed);
  EXPECT_EQ(answer.reason, "The server's reply is too large: its body has more than 6291456 bytes.");
}

TEST_F(HttpHookTest, SendsNothingWithoutItsSecret) {
  Responder responder({json_reply(200, "{}")});
  const std::pair<const char*, const char*> kWrong[] = {
      {"open", "chmod 600"}, {"", "is empty"}, {"gone", "No such file"}};
  for (const auto& [what, sentence] : kWrong) {
    write(what, std::string_view(what) == "open" ? 0644 : 0600);
    if (std::string_view(what) == "gone") std::filesystem::remove(file_);
    const HookAnswer answer = call(responder.url());
    EXPECT_EQ(answer.kind, Kind::kMissed);
    EXPECT_TRUE(answer.reason.contains(sentence)) << answer.reason;
  }
  EXPECT_EQ(responder.requests(), "");
}

TEST_F(HttpHookTest, EndsSoonWhenItIsToHurry) {
  Responder responder([](std::string_view) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return std::string();
  });
  std::stop_source stop;
  auto hook = make_http_hook(changes_settings(responder.url().text()), {}, clock_, stop.get_token());
  ASSERT_TRUE(hook.ok());
  stop.request_stop();
  EXPECT_EQ((*hook)->call(0, {.id = "msg_1", .body = "{}", .sequence_numbers = {}}).kind, Kind::kMissed);
  EXPECT_TRUE((*hook)->hurries());
}

TEST(HookUrls, AreCheckedWhenTheSinkIsCreated) {
  for (const char* good : {"https://example.com", "http://127.0.0.1:9000/a/b?token=x", "https://[::1]:9000/"}) {
    EXPECT_TRUE(make_hook_destination(changes_settings(good), {}).ok()) << good;
  }
  for (const char* bad : {"https://", "https://user:password@example.com/", "https://example.com/#x",
                          "https://example.com?x", "https://example.com:x/"}) {
    const auto refused = make_hook_destination(changes_settings(bad), {});
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
    EXPECT_FALSE(refused.error().sentence().contains("password"));
  }
  EXPECT_FALSE(make_hook_destination(changes_settings("https://example.com", {{"acks", "1"}}), {}).ok());
}

}  // namespace
}  // namespace partita::sinks
