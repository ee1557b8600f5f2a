// The certificate authorities that a TLS client trusts.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

struct ssl_ctx_st;  // OpenSSL's

namespace partita::net {

// Immutable; callable from any thread.
class TrustStore {
 public:
  // Those of the PEM file; of the system if the name is empty. Error: kInvalid (reason 0), with one sentence that names
  // the file.
  static Result<TrustStore> load(const std::string& file);

  // TLS 1.2 or 1.3; the peer's certificate is verified.
  ssl_ctx_st* context() const { return context_.get(); }

 private:
  explicit TrustStore(std::shared_ptr<ssl_ctx_st> context) : context_(std::move(context)) {}
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace partita::net
