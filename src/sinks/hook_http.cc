// Calls of a hook by HTTP.
#include <array>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "net/url.h"
#include "sinks/hook_call.h"
#include "sinks/secret_file.h"

namespace partita::sinks {

namespace {

constexpr int64_t kHookConnectMs = 5'000;

// The first line of the file. Error: kUnavailable, with a sentence.
Result<std::string> read_hook_secret(const std::string& file) {
  PARTITA_TRY(const std::string whole, read_secret_file(file, "The secret in"));
  std::string text(first_line(whole));
  constexpr std::string_view kPrefix = "whsec_";
  if (text.starts_with(kPrefix)) {
    const auto key = decode_base64(std::string_view(text).substr(kPrefix.size()));
    if (key && !key->empty()) return text;
    return Error(ErrorKind::kUnavailable,
                 "The secret in " + file + " is not whsec_ and the base64 of a key, though it begins so.");
  }
  if (!text.empty()) return text;
  return Error(ErrorKind::kUnavailable, "The first line of " + file + " is empty; it has to be the hook's secret.");
}

class HttpHook final : public HookCaller {
 public:
  HttpHook(net::Url url, const ChangeSettings& settings, const HookOptions& options, const Clock& clock,
           std::stop_token hurry)
      : url_(std::move(url)),
        secret_file_(settings.credentials_file),
        authority_file_(settings.authority_file),
        reports_items_(options.reports_items),
        timeout_ms_(options.timeout_ms),
        clock_(clock),
        hurry_(std::move(hurry)) {}

  Result<void> prepare() override {
    if (secret_file_.empty()) return {};
    PARTITA_TRY_VOID(read_hook_secret(secret_file_));
    return {};
  }

  HookAnswer call(size_t line, const HookCall& call) override {
    bool reached = false;
    auto reply = post(line, call, reached);
    if (reply.ok()) return hook_answer(*reply, reports_items_, call.sequence_numbers, call.wants_state);
    reached = reached && !hurry_.stop_requested();
    return {.kind = reached ? HookAnswer::Kind::kFailed : HookAnswer::Kind::kMissed,
            .reason = std::string(reply.error().sentence())};
  }

  bool hurries() const override { return hurry_.stop_requested(); }

 private:
  Result<net::HttpReply> post(size_t line, const HookCall& call, bool& reached) {
    std::optional<net::HttpClient>& client = clients_[line];
    if (!client) {
      PARTITA_TRY(net::HttpClient made, net::HttpClient::create());
      client.emplace(std::move(made));
    }
    net::HttpRequest request{.method = "POST",
                             .url = url_,
                             .body = call.body,
                             .timeout_ms = timeout_ms_,
                             .connect_ms = kHookConnectMs,
                             .hurry = hurry_};
    request.authority_file = authority_file_;
    request.most_body = kMostAnswerBytes;
    if (secret_file_.empty()) {
      request.headers = {{"webhook-id", call.id}};
    } else {
      PARTITA_TRY(const std::string secret, read_hook_secret(secret_file_));
      request.headers = hook_signature(secret, call, clock_.now_ms());
    }
    request.headers.emplace_back("Content-Type", "application/json");
    auto reply = client->send(request);
    reached = client->connected();
    return reply;
  }

  const net::Url url_;
  const std::string secret_file_;
  const std::string authority_file_;
  const bool reports_items_;
  const int64_t timeout_ms_;
  const Clock& clock_;
  const std::stop_token hurry_;
  std::array<std::optional<net::HttpClient>, kLines> clients_;  // each for the thread of its line
};

}  // namespace

Result<std::unique_ptr<HookCaller>> make_http_hook(const ChangeSettings& settings, const HookOptions& options,
                                                   const Clock& clock, std::stop_token hurry) {
  auto url = net::Url::parse(settings.url);
  if (!url.ok() || settings.url.contains('#') || url->host.contains('?')) {
    return Error(
        ErrorKind::kInvalid,
        "The URL of a hook is https://HOST[:PORT][/PATH][?QUERY], or http; it has no user. --credentials names "
        "the file with the secret of its signature.");
  }
  return std::unique_ptr<HookCaller>(
      std::make_unique<HttpHook>(*std::move(url), settings, options, clock, std::move(hurry)));
}

}  // namespace partita::sinks
