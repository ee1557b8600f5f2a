#include "net/tls_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/executor.h"
#include "base/log.h"

namespace partita::net {

namespace {

// An idle connection waits with a small one.
constexpr size_t kReceived = size_t{4} << 10;
constexpr size_t kReceivedOfBulk = size_t{64} << 10;
// Of a large reply, so much is sealed before it is sent.
constexpr size_t kSealedAtOnce = size_t{256} << 10;

}  // namespace

void TlsStream::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

TlsStream::TlsStream(std::unique_ptr<Stream> inner, std::unique_ptr<ssl_st, Free> ssl, const TlsOptions& options)
    : inner_(std::move(inner)), ssl_(std::move(ssl)), options_(options) {}

std::unique_ptr<Stream> TlsStream::accept(std::unique_ptr<Stream> inner, const TlsOptions& options) {
  std::unique_ptr<ssl_st, Free> ssl(SSL_new(options.certificate->context().get()));
  BIO* const received = BIO_new(BIO_s_mem());
  BIO* const sealed = BIO_new(BIO_s_mem());
  if (ssl == nullptr || received == nullptr || sealed == nullptr) {
    BIO_free(received);
    BIO_free(sealed);
    return nullptr;
  }
  SSL_set_bio(ssl.get(), received, sealed);
  SSL_set_accept_state(ssl.get());
  SSL_set_app_data(ssl.get(), const_cast<std::string_view*>(&options.protocol));  // for certificate.cc
  return std::unique_ptr<Stream>(new TlsStream(std::move(inner), std::move(ssl), options));
}

// --- reading
// ----------------------------------------------------------------------------------------------------------

void TlsStream::start_read(std::span<char> into, bool bulky, PendingIo& io) {
  start(read(into, bulky), [&io](size_t bytes) {
    io.bytes = bytes;
    io.handle.resume();
  });
}

// What is there already comes later too, behind what else the thread has to do.
Task<size_t> TlsStream::read(std::span<char> into, bool bulky) {
  bool waited = false;
  size_t bytes = 0;
  try {
    bytes = co_await read_on(into, bulky, waited);
  } catch (const std::bad_alloc&) {
    bytes = 0;
  }
  if (!waited) co_await Yield();
  co_return bytes;
}

Task<size_t> TlsStream::read_on(std::span<char> into, bool bulky, bool& waited) {
  while (true) {
    ERR_clear_error();
    size_t bytes = 0;
    const int done = SSL_read_ex(ssl_.get(), into.data(), into.size(), &bytes);
    const int error = done == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), done);
    if (error != SSL_ERROR_NONE && error != SSL_ERROR_WANT_READ) {
      co_await give_up();
      co_return 0;
    }
    // What the client is to have of the handshake.
    const bool sent = co_await send_sealed();
    if (!sent) co_return 0;
    if (done == 1) co_return bytes;
    received_.resize(bulky ? kReceivedOfBulk : kReceived);
    ReadBytes more(*inner_, received_, bulky);
    const size_t received = co_await more;
    waited = true;
    if (received == 0) co_return 0;
    const int taken = BIO_write(SSL_get_rbio(ssl_.get()), received_.data(), static_cast<int>(received));
    if (taken != static_cast<int>(received)) co_return 0;
  }
}

// The client has ended, or what it sent cannot be read: it is told what OpenSSL has to say to it.
Task<> TlsStream::give_up() {
  const unsigned long why = ERR_peek_error();
  const bool plain_http = ERR_GET_REASON(why) == SSL_R_HTTP_REQUEST;
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  const char* const reason = ERR_reason_error_string(why);
  if (reason != nullptr && !SSL_is_init_finished(ssl_.get()) && throttle.pass(unsaid)) {
    log(LogLevel::kInfo, {"The TLS handshake with a client at ", peer(), " failed: ", reason, "."});
  }
  co_await send_sealed();
  if (!plain_http || options_.plain_http_reply.empty()) co_return;
  WriteBytes write(*inner_, options_.plain_http_reply, {});
  co_await write;
}

// --- writing
// ----------------------------------------------------------------------------------------------------------

bool TlsStream::start_write(std::string_view first, std::string_view second, PendingIo& io) {
  written_.reset();
  start(write(first, second), [this](size_t bytes) {
    if (writer_ == nullptr) {
      written_ = bytes;
      return;
    }
    PendingIo& done = *std::exchange(writer_, nullptr);
    done.bytes = bytes;
    done.handle.resume();
  });
  if (written_) {
    io.bytes = *written_;
    return true;
  }
  writer_ = &io;
  return false;
}

Task<size_t> TlsStream::write(std::string_view first, std::string_view second) {
  try {
    size_t waiting = 0;
    for (std::string_view rest : {first, second}) {
      while (!rest.empty()) {
        const std::string_view piece = rest.substr(0, kSealedAtOnce - waiting);
        if (!seal(piece)) co_return 0;
        rest.remove_prefix(piece.size());
        waiting += piece.size();
        if (waiting < kSealedAtOnce) continue;
        const bool sent = co_await send_sealed();
        if (!sent) co_return 0;
        waiting = 0;
      }
    }
    const bool sent = co_await send_sealed();
    co_return sent ? first.size() + second.size() : 0;
  } catch (const std::bad_alloc&) {
    co_return 0;
  }
}

// Into the memory that take_sealed() empties; it grows, so nothing is ever taken in part.
bool TlsStream::seal(std::string_view plain) {
  ERR_clear_error();
  size_t taken = 0;
  return SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &taken) == 1 && taken == plain.size();
}

std::string TlsStream::take_sealed() {
  std::string sealed;
  BIO* const from = SSL_get_wbio(ssl_.get());
  sealed.resize(BIO_ctrl_pending(from));
  if (!sealed.empty()) sealed.resize(std::max(0, BIO_read(from, sealed.data(), static_cast<int>(sealed.size()))));
  return sealed;
}

Task<bool> TlsStream::send_sealed() {
  if (BIO_ctrl_pending(SSL_get_wbio(ssl_.get())) == 0) co_return true;
  sealed_ = take_sealed();
  WriteBytes write(*inner_, sealed_, {});
  const bool sent = co_await write;
  co_return sent;
}

void TlsStream::shutdown(std::string_view last) {
  if (SSL_is_init_finished(ssl_.get()) && (last.empty() || seal(last))) SSL_shutdown(ssl_.get());
  inner_->shutdown(take_sealed());
}

}  // namespace partita::net
