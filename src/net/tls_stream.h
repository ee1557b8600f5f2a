// A Stream that carries TLS over another one, as the server or as the client.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "net/certificate.h"
#include "net/stream.h"

// OpenSSL's
struct ssl_ctx_st;
struct ssl_st;

namespace partita::net {

// How a listener speaks TLS.
struct TlsOptions {
  const Certificate* certificate = nullptr;  // outlives the streams
  std::string_view protocol = {};            // to be agreed on by ALPN, such as "http/1.1"; empty: ALPN is ignored
  // Sent to a client that spoke plain HTTP instead of TLS; empty: nothing.
  std::string_view plain_http_reply = {};
};

// For the thread of its `inner` stream. A peer that breaks the protocol has ended the stream.
class TlsStream final : public Stream {
 public:
  // The server's side; the first read shakes hands. `options` outlive the stream. Null: there is no memory for it, and
  // `inner` is closed. Throws std::bad_alloc, the same.
  static std::unique_ptr<Stream> accept(std::unique_ptr<Stream> inner, const TlsOptions& options);
  // The client's side, after the handshake with a server whose certificate is valid for `host`, a name or an address in
  // digits. `context` holds the trusted authorities, and verifies. Error: kUnavailable, with one sentence; `inner` is
  // closed.
  static Task<Result<std::unique_ptr<Stream>>> connect(std::unique_ptr<Stream> inner,
                                                       std::shared_ptr<ssl_ctx_st> context, std::string host);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  void start_read(std::span<char> into, bool bulky, PendingIo& io) override;
  bool start_write(std::string_view first, std::string_view second, PendingIo& io) override;
  void shutdown(std::string_view last) override;
  bool encrypted() const override { return true; }
  std::string peer() const override { return inner_->peer(); }
  std::optional<Address> local() const override { return inner_->local(); }
  void close() override { inner_->close(); }

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };

  TlsStream(std::unique_ptr<Stream> inner, std::unique_ptr<ssl_st, Free> ssl);
  // Null: there is no memory.
  static std::unique_ptr<TlsStream> over(std::unique_ptr<Stream> inner, ssl_ctx_st* context);

  Task<Result<void>> shake_hands(const std::string& host);
  Task<bool> receive_sealed(bool bulky);
  Task<size_t> read(std::span<char> into, bool bulky);
  Task<size_t> read_on(std::span<char> into, bool bulky, bool& waited);
  Task<size_t> write(std::string_view first, std::string_view second);
  Task<bool> send_sealed();
  Task<> give_up();
  bool seal(std::string_view plain);
  std::string take_sealed();

  const std::unique_ptr<Stream> inner_;
  const std::unique_ptr<ssl_st, Free> ssl_;
  std::string_view plain_http_reply_;
  std::vector<char> received_;
  std::string sealed_;             // what is being sent
  PendingIo* writer_ = nullptr;    // a write that did not end at once
  std::optional<size_t> written_;  // by a write that did
};

}  // namespace partita::net
