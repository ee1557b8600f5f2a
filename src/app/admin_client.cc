#include "app/admin_client.h"

#include <filesystem>
#include <system_error>

#include "app/admin.h"
#include "http/admin_socket.h"

namespace partita::app {

Result<AdminClient> AdminClient::connect(const std::string& place) {
  std::error_code failed;
  const bool directory = std::filesystem::is_directory(place, failed);
  PARTITA_TRY(const int socket, http::connect_to_admin(directory ? admin_socket_of(place) : place));
  return AdminClient(socket);
}

Result<AdminClient::Answer> AdminClient::post(std::string_view target, std::string_view content_type,
                                              std::string_view body) {
  return http_.post("/", {{"Host", "localhost"}, {"X-Amz-Target", target}, {"Content-Type", content_type}}, body);
}

Result<AdminClient::Answer> AdminClient::ask(std::string_view operation, std::string_view body) {
  return post(std::string(kAdminPrefix).append(operation), "application/x-amz-json-1.0", body);
}

}  // namespace partita::app
