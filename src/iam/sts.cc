// Who calls, and credentials for a while.
#include <algorithm>
#include <utility>

#include "auth/identities.h"
#include "auth/seal.h"
#include "auth/session.h"
#include "iam/parameters.h"
#include "iam/principals.h"
#include "iam/replies.h"
#include "model/fault.h"

namespace partita::iam {

namespace {

using auth::Identity;
using auth::Session;
using model::Fault;
using model::refuse;

constexpr int64_t kLeastSeconds = 900;
constexpr int64_t kHour = 3'600;
constexpr size_t kMostPolicy = 2'048;

std::string root_arn() { return "arn:aws:iam::" + std::string(auth::kAccountId) + ":root"; }

// Makes the session one of now, and writes its credentials.
void give(Request& request, Session session, int64_t seconds) {
  constexpr size_t kKeyCharacters = 16;
  if (request.account.seal_key.empty()) request.account.seal_key = auth::secret_bytes(auth::kSealKeyBytes);
  session.key_id = fresh_id(auth::kSessionKeyPrefix, kKeyCharacters);
  session.secret = auth::fresh_secret();
  session.issued_ms = request.now_ms;
  session.expires_ms = request.now_ms + seconds * 1'000;
  request.out.begin("Credentials");
  request.out.text("AccessKeyId", session.key_id);
  request.out.text("SecretAccessKey", session.secret);
  request.out.text("SessionToken", auth::token_of(session, request.account.seal_key));
  request.out.text("Expiration", moment(session.expires_ms));
  request.out.end();
}

Result<std::string> session_name_in(const Request& request) {
  PARTITA_TRY(std::string name, needed(request, "RoleSessionName"));
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_+=,.@-").find(c) != std::string_view::npos;
  });
  if (!plain) {
    return invalid("1 validation error detected: Value '" + name +
                   "' at 'roleSessionName' failed to satisfy constraint: Member must satisfy regular expression "
                   "pattern: [\\w+=,.@-]*");
  }
  if (name.size() < 2 || name.size() > 64) {
    return invalid("1 validation error detected: Value '" + name +
                   "' at 'roleSessionName' failed to satisfy constraint: Member must have length " +
                   (name.size() < 2 ? "greater than or equal to 2" : "less than or equal to 64"));
  }
  return name;
}

// Null when it is not there.
const Identity* find_role(const Request& request, std::string_view arn) {
  const Identity* const role = request.known.identities.find_role(arn.substr(arn.rfind('/') + 1));
  return role != nullptr && role->role == arn ? role : nullptr;
}

}  // namespace

Result<void> get_caller_identity(Request& request) {
  const Identity* const who = request.caller.identity;
  request.out.text("UserId", who == nullptr ? std::string(auth::kAccountId) : who->id);
  request.out.text("Account", request.caller.account_id);
  request.out.text("Arn", who == nullptr ? root_arn() : who->arn);
  return {};
}

Result<void> get_session_token(Request& request) {
  constexpr int64_t kLongest = 129'600;
  constexpr int64_t kUsual = 43'200;
  const Identity* const who = request.caller.identity;
  if (request.caller.temporary) return refuse(Fault::kStsSessionMayNot, {"GetSessionToken"});
  // Nobody would believe them: see Directory::find().
  if (request.caller.signed_for == auth::SignedFor::kAny) return refuse(Fault::kStsNobodySigned, {"GetSessionToken"});
  PARTITA_TRY(int64_t seconds, number_in(request, "DurationSeconds", kLeastSeconds, kLongest, kUsual));
  if (who == nullptr) seconds = std::min(seconds, kHour);
  Session session;
  session.of = who == nullptr ? Session::Of::kRoot : Session::Of::kUser;
  if (who != nullptr) session.name = who->name;
  if (who != nullptr) session.id = who->id;
  session.given_to = request.caller.access_key_id;
  give(request, std::move(session), seconds);
  return {};
}

Result<void> assume_role(Request& request) {
  constexpr int64_t kLongest = 43'200;
  PARTITA_TRY(const std::string arn, needed(request, "RoleArn"));
  Session session;
  session.of = Session::Of::kRole;
  PARTITA_TRY(session.session, session_name_in(request));
  PARTITA_TRY(const int64_t seconds, number_in(request, "DurationSeconds", kLeastSeconds, kLongest, kHour));
  if (request.form.find("Policy")) {
    PARTITA_TRY(session.policy,
                document_in(request, "Policy", auth::Policy::Use::kIdentity, "PackedPolicySize", kMostPolicy));
  }
  const Identity* const role = find_role(request, arn);
  const Identity* const who = request.caller.identity;
  if (role == nullptr) {
    return refuse(Fault::kStsNotAuthorized, {who == nullptr ? root_arn() : who->arn, "sts:AssumeRole", arn});
  }
  PARTITA_TRY_VOID(request.judge.check(
      "sts:AssumeRole", {.resource = arn, .trust = role->trust, .tags = &role->tags, .session_name = session.session}));
  if (seconds > role->max_session_s) return refuse(Fault::kStsTooLong);
  const bool chained = who != nullptr && !who->role.empty();
  if (chained && seconds > kHour) return refuse(Fault::kStsChained);
  session.name = arn.substr(arn.rfind('/') + 1);
  session.id = role->id;
  request.out.begin("AssumedRoleUser");
  request.out.text("AssumedRoleId", role->id + ":" + session.session);
  request.out.text(
      "Arn", "arn:aws:sts::" + std::string(auth::kAccountId) + ":assumed-role/" + session.name + "/" + session.session);
  request.out.end();
  const size_t size = session.policy.size();
  give(request, std::move(session), seconds);
  if (size > 0) request.out.number("PackedPolicySize", static_cast<int64_t>(size * 100 / kMostPolicy));
  return {};
}

}  // namespace partita::iam
