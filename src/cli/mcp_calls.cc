#include "cli/mcp_calls.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "admin/admin.h"
#include "auth/signature.h"
#include "base/task.h"
#include "cli/local_calls.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::cli {

namespace {

constexpr std::string_view kContentType = "application/x-amz-json-1.0";
constexpr int64_t kTimeoutMs = 300'000;  // a rollback waits for the calls under way

std::string set_in_environment(const char* name, std::string_view otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::string(otherwise) : std::string(value);
}

// "20260102T030405Z"
std::string compact_time(int64_t ms) {
  std::string text = std::string(utc_text(ms).data()).substr(0, 19) + "Z";
  std::erase(text, '-');
  std::erase(text, ':');
  return text;
}

}  // namespace

bool is_select(std::string_view statement) {
  constexpr std::string_view kSelect = "select";
  statement.remove_prefix(std::min(statement.find_first_not_of(" \t\r\n"), statement.size()));
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(statement.substr(0, kSelect.size()), kSelect, {}, lower);
}

McpCalls::Answer mcp_error(std::string_view message) {
  wire::JsonWriter json;
  json.begin_object();
  json.member("message", message);
  json.end_object();
  return {400, std::move(json).take()};
}

LocalMcpCalls::LocalMcpCalls(namespaces::Namespaces& namespaces, const auth::Identity* identity)
    : namespaces_(namespaces), caller_(local_caller(identity)) {}

McpCalls::Answer LocalMcpCalls::ask(std::string_view target, std::string_view body) {
  const ops::Call call{.target = target, .content_type = kContentType, .body = body, .caller = caller_};
  ops::Reply reply = target.starts_with(admin::kAdminPrefix) ? wait_for(operator_calls_.call(call))
                                                             : wait_for(namespaces_.root().service().call(call));
  return {reply.status, std::move(reply.body)};
}

RemoteMcpCalls::Signer RemoteMcpCalls::Signer::of_environment() {
  const std::string usual = set_in_environment("AWS_DEFAULT_REGION", "us-east-1");
  return {set_in_environment("AWS_ACCESS_KEY_ID", "any"), set_in_environment("AWS_SECRET_ACCESS_KEY", "any"),
          set_in_environment("AWS_SESSION_TOKEN", ""), set_in_environment("AWS_REGION", usual)};
}

Result<std::unique_ptr<McpCalls>> RemoteMcpCalls::open(std::string_view url, std::string space, bool writes,
                                                       Signer signer, const Clock& clock) {
  auto parsed = net::Url::parse(url);
  if (!parsed.ok() || parsed->path != "/") {
    return Error(
        ErrorKind::kInvalid,
        "--endpoint-url takes the address of a server, such as http://localhost:8000, not '" + std::string(url) + "'.");
  }
  return std::unique_ptr<McpCalls>(
      new RemoteMcpCalls(std::move(parsed).value(), std::move(space), writes, std::move(signer), clock));
}

McpCalls::Answer RemoteMcpCalls::ask(std::string_view target, std::string_view body) {
  if (!writes_ && target == dynamodb_target("ExecuteStatement")) {
    const auto said = wire::JsonDocument::parse(body);
    if (said.ok() && !is_select(text_of(said->root().get("Statement")))) {
      return mcp_error("Only SELECT is allowed: partita mcp was started without --write.");
    }
  }
  const std::string date = compact_time(clock_.now_ms());
  const std::string scope = auth::scope_of(std::string_view(date).substr(0, 8), signer_.region);
  // In the order of their names, which is that of the signature.
  std::map<std::string, std::string, std::less<>> headers{{"content-type", std::string(kContentType)},
                                                          {"host", url_.authority()},
                                                          {"x-amz-date", date},
                                                          {"x-amz-target", std::string(target)}};
  if (!signer_.session_token.empty()) headers["x-amz-security-token"] = signer_.session_token;
  if (!space_.empty()) headers["x-partita-namespace"] = space_;
  std::string names;
  for (const auto& [name, value] : headers) names.append(names.empty() ? "" : ";").append(name);
  const auth::Facts facts{"POST", "/",
                          [&](std::string_view name, size_t at) -> std::optional<std::string_view> {
                            const auto found = headers.find(name);
                            if (found == headers.end() || at > 0) return std::nullopt;
                            return found->second;
                          },
                          body};
  auth::SignedTexts texts;
  auth::write_texts(facts, {.headers = names, .date = date, .scope = scope}, texts);
  const auth::HmacKey key = auth::signing_key(signer_.secret, std::string_view(date).substr(0, 8), signer_.region);
  std::string signature;
  auth::append_hex(signature, key.sign(texts.to_sign));
  const std::string authorization = "AWS4-HMAC-SHA256 Credential=" + signer_.key_id + "/" + scope +
                                    ", SignedHeaders=" + names + ", Signature=" + signature;
  headers["authorization"] = authorization;
  auto client = net::HttpClient::create();
  if (!client.ok()) return mcp_error(client.error().sentence());
  auto answer =
      client->send({.url = url_, .headers = {headers.begin(), headers.end()}, .body = body, .timeout_ms = kTimeoutMs});
  if (!answer.ok()) return mcp_error(answer.error().sentence());
  return {answer->status, std::move(answer->body)};
}

}  // namespace partita::cli
