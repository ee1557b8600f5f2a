#include "net/client_testing.h"

#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <coroutine>
#include <system_error>
#include <utility>

#include "net/sockets.h"

namespace partita::net {

namespace {

// A socket that connects. To be awaited once: 0 when it is connected, or an errno.
class Connecting final : private Loop::Watcher {
 public:
  Connecting(Loop& loop, int socket, std::chrono::milliseconds timeout)
      : loop_(loop), socket_(socket), timer_(loop, [this] { finish(ETIMEDOUT); }) {
    timer_.start(timeout);
  }
  Connecting(const Connecting&) = delete;
  Connecting& operator=(const Connecting&) = delete;
  ~Connecting() = default;

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    handle_ = handle;
    if (loop_.watch(socket_, *this)) return true;
    error_ = errno;
    return false;
  }
  int await_resume() const noexcept { return error_; }

 private:
  void ready(bool, bool writable, bool) override {
    if (!writable) return;
    int error = 0;
    socklen_t size = sizeof error;
    finish(::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno);
  }
  void finish(int error) {
    error_ = error;
    loop_.unwatch(socket_, *this);
    handle_.resume();
  }

  Loop& loop_;
  int socket_;
  Loop::Timer timer_;
  std::coroutine_handle<> handle_;
  int error_ = 0;
};

Error unreachable(const Address& address, int error) {
  return Error(ErrorKind::kUnavailable,
               "Cannot connect to " + address.text() + ": " + std::system_category().message(error) + ".");
}

}  // namespace

Task<Result<std::unique_ptr<Stream>>> connect(Loop& loop, StreamQueues& queues, Address address,
                                              std::chrono::milliseconds timeout) {
  const int socket = open_socket(address.family(), SOCK_STREAM, Blocking::kNo);
  if (socket < 0) co_return unreachable(address, errno);
  auto stream = std::make_unique<SocketStream>(socket, loop, queues);
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  int error = ::connect(socket, address.get(), address.size()) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    Connecting connecting(loop, socket, timeout);
    error = co_await connecting;
  }
  if (error == 0 && !stream->open()) error = ECONNRESET;
  if (error != 0) co_return unreachable(address, error);
  co_return std::unique_ptr<Stream>(std::move(stream));
}

Result<std::shared_ptr<ssl_ctx_st>> load_authorities(const std::string& file) {
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (context == nullptr) return Error(ErrorKind::kUnavailable, "There is no memory for TLS.");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  const bool loaded = file.empty() ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                                   : SSL_CTX_load_verify_file(context.get(), file.c_str()) == 1;
  if (loaded) return context;
  ERR_clear_error();
  return Error(ErrorKind::kInvalid, "The certificate authorities in " + file + " cannot be read.");
}

}  // namespace partita::net
