// The calls of a `partita mcp` session: to a store that this process has opened, or to a running server.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "admin/operator_calls.h"
#include "auth/authenticate.h"
#include "auth/identities.h"
#include "base/clock.h"
#include "base/result.h"
#include "namespaces/namespaces.h"
#include "net/http_client.h"

namespace partita::cli {

class McpCalls {
 public:
  struct Answer {
    int status = 200;
    std::string body;
  };
  virtual ~McpCalls() = default;
  // `target`: the value of X-Amz-Target. A call that cannot be made also returns an error answer. Blocks.
  virtual Answer ask(std::string_view target, std::string_view body) = 0;
};

// Whether a request of ExecuteStatement only reads.
bool is_select(std::string_view statement);
// The answer to a call that is not made. `message`: one sentence.
McpCalls::Answer mcp_error(std::string_view message);

class LocalMcpCalls final : public McpCalls {
 public:
  // The policies of `identity` apply; null: everything is allowed. Both outlive this.
  LocalMcpCalls(namespaces::Namespaces& namespaces, const auth::Identity* identity);
  Answer ask(std::string_view target, std::string_view body) override;

 private:
  namespaces::Namespaces& namespaces_;
  admin::OperatorCalls operator_calls_{namespaces_};
  const std::shared_ptr<const auth::Caller> caller_;
};

// Opens a connection for each call, so that no call fails because the server closed an idle connection.
class RemoteMcpCalls final : public McpCalls {
 public:
  // The key that signs requests.
  struct Signer {
    std::string key_id;
    std::string secret;
    std::string session_token;  // or empty
    std::string region;
    // From AWS_ACCESS_KEY_ID and so on. Placeholders replace unset ones, for servers that verify no signatures.
    static Signer of_environment();
  };
  // `space`: the namespace, or empty. Without `writes`, statements that write are not sent. Error: kInvalid (reason 0),
  // with one sentence, for an invalid address.
  static Result<std::unique_ptr<McpCalls>> open(std::string_view url, std::string space, bool writes, Signer signer,
                                                const Clock& clock);
  Answer ask(std::string_view target, std::string_view body) override;

 private:
  RemoteMcpCalls(net::Url url, std::string space, bool writes, Signer signer, const Clock& clock)
      : url_(std::move(url)), space_(std::move(space)), writes_(writes), signer_(std::move(signer)), clock_(clock) {}

  const net::Url url_;
  const std::string space_;
  const bool writes_;
  const Signer signer_;
  const Clock& clock_;
};

}  // namespace partita::cli
