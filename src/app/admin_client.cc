#include "app/admin_client.h"

#include <filesystem>
#include <system_error>

#include "app/admin.h"
#include "app/engines.h"
#include "app/local_calls.h"
#include "http/admin_socket.h"
#include "wire/fault_table.h"

namespace partita::app {

namespace {

constexpr std::string_view kJson = "application/x-amz-json-1.0";
constexpr int kFailed = 500;

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
  PARTITA_TRY(const int socket, http::connect_to_admin(directory ? admin_socket_of(place) : place));
  return AdminClient(place, socket);
}

Result<AdminClient::Answer> AdminClient::post(std::string_view target, std::string_view content_type,
                                              std::string_view body) {
  PARTITA_TRY(Answer answer, send(target, content_type, body));
  if (answer.status == kFailed) return Error(ErrorKind::kUnavailable, why_it_failed());
  return answer;
}

// What callers are told of it, of whom few are operators, is less.
std::string AdminClient::why_it_failed() {
  const auto answer = send(std::string(kAdminPrefix).append(kDescribeServer), kJson, "{}");
  const auto said = wire::JsonDocument::parse(answer.ok() ? answer->body : "{}");
  const std::string trouble = said.ok() ? text_of(said->root().get(kTrouble)) : std::string();
  return trouble.empty() ? "The server at " + place_ + " could not do it: its log says why." : trouble;
}

Result<AdminClient::Answer> AdminClient::send(std::string_view target, std::string_view content_type,
                                              std::string_view body) {
  return http_.post("/", {{"Host", "localhost"}, {"X-Amz-Target", target}, {"Content-Type", content_type}}, body);
}

Result<wire::JsonDocument> AdminClient::ask(std::string_view operation, std::string_view body) {
  const auto unavailable = [](std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); };
  const std::string target = std::string(kAdminPrefix).append(operation);
  PARTITA_TRY(const Answer answer, post(target, kJson, body));
  auto said = wire::JsonDocument::parse(answer.body);
  if (!said.ok()) return unavailable("What answers at " + place_ + " is no server of Partita.");
  const wire::JsonValue root = said->root();
  const std::string_view unknown = wire::name_of(wire::Exception::kUnknownOperation).name;
  if (text_of(root.get("__type")).ends_with(unknown)) {
    return unavailable("The server at " + place_ + " does not know how to do that; it may be of an older version.");
  }
  for (const std::string_view name : {"Error", "message", "Message"}) {
    const std::string sentence = text_of(root.get(name));
    if (!sentence.empty() && (answer.status != 200 || name == "Error")) return unavailable(sentence);
  }
  if (answer.status != 200) return unavailable("It was answered with status " + std::to_string(answer.status) + ".");
  return said;
}

}  // namespace partita::app
