#include "cutting_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string_view>
#include <vector>

#include "base/check.h"

namespace partita::contract {

namespace {

constexpr char kSocketName[] = ".s.PGSQL.5432";

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  PARTITA_CHECK(path.size() < sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  return address;
}

int new_socket() {
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  PARTITA_CHECK(made >= 0);
  return made;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

CuttingProxy::CuttingProxy(const std::filesystem::path& directory, const std::filesystem::path& behind)
    : directory_(directory), behind_(behind), listener_(new_socket()) {
  const sockaddr_un address = address_of(directory / kSocketName);
  PARTITA_CHECK(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  PARTITA_CHECK(listen(listener_, 100) == 0);
  accepting_ = std::thread(&CuttingProxy::accept_all, this);
}

CuttingProxy::~CuttingProxy() {
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  for (std::thread& connection : connections_) connection.join();
  close(listener_);
}

std::string CuttingProxy::between(std::string url) const {
  const std::string behind = behind_.string();
  return url.replace(url.find(behind), behind.size(), directory_.string());
}

void CuttingProxy::accept_all() {
  for (int client; (client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    connections_.emplace_back(&CuttingProxy::pass_on, this, client);
  }
}

void CuttingProxy::pass_on(int client) {
  const int server = new_socket();
  const sockaddr_un address = address_of(behind_ / kSocketName);
  bool goes_on = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  bool ready = false;  // its statements are prepared, so that their names stand for their use
  bool drops_answer = false;
  std::vector<char> bytes(1 << 16);
  while (goes_on) {
    pollfd ends[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    poll(ends, 2, -1);
    for (const bool from_client : {true, false}) {
      if (ends[from_client ? 0 : 1].revents == 0 || !goes_on) continue;
      const ssize_t size = recv(from_client ? client : server, bytes.data(), bytes.size(), 0);
      const std::string_view data(bytes.data(), size > 0 ? static_cast<size_t>(size) : 0);
      const bool commits = from_client && ready && data.find("partita_try") != std::string_view::npos;
      if (from_client && data.find("partita_mark") != std::string_view::npos) ready = true;
      const Cut cut = commits ? next_.exchange(Cut::kNothing) : Cut::kNothing;
      if (cut == Cut::kAnswer) drops_answer = true;
      const bool poisoned = from_client && data.find(kPoison) != std::string_view::npos;
      const bool ends_now = size <= 0 || poisoned || cut == Cut::kCommit || (!from_client && drops_answer);
      if (ends_now && size > 0) ++cuts_;
      goes_on = !ends_now && send_all(from_client ? server : client, data);
    }
  }
  close(client);
  close(server);
}

}  // namespace partita::contract
