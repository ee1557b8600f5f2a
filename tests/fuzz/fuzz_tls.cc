// TLS: whatever a client sends, the server's side neither crashes nor makes up bytes; and what a true client sends
// comes back from an echo, in pieces of any size, unless some of its bytes were changed on the way.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/task.h"
#include "input.h"
#include "net/certificate.h"
#include "net/tls_stream.h"

namespace partita::fuzz {
namespace {

using net::Certificate;
using net::ReadBytes;
using net::Stream;
using net::TlsOptions;
using net::TlsStream;
using net::PendingIo;
using net::WriteBytes;

constexpr size_t kMostInput = 4096;

// A key that is new in each process, and its certificate.
std::unique_ptr<Certificate> make_certificate() {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  PARTITA_CHECK(key != nullptr && certificate != nullptr);
  X509_set_version(certificate.get(), 2);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 24 * 3600);
  X509_set_pubkey(certificate.get(), key.get());
  PARTITA_CHECK(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  const std::string stem = std::filesystem::temp_directory_path() / ("fuzz-tls-" + std::to_string(getpid()));
  const auto write = [](const std::string& name, auto put) {
    const std::unique_ptr<FILE, decltype(&fclose)> file(std::fopen(name.c_str(), "w"), fclose);
    PARTITA_CHECK(file != nullptr && put(file.get()) == 1);
  };
  write(stem + ".pem", [&](FILE* file) { return PEM_write_X509(file, certificate.get()); });
  write(stem + ".key",
        [&](FILE* file) { return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  auto loaded = Certificate::load(stem + ".pem", stem + ".key");
  std::filesystem::remove(stem + ".pem");
  std::filesystem::remove(stem + ".key");
  PARTITA_CHECK(loaded.ok());
  return std::move(loaded).value();
}

// The way between the server's side and this file.
class Pipe final : public Stream {
 public:
  explicit Pipe(std::string& sent) : sent_(sent) {}

  void start_read(std::span<char> into, bool, PendingIo& io) override {
    into_ = into;
    reader_ = &io;
  }
  bool start_write(std::string_view first, std::string_view second, PendingIo& io) override {
    sent_.append(first).append(second);
    io.bytes = first.size() + second.size();
    return true;
  }
  void shutdown(std::string_view last) override { sent_.append(last); }
  bool encrypted() const override { return false; }
  std::string peer() const override { return {}; }
  void close() override {}

  bool reads() const { return reader_ != nullptr; }
  // Precondition: it reads. How much it took; nothing of nothing ends it.
  size_t feed(std::string_view bytes) {
    const size_t size = std::min(bytes.size(), into_.size());
    if (size > 0) std::memcpy(into_.data(), bytes.data(), size);
    PendingIo& done = *std::exchange(reader_, nullptr);
    done.bytes = size;
    done.handle.resume();
    return size;
  }

 private:
  std::string& sent_;
  std::span<char> into_;
  PendingIo* reader_ = nullptr;
};

Task<> echo(Stream& stream) {
  std::array<char, 700> held{};
  while (true) {
    ReadBytes read(stream, held);
    const size_t size = co_await read;
    if (size == 0) break;
    WriteBytes write(stream, std::string_view(held.data(), size / 2),
                     std::string_view(held.data(), size).substr(size / 2));
    const bool written = co_await write;
    if (!written) break;
  }
  stream.shutdown();
}

// The server's side, until feed() says that it has ended.
class Server {
 public:
  explicit Server(const Certificate& certificate) : options_{&certificate, "http/1.1", {}} {
    auto pipe = std::make_unique<Pipe>(sent);
    pipe_ = pipe.get();
    stream_ = TlsStream::accept(std::move(pipe), options_);
    PARTITA_CHECK(stream_ != nullptr);
    start(echo(*stream_), [this] { ended_ = true; });
  }
  ~Server() {
    if (!ended_) pipe_->feed({});
    PARTITA_CHECK(ended_);
  }
  void feed(std::string_view bytes, size_t piece) {
    while (!bytes.empty() && !ended_) {
      PARTITA_CHECK(pipe_->reads());
      bytes.remove_prefix(pipe_->feed(bytes.substr(0, piece)));
    }
  }
  bool ended() const { return ended_; }

  std::string sent;

 private:
  const TlsOptions options_;
  std::unique_ptr<Stream> stream_;
  Pipe* pipe_;
  bool ended_ = false;
};

std::string take(BIO* from) {
  std::string taken(BIO_ctrl_pending(from), '\0');
  if (!taken.empty()) PARTITA_CHECK(BIO_read(from, taken.data(), static_cast<int>(taken.size())) > 0);
  return taken;
}

// A client of OpenSSL's says `plain`; of what it sends in each round one byte may be changed.
void converse(const Certificate& certificate, Input& in) {
  static SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  const std::unique_ptr<SSL, decltype(&SSL_free)> client(SSL_new(context), SSL_free);
  SSL_set_bio(client.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(client.get());
  if (in.flag()) SSL_set_max_proto_version(client.get(), TLS1_2_VERSION);
  const size_t piece = 1 + in.byte() * size_t{in.byte()};
  const size_t changed_round = in.choice(12);  // beyond the last: none
  const size_t changed_at = in.byte() * size_t{7};
  const auto change = static_cast<char>(in.byte());
  const std::string_view plain = in.rest();
  Server server(certificate);
  std::string echoed;
  bool changed = false;
  bool said = plain.empty();
  for (size_t round = 0; round < 12 && !server.ended(); ++round) {
    std::string held(4096, '\0');
    if (SSL_do_handshake(client.get()) == 1) {
      if (!std::exchange(said, true)) SSL_write(client.get(), plain.data(), static_cast<int>(plain.size()));
      for (int size = 0; (size = SSL_read(client.get(), held.data(), static_cast<int>(held.size()))) > 0;) {
        echoed.append(held, 0, static_cast<size_t>(size));
      }
    }
    std::string out = take(SSL_get_wbio(client.get()));
    if (round == changed_round && changed_at < out.size() && change != 0) {
      out[changed_at] = static_cast<char>(out[changed_at] ^ change);
      changed = true;
    }
    server.feed(out, piece);
    const std::string back = std::exchange(server.sent, {});
    if (!back.empty()) BIO_write(SSL_get_rbio(client.get()), back.data(), static_cast<int>(back.size()));
  }
  PARTITA_CHECK(plain.starts_with(echoed));
  if (!changed) PARTITA_CHECK(echoed == plain && !server.ended());
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::fuzz;
  if (size > kMostInput) return -1;
  static const auto certificate = make_certificate();
  Input in(data, size);
  if (in.flag()) {
    converse(*certificate, in);
    return 0;
  }
  const size_t piece = 1 + in.byte();
  Server server(*certificate);
  server.feed(in.rest(), piece);
  return 0;
}
