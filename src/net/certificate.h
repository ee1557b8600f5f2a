// The certificate of a TLS server and its key, from two files.
//
//   PARTITA_TRY(const auto certificate, net::Certificate::load("server.pem", "server.key"));
//   certificate->reload();  // the files were replaced
#pragma once

#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_annotations.h"

struct ssl_ctx_st;  // OpenSSL's

namespace partita::net {

// Callable from any thread.
class Certificate {
 public:
  // Both files are PEM. The first has the certificate, then the chain if there is one; the key has no passphrase.
  // Error: kInvalid (reason 0), with one sentence that names the file.
  static Result<std::unique_ptr<Certificate>> load(std::string chain_file, std::string key_file);

  // Reads the files again, for new connections; open ones keep the old certificate. After an error nothing has changed.
  // Logs a warning if the certificate has expired or is not valid yet.
  Result<void> reload();

  // TLS 1.2 or 1.3. Never null.
  std::shared_ptr<ssl_ctx_st> context() const;

 private:
  Certificate(std::string chain_file, std::string key_file);

  const std::string chain_file_;
  const std::string key_file_;
  mutable Mutex mutex_;
  std::shared_ptr<ssl_ctx_st> context_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::net
