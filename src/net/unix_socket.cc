#include "net/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "net/sockets.h"

namespace partita::net {

namespace {

constexpr timeval kConnectTimeout{.tv_sec = 5, .tv_usec = 0};

// The address of a socket. On Linux it goes through the directory of the socket, which is held open: an address has
// room for 107 bytes only, and paths are longer. Other systems have no such detour and refuse longer paths.
class UnixAddress {
 public:
  explicit UnixAddress(const std::string& path) {
#if defined(__linux__)
    const size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    directory_ = ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    error_ = directory_ < 0 ? errno : 0;
    const std::string name =
        "/proc/self/fd/" + std::to_string(directory_) + "/" + path.substr(slash == std::string::npos ? 0 : slash + 1);
#else
    const std::string& name = path;
#endif
    if (error_ == 0 && name.size() >= sizeof address_.sun_path) error_ = ENAMETOOLONG;
    address_.sun_family = AF_UNIX;
    if (error_ == 0) std::ranges::copy(name, address_.sun_path);
  }
  ~UnixAddress() {
    if (directory_ >= 0) ::close(directory_);
  }
  UnixAddress(const UnixAddress&) = delete;
  UnixAddress& operator=(const UnixAddress&) = delete;

  // 0, or an errno.
  int error() const { return error_; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }

 private:
  int directory_ = -1;
  int error_ = 0;
  sockaddr_un address_{};
};

std::string text_of(int error) { return std::system_category().message(error); }

// 0 if `*socket` is connected, or an errno; EAGAIN (on macOS ECONNREFUSED) if the server's queue is full.
int connect(const UnixAddress& address, Blocking blocking, int* socket) {
  *socket = open_socket(AF_UNIX, SOCK_STREAM, blocking);
  if (*socket < 0) return errno;
  ::setsockopt(*socket, SOL_SOCKET, SO_SNDTIMEO, &kConnectTimeout, sizeof kConnectTimeout);
  if (::connect(*socket, address.get(), sizeof(sockaddr_un)) == 0) return 0;
  const int error = errno;
  ::close(std::exchange(*socket, -1));
  return error;
}

// Why a name is taken, and what to do about it.
std::string why_taken(const std::string& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) == 0 && !S_ISSOCK(found.st_mode)) {
    return "there is something else of that name, which is left alone; move it away, or name another file";
  }
  return text_of(EADDRINUSE) + ", by a server that listens there; name another file";
}

// Whether a killed server left it behind.
bool is_left_behind(const std::string& path, const UnixAddress& address) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return false;
  int socket = -1;
  // A server that listens may be too busy to wait for.
  const int error = connect(address, Blocking::kNo, &socket);
  if (socket >= 0) ::close(socket);
  return error == ECONNREFUSED;
}

int bind_and_listen(int socket, const UnixAddress& address) {
  // Before it has a name, so that no other user can ever open it.
  if (::fchmod(socket, S_IRUSR | S_IWUSR) != 0) return errno;
  if (::bind(socket, address.get(), sizeof(sockaddr_un)) != 0) return errno;
  return ::listen(socket, SOMAXCONN) == 0 ? 0 : errno;
}

}  // namespace

Result<std::unique_ptr<UnixSocket>> UnixSocket::listen(const std::string& path) {
  const auto failed = [&](int error) {
    const std::string why = error == EADDRINUSE ? why_taken(path) : text_of(error);
    return Error(ErrorKind::kUnavailable, "Cannot listen at " + path + ": " + why + ".");
  };
  const UnixAddress address(path);
  if (address.error() != 0) return failed(address.error());
  const int socket = open_socket(AF_UNIX, SOCK_STREAM, Blocking::kNo);
  if (socket < 0) return failed(errno);
  std::unique_ptr<UnixSocket> opened(new UnixSocket(path, socket));
  int error = bind_and_listen(socket, address);
  if (error == EADDRINUSE && is_left_behind(path, address)) {
    error = ::unlink(path.c_str()) == 0 ? bind_and_listen(socket, address) : errno;
  }
  if (error != 0) return failed(error);
  struct stat made{};
  if (::lstat(path.c_str(), &made) == 0) opened->inode_ = made.st_ino;
  return opened;
}

UnixSocket::~UnixSocket() {
  struct stat found{};
  if (inode_ != 0 && ::lstat(path_.c_str(), &found) == 0 && found.st_ino == inode_) ::unlink(path_.c_str());
  ::close(socket_);
}

int connect_unix(const std::string& path, int& socket) {
  const UnixAddress address(path);
  return address.error() != 0 ? address.error() : connect(address, Blocking::kYes, &socket);
}

}  // namespace partita::net
