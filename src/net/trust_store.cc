#include "net/trust_store.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>

namespace partita::net {

Result<TrustStore> TrustStore::load(const std::string& file) {
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (context == nullptr) return Error(ErrorKind::kUnavailable, "There is no memory for TLS.");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  const bool loaded = file.empty() ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                                   : SSL_CTX_load_verify_file(context.get(), file.c_str()) == 1;
  if (loaded) return TrustStore(std::move(context));
  ERR_clear_error();
  return Error(ErrorKind::kInvalid, "The certificate authorities in " + file + " cannot be read.");
}

}  // namespace partita::net
