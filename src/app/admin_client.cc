#include "app/admin_client.h"

#include <filesystem>
#include <system_error>

#include "app/admin.h"
#include "app/local_calls.h"
#include "http/admin_socket.h"
#include "wire/fault_table.h"

namespace partita::app {

Result<AdminClient> AdminClient::connect(const std::string& place) {
  std::error_code failed;
  const bool directory = std::filesystem::is_directory(place, failed);
  PARTITA_TRY(const int socket, http::connect_to_admin(directory ? admin_socket_of(place) : place));
  return AdminClient(place, socket);
}

Result<AdminClient::Answer> AdminClient::post(std::string_view target, std::string_view content_type,
                                              std::string_view body) {
  return http_.post("/", {{"Host", "localhost"}, {"X-Amz-Target", target}, {"Content-Type", content_type}}, body);
}

Result<wire::JsonDocument> AdminClient::ask(std::string_view operation, std::string_view body) {
  const auto unavailable = [](std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); };
  const std::string target = std::string(kAdminPrefix).append(operation);
  PARTITA_TRY(const Answer answer, post(target, "application/x-amz-json-1.0", body));
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
