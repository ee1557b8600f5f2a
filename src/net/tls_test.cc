// A server with TLS, and clients that call it from a loop of their own.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/executor.h"
#include "net/bound_sockets.h"
#include "net/certificate.h"
#include "net/client_testing.h"
#include "net/loop_executor.h"
#include "net/server.h"
#include "net/tls_stream.h"

namespace partita::net {
namespace {

using std::chrono::milliseconds;

// Of this process: of "localhost" and 127.0.0.1, signed by itself. The files are removed with it.
class CertificateFiles {
 public:
  CertificateFiles() {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> secret(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), X509_free);
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 24 * 3600);
    X509_set_pubkey(made.get(), secret.get());
    X509_NAME* const name = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(made.get(), name);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> names(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1"), X509_EXTENSION_free);
    X509_add_ext(made.get(), names.get(), -1);
    PARTITA_CHECK(X509_sign(made.get(), secret.get(), EVP_sha256()) > 0);
    write(chain, [&](FILE* file) { return PEM_write_X509(file, made.get()); });
    write(key,
          [&](FILE* file) { return PEM_write_PrivateKey(file, secret.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  }
  ~CertificateFiles() {
    std::filesystem::remove(chain);
    std::filesystem::remove(key);
  }

  const std::string stem = std::filesystem::temp_directory_path() / ("net-tls-test-" + std::to_string(getpid()));
  const std::string chain = stem + ".pem";
  const std::string key = stem + ".key";

 private:
  static void write(const std::string& name, const std::function<int(FILE*)>& put) {
    const std::unique_ptr<FILE, decltype(&fclose)> file(std::fopen(name.c_str(), "w"), fclose);
    PARTITA_CHECK(file != nullptr && put(file.get()) == 1);
  }
};

// Sends back what it reads.
class Echo final : public Connection {
 public:
  using Connection::Connection;
  Task<> serve() override {
    std::array<char, 100> some{};
    while (true) {
      ReadBytes read(stream(), some);
      const size_t size = co_await read;
      if (size == 0) co_return;
      WriteBytes write(stream(), {some.data(), size}, {});
      const bool written = co_await write;
      if (!written) co_return;
    }
  }
};

class EchoFactory final : public ConnectionFactory {
  std::unique_ptr<Connection> make(std::unique_ptr<Stream> stream) override {
    return std::make_unique<Echo>(std::move(stream));
  }
};

class Tls : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded = Certificate::load(files_.chain, files_.key);
    ASSERT_TRUE(loaded.ok());
    certificate_ = std::move(loaded).value();
    auto sockets = BoundSockets::bind("127.0.0.1", 0, false);
    ASSERT_TRUE(sockets.ok());
    ASSERT_TRUE(server_
                    .listen(std::move(sockets).value(),
                            {.make_factory = [](const WorkerState&) { return std::make_unique<EchoFactory>(); },
                             .tls = {.certificate = certificate_.get()}})
                    .ok());
    ASSERT_TRUE(server_.start().ok());
    thread_ = std::thread([this] { EXPECT_TRUE(server_.run()); });
  }
  void TearDown() override {
    server_.stop();
    thread_.join();
  }

  // What comes back over TLS, or why nothing does, from a server that should have this name.
  std::string ask(const std::string& text, const std::string& host, const std::string& authorities) {
    return run(ask_on_loop(text, host, authorities));
  }
  std::string run(Task<std::string> task) {
    std::string said;
    start(std::move(task), [&](const std::string& text) {
      said = text;
      loop_.stop();
    });
    Executor::set_current(&executor_);
    loop_.run();
    Executor::set_current(nullptr);
    return said;
  }
  Task<std::string> ask_on_loop(std::string text, std::string host, std::string authorities) {
    auto trusted = load_authorities(authorities);
    if (!trusted.ok()) co_return std::string(trusted.error().sentence());
    auto plain = co_await connect(loop_, queues_, server_.addresses().front(), milliseconds(5'000));
    if (!plain.ok()) co_return std::string(plain.error().sentence());
    auto secured = co_await TlsStream::connect(std::move(plain).value(), *trusted, host);
    if (!secured.ok()) co_return std::string(secured.error().sentence());
    Stream& stream = **secured;
    WriteBytes write(stream, text, {});
    const bool written = co_await write;
    std::string back;
    std::array<char, 100> some{};
    while (written && back.size() < text.size()) {
      ReadBytes read(stream, some);
      const size_t size = co_await read;
      if (size == 0) break;
      back.append(some.data(), size);
    }
    stream.shutdown();
    co_return back;
  }

  CertificateFiles files_;
  std::unique_ptr<Certificate> certificate_;
  Server server_{{.threads = 1}, system_clock()};
  std::thread thread_;
  Loop loop_;
  LoopExecutor executor_{loop_};
  StreamQueues queues_{loop_};
};

TEST_F(Tls, ClientsThatTrustTheCertificateAreServed) { EXPECT_EQ(ask("hello", "localhost", files_.chain), "hello"); }

TEST_F(Tls, AnAddressInDigitsIsANameToo) {
  EXPECT_EQ(ask(std::string(1'000, 'x'), "127.0.0.1", files_.chain), std::string(1'000, 'x'));
}

TEST_F(Tls, ClientsRefuseCertificatesThatNobodyTheyTrustHasSigned) {
  EXPECT_EQ(ask("hello", "localhost", ""), "The TLS handshake with localhost failed: self-signed certificate.");
}

TEST_F(Tls, ClientsRefuseCertificatesOfOthers) {
  EXPECT_EQ(ask("hello", "db.example.com", files_.chain),
            "The TLS handshake with db.example.com failed: hostname mismatch.");
}

TEST_F(Tls, AuthoritiesThatCannotBeReadAreToldOf) {
  EXPECT_EQ(ask("", "localhost", files_.key), "The certificate authorities in " + files_.key + " cannot be read.");
}

TEST(Connector, SaysWhyThereIsNoConnection) {
  Loop loop;
  StreamQueues queues(loop);
  auto sockets = BoundSockets::bind("127.0.0.1", 0, false);  // and nobody listens
  ASSERT_TRUE(sockets.ok());
  const Address address = sockets->all().front().place;
  std::string said;
  start(connect(loop, queues, address, milliseconds(5'000)), [&](const Result<std::unique_ptr<Stream>>& connected) {
    said = connected.ok() ? "connected" : connected.error().sentence();
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(said, "Cannot connect to " + address.text() + ": Connection refused.");
}

}  // namespace
}  // namespace partita::net
