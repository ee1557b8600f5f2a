// A call in progress.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "auth/account.h"
#include "auth/authenticate.h"
#include "iam/call.h"
#include "iam/directory.h"
#include "wire/form_reader.h"
#include "wire/xml_writer.h"

namespace partita::iam {

struct Request {
  const CallRow& call;
  const wire::Form& form;
  const auth::Caller& caller;
  const Known& known;
  int64_t now_ms;
  PolicyChecker& judge;
  auth::Account& account;  // to be changed
  wire::XmlWriter& out;    // of the reply's result
};

// The functions of the calls, by file. If one serves several kinds, the call's `about` says which.

// principals.cc
Result<void> create_principal(Request& request);
Result<void> get_principal(Request& request);
Result<void> delete_principal(Request& request);
Result<void> list_principals(Request& request);
Result<void> put_inline_policy(Request& request);
Result<void> get_inline_policy(Request& request);
Result<void> delete_inline_policy(Request& request);
Result<void> list_inline_policies(Request& request);
Result<void> attach_policy(Request& request);
Result<void> detach_policy(Request& request);
Result<void> list_attached_policies(Request& request);
Result<void> put_boundary(Request& request);
Result<void> delete_boundary(Request& request);
Result<void> tag_principal(Request& request);
Result<void> untag_principal(Request& request);
Result<void> list_principal_tags(Request& request);
Result<void> update_trust(Request& request);

// users.cc
Result<void> create_access_key(Request& request);
Result<void> update_access_key(Request& request);
Result<void> delete_access_key(Request& request);
Result<void> list_access_keys(Request& request);
Result<void> get_group(Request& request);
Result<void> add_user_to_group(Request& request);
Result<void> remove_user_from_group(Request& request);
Result<void> list_groups_for_user(Request& request);

// policies.cc
Result<void> create_policy(Request& request);
Result<void> get_policy(Request& request);
Result<void> delete_policy(Request& request);
Result<void> list_policies(Request& request);
Result<void> create_policy_version(Request& request);
Result<void> get_policy_version(Request& request);
Result<void> delete_policy_version(Request& request);
Result<void> list_policy_versions(Request& request);
Result<void> set_default_policy_version(Request& request);
Result<void> get_account_authorization_details(Request& request);

// sts.cc
Result<void> get_caller_identity(Request& request);
Result<void> get_session_token(Request& request);
Result<void> assume_role(Request& request);

}  // namespace partita::iam
