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

// Of the buffer for received bytes: small while a connection may be idle.
constexpr size_t kReceived = size_t{4} << 10;
constexpr size_t kReceivedOfBulk = size_t{64} << 10;
// A larger write is encrypted and sent in parts of this size.
constexpr size_t kSealedAtOnce = size_t{256} << 10;

}  // namespace

void TlsStream::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

TlsStream::TlsStream(std::unique_ptr<Stream> inner, std::unique_ptr<ssl_st, Free> ssl)
    : inner_(std::move(inner)), ssl_(std::move(ssl)) {}

std::unique_ptr<TlsStream> TlsStream::over(std::unique_ptr<Stream> inner, SSL_CTX* context) {
  std::unique_ptr<ssl_st, Free> ssl(SSL_new(context));
  BIO* const received = BIO_new(BIO_s_mem());
  BIO* const sealed = BIO_new(BIO_s_mem());
  if (ssl == nullptr || received == nullptr || sealed == nullptr) {
    BIO_free(received);
    BIO_free(sealed);
    return nullptr;
  }
  SSL_set_bio(ssl.get(), received, sealed);
  return std::unique_ptr<TlsStream>(new TlsStream(std::move(inner), std::move(ssl)));
}

std::unique_ptr<Stream> TlsStream::accept(std::unique_ptr<Stream> inner, const TlsOptions& options) {
  auto stream = over(std::move(inner), options.certificate->context().get());
  if (stream == nullptr) return nullptr;
  SSL_set_accept_state(stream->ssl_.get());
  SSL_set_app_data(stream->ssl_.get(), const_cast<std::string_view*>(&options.protocol));  // for certificate.cc
  stream->plain_http_reply_ = options.plain_http_reply;
  return stream;
}

Task<Result<std::unique_ptr<Stream>>> TlsStream::connect(std::unique_ptr<Stream> inner,
                                                         std::shared_ptr<ssl_ctx_st> context, std::string host) {
  auto stream = over(std::move(inner), context.get());
  if (stream == nullptr) co_return Error(ErrorKind::kUnavailable, "There is no memory for TLS.");
  PARTITA_CO_TRY_VOID(co_await stream->shake_hands(host));
  co_return std::unique_ptr<Stream>(std::move(stream));
}

// As the client.
Task<Result<void>> TlsStream::shake_hands(const std::string& host) {
  const auto failed = [&](std::string_view why) {
    return Error(ErrorKind::kUnavailable, "The TLS handshake with " + host + " failed: " + std::string(why) + ".");
  };
  SSL* const ssl = ssl_.get();
  SSL_set_connect_state(ssl);
  const bool in_digits = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  if (!in_digits && (SSL_set1_host(ssl, host.c_str()) != 1 || SSL_set_tlsext_host_name(ssl, host.c_str()) != 1)) {
    co_return failed("it has no such name");
  }
  while (true) {
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl);
    const bool wants_more = done != 1 && SSL_get_error(ssl, done) == SSL_ERROR_WANT_READ;
    const bool refused = done != 1 && !wants_more;
    const char* const reason = refused ? ERR_reason_error_string(ERR_peek_error()) : nullptr;
    const bool sent = co_await send_sealed();  // also why it is refused
    if (refused) {
      const long verified = SSL_get_verify_result(ssl);
      if (verified != X509_V_OK) co_return failed(X509_verify_cert_error_string(verified));
      co_return failed(reason == nullptr ? "the server ended it" : reason);
    }
    if (done == 1 && sent) co_return Result<void>();
    const bool received = sent && co_await receive_sealed(false);
    if (!received) co_return failed("the server ended the connection");
  }
}

// --- reading
// ----------------------------------------------------------------------------------------------------------

void TlsStream::start_read(std::span<char> into, bool bulky, PendingIo& io) {
  start(read(into, bulky), [&io](size_t bytes) {
    io.bytes = bytes;
    io.handle.resume();
  });
}

// Bytes that are there already are delivered later too, after everything else that is ready.
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
    // The handshake, if it is under way.
    const bool sent = co_await send_sealed();
    if (!sent) co_return 0;
    if (done == 1) co_return bytes;
    const bool received = co_await receive_sealed(bulky);
    waited = true;
    if (!received) co_return 0;
  }
}

Task<bool> TlsStream::receive_sealed(bool bulky) {
  received_.resize(bulky ? kReceivedOfBulk : kReceived);
  ReadBytes more(*inner_, received_, bulky);
  const size_t received = co_await more;
  if (received == 0) co_return false;
  const int taken = BIO_write(SSL_get_rbio(ssl_.get()), received_.data(), static_cast<int>(received));
  co_return taken == static_cast<int>(received);
}

// The client has ended, or what it sent cannot be read: sends OpenSSL's alert.
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
  if (!plain_http || plain_http_reply_.empty()) co_return;
  WriteBytes write(*inner_, plain_http_reply_, {});
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

// Into the memory that take_sealed() empties. It grows, so all of `plain` is accepted.
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
