// Where a session of `partita mcp` makes its calls: of a store that this process has opened, or of a server that runs.
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
  // `target` is what X-Amz-Target names. A call that cannot be made is answered with an error too. Blocks.
  virtual Answer ask(std::string_view target, std::string_view body) = 0;
};

// Whether a request of ExecuteStatement only reads.
bool is_select(std::string_view statement);
// What is answered to a call that is not made: one sentence.
McpCalls::Answer mcp_error(std::string_view message);

class LocalMcpCalls final : public McpCalls {
 public:
  // Whose policies judge the calls; null: it may do everything. All outlive it.
  LocalMcpCalls(namespaces::Namespaces& namespaces, const auth::Identity* identity);
  Answer ask(std::string_view target, std::string_view body) override;

 private:
  namespaces::Namespaces& namespaces_;
  admin::OperatorCalls operator_calls_{namespaces_};
  const std::shared_ptr<const auth::Caller> caller_;
};

// Each call takes a connection of its own, so that none is lost to a server that ended an idle one.
class RemoteMcpCalls final : public McpCalls {
 public:
  // What requests are signed with.
  struct Signer {
    std::string key_id;
    std::string secret;
    std::string session_token;  // or empty
    std::string region;
    // Of AWS_ACCESS_KEY_ID and so on; a server that verifies no signatures takes what stands in for those not set.
    static Signer of_environment();
  };
  // `space`: the namespace, or empty. Without `writes` statements that change anything are not sent. Error: kInvalid
  // (reason 0), with one sentence, for what is no address.
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
