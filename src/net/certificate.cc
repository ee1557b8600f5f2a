#include "net/certificate.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/whole_file.h"

namespace partita::net {

namespace {

// The protocol that the stream wants (see TlsStream), from those that the client offers: each a length and a name.
int choose_protocol(SSL* ssl, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  const std::string_view wanted = *static_cast<const std::string_view*>(SSL_get_app_data(ssl));
  if (wanted.empty()) return SSL_TLSEXT_ERR_NOACK;
  const std::string_view all(reinterpret_cast<const char*>(offered), offered_size);
  for (size_t at = 0; at < all.size(); at += 1 + offered[at]) {
    if (all.substr(at + 1, offered[at]) != wanted) continue;
    *chosen = offered + at + 1;
    *size = offered[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

// There is no operator to ask.
int no_passphrase(char*, int, int, void*) { return 0; }

Error wrong(std::string sentence) {
  ERR_clear_error();
  return Error(ErrorKind::kInvalid, std::move(sentence));
}

// The text of the file, if it has a PEM block of that name. `what`: for the message.
Result<std::string> read_pem(const std::string& file, std::string_view what, std::string_view block) {
  const std::string called = "The " + std::string(what) + " in";
  const std::string said = called + " " + file;
  auto read = read_whole_file(file, called);
  if (!read.ok()) return wrong(std::string(read.error().sentence()));
  std::string held = std::move(read).value();
  if (held.empty()) return wrong(said + " cannot be read: it is empty.");
  for (size_t at = held.find("-----BEGIN "); at != std::string::npos; at = held.find("-----BEGIN ", at + 1)) {
    const std::string_view line = std::string_view(held).substr(at, held.find('\n', at) - at);
    if (line.find(block) != std::string_view::npos) return held;
  }
  return wrong(said + " is not PEM: there is no line '-----BEGIN " + std::string(block) + "-----' in it.");
}

// As OpenSSL says it.
std::string last_reason() {
  const char* const why = ERR_reason_error_string(ERR_peek_last_error());
  return why == nullptr ? std::string() : " (" + std::string(why) + ")";
}

Result<void> use_files(SSL_CTX* context, const std::string& chain_file, const std::string& key_file) {
  PARTITA_TRY_VOID(read_pem(chain_file, "certificate", "CERTIFICATE"));
  PARTITA_TRY(const std::string key, read_pem(key_file, "key", "PRIVATE KEY"));
  if (SSL_CTX_use_certificate_chain_file(context, chain_file.c_str()) != 1) {
    return wrong("The certificate in " + chain_file + " is damaged" + last_reason() + ".");
  }
  if (key.find("ENCRYPTED") != std::string::npos) {
    return wrong("The key in " + key_file + " has a passphrase, and there is nobody to be asked for it.");
  }
  const bool read = SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) == 1;
  // OpenSSL accepts a key of another kind than the certificate's, and then has no certificate for it.
  if (read && SSL_CTX_check_private_key(context) == 1) return {};
  if (read || ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_X509) {
    return wrong("The key in " + key_file + " is not the key of the certificate in " + chain_file + ".");
  }
  return wrong("The key in " + key_file + " is damaged" + last_reason() + ".");
}

// Not an error: clients refuse such a certificate, but a server that refused it could not restart.
void warn_of_its_time(const SSL_CTX* context, const std::string& chain_file) {
  const X509* const shown = SSL_CTX_get0_certificate(context);
  if (shown == nullptr) return;
  const auto warn = [&](std::string_view why) {
    log(LogLevel::kWarn, {"The certificate in ", chain_file, why, " Clients will refuse it."});
  };
  if (X509_cmp_current_time(X509_get0_notAfter(shown)) < 0) warn(" has expired.");
  if (X509_cmp_current_time(X509_get0_notBefore(shown)) > 0) warn(" is not valid yet.");
}

Result<std::shared_ptr<SSL_CTX>> read(const std::string& chain_file, const std::string& key_file) {
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr) return Error(ErrorKind::kUnavailable, "There is no memory for TLS.");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // For TLS 1.2 only AEAD suites with forward secrecy. TLS 1.3 has no others.
  PARTITA_CHECK(SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20") == 1);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Idle connections then have no buffers.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  // Sessions are resumed by tickets, which clients keep.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context.get(), no_passphrase);
  PARTITA_TRY_VOID(use_files(context.get(), chain_file, key_file));
  warn_of_its_time(context.get(), chain_file);
  return context;
}

}  // namespace

Certificate::Certificate(std::string chain_file, std::string key_file)
    : chain_file_(std::move(chain_file)), key_file_(std::move(key_file)) {}

Result<std::unique_ptr<Certificate>> Certificate::load(std::string chain_file, std::string key_file) {
  std::unique_ptr<Certificate> certificate(new Certificate(std::move(chain_file), std::move(key_file)));
  PARTITA_TRY_VOID(certificate->reload());
  return certificate;
}

Result<void> Certificate::reload() {
  PARTITA_TRY(std::shared_ptr<SSL_CTX> context, read(chain_file_, key_file_));
  const MutexLock lock(mutex_);
  context_ = std::move(context);
  return {};
}

std::shared_ptr<ssl_ctx_st> Certificate::context() const {
  const MutexLock lock(mutex_);
  return context_;
}

}  // namespace partita::net
