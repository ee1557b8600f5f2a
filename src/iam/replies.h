// Parts of replies.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "auth/account.h"
#include "iam/request.h"
#include "wire/xml_writer.h"

namespace partita::iam {

// The terms for one kind of principal in calls and replies.
struct KindWords {
  std::string_view element;    // "User"
  std::string_view word;       // "user"
  std::string_view list;       // "Users"
  std::string_view name;       // "UserName"
  std::string_view id;         // "UserId"
  std::string_view id_prefix;  // "AIDA"
  std::string_view inlines;    // "UserPolicyList"
  size_t most_name;
  size_t most;             // the quota
  std::string_view quota;  // the quota's name
  size_t most_inline;      // characters of their inline policies together
};
const KindWords& words_of(auth::PrincipalKind kind);

// "2026-11-22T08:10:11Z".
std::string moment(int64_t ms);

// Writes the principal without its policies. `whole`: with the members that only a request for this principal shows.
void write_principal(Request& request, const auth::Principal& principal, bool whole);
// The members of a <Policy>. `attachments`, `boundaries`: the number of principals that use it.
void write_policy(wire::XmlWriter& out, const auth::ManagedPolicy& policy, size_t attachments, size_t boundaries);
void write_version(wire::XmlWriter& out, std::string_view element, const auth::ManagedPolicy& policy,
                   const auth::PolicyVersion& version, bool with_document);
void write_tags(wire::XmlWriter& out, const std::map<std::string, std::string>& tags);
void write_attached(wire::XmlWriter& out, std::string_view arn);

}  // namespace partita::iam
