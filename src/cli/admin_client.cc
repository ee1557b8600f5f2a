#include "cli/admin_client.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "admin/admin.h"
#include "engines/stores.h"
#include "net/unix_socket.h"
#include "wire/fault_table.h"

namespace partita::cli {

namespace {

constexpr std::string_view kJson = "application/x-amz-json-1.0";
constexpr int kFailed = 500;
constexpr int64_t kMomentMs = 5'000;
constexpr int64_t kShortMs = 30'000;

Error cannot_connect(int error, const std::string& path) {
  const bool none = error == ENOENT || error == ECONNREFUSED || error == ENOTDIR;
  return Error(
      ErrorKind::kUnavailable,
      none ? "No server listens at " + path + ": start one, or name its directory, or the file of its --admin-socket."
           : "Cannot reach the server at " + path + ": " +
                 (error == EAGAIN ? "it does not answer" : std::system_category().message(error)) + ".");
}

}  // namespace

Result<AdminClient> AdminClient::connect(const std::string& named) {
  const bool is_store = check_store(named).ok();
  const std::string place = is_store ? place_of_store(named) : named;
  if (is_store && !engine_of(named).is_directory) {
    return Error(ErrorKind::kInvalid, "The server of " + place +
                                          " is asked over its administration socket: start it with --admin-socket "
                                          "FILE, and name FILE here.");
  }
  std::error_code failed;
  const bool directory = std::filesystem::is_directory(place, failed);
  const std::string path = directory ? admin_socket_of(place) : place;
  int socket = -1;
  if (const int error = net::connect_unix(path, socket)) return cannot_connect(error, path);
  return AdminClient(place, socket);
}

Result<AdminClient::Answer> AdminClient::post(std::string_view target, std::string_view content_type,
                                              std::string_view body) {
  auto sent = send(target, content_type, body);
  if (!sent.ok() && connection_.timed_out()) return not_answered();
  PARTITA_TRY(Answer answer, std::move(sent));
  if (answer.status == kFailed) return Error(ErrorKind::kUnavailable, why_it_failed());
  return answer;
}

// What callers are told of it, of whom few are operators, is less.
std::string AdminClient::why_it_failed() {
  const auto answer = send(std::string(admin::kAdminPrefix).append(admin::kDescribeServer), kJson, "{}");
  const auto said = wire::JsonDocument::parse(answer.ok() ? answer->body : "{}");
  const std::string trouble = said.ok() ? text_of(said->root().get(admin::kTrouble)) : std::string();
  return trouble.empty() ? "The server at " + place_ + " failed: its log says why." : trouble;
}

// A server whose store hangs answers who asks how it is all the same.
Error AdminClient::not_answered() const {
  const auto unavailable = [](std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); };
  const std::string silent = "The server at " + place_ + " does not answer: is its process stopped, or overloaded?";
  if (wait_ == Wait::kMoment) return unavailable(silent);
  const std::string open = " Whether the call was carried out is not known.";
  auto other = connect(place_);
  if (!other.ok()) return unavailable(silent + open);
  other->wait(Wait::kMoment);
  const auto said = other->ask(admin::kDescribeServer, "{}");
  if (!said.ok()) return unavailable(silent + open);
  const std::string trouble = text_of(said->root().get(admin::kTrouble));
  const std::string well = "The server at " + place_ + " took too long, although it is healthy: its log may say why.";
  return unavailable((trouble.empty() ? well : trouble) + open);
}

Result<AdminClient::Answer> AdminClient::send(std::string_view target, std::string_view content_type,
                                              std::string_view body) {
  constexpr int64_t kForeverMs = int64_t{1'000} * 60 * 60 * 24 * 365;
  AdminConnection::Wait wait{.timeout_ms = kForeverMs, .late = nullptr};
  if (wait_ == Wait::kMoment) wait.timeout_ms = kMomentMs;
  if (wait_ == Wait::kShort) wait.timeout_ms = kShortMs;
  if (wait_ == Wait::kLong && !told_late_) {
    wait.late = [this] {
      told_late_ = true;
      std::fprintf(stderr, "Waiting for the server at %s, which has not answered yet.\n", place_.c_str());
    };
  }
  return connection_.post(target, content_type, body, std::move(wait));
}

Result<std::string> AdminClient::ask_text(std::string_view operation, std::string_view body) {
  const auto unavailable = [](std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); };
  const std::string target = std::string(admin::kAdminPrefix).append(operation);
  PARTITA_TRY(Answer answer, post(target, kJson, body));
  const auto said = wire::JsonDocument::parse(answer.body);
  if (!said.ok()) return unavailable("The program at " + place_ + " is not a Partita server.");
  const wire::JsonValue root = said->root();
  const std::string_view unknown = wire::name_of(wire::Exception::kUnknownOperation).name;
  if (text_of(root.get("__type")).ends_with(unknown)) {
    return unavailable("The server at " + place_ + " does not know this call; it may be an older version.");
  }
  for (const std::string_view name : {"Error", "message", "Message"}) {
    const std::string sentence = text_of(root.get(name));
    if (!sentence.empty() && (answer.status != 200 || name == "Error")) return unavailable(sentence);
  }
  if (answer.status != 200)
    return unavailable("The server answered with status " + std::to_string(answer.status) + ".");
  return std::move(answer.body);
}

Result<wire::JsonDocument> AdminClient::ask(std::string_view operation, std::string_view body) {
  PARTITA_TRY(const std::string text, ask_text(operation, body));
  return wire::JsonDocument::parse(text);
}

}  // namespace partita::cli
