// Parameters of calls, checked as IAM checks them. Error of every Result: kIamInvalid.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "iam/request.h"

namespace partita::iam {

// The form of "UserName" in messages: "userName".
std::string word_of(std::string_view parameter);
Error invalid(std::string sentence);

Result<std::string> needed(const Request& request, std::string_view parameter);
std::string text_or(const Request& request, std::string_view parameter, std::string_view absent);
// A name: letters, digits and +=,.@_-, at most `most` of them.
Result<std::string> name_in(const Request& request, std::string_view parameter, size_t most);
// "/" when absent.
Result<std::string> path_in(const Request& request);
// The path prefix of a list; "/" when absent.
Result<std::string> path_prefix_in(const Request& request);
Result<int64_t> number_in(const Request& request, std::string_view parameter, int64_t least, int64_t most,
                          int64_t absent);
// False when absent.
Result<bool> flag_in(const Request& request, std::string_view parameter);
// Compares names, and tag keys of users and roles, ignoring case ("Case sensitivity" of tags in IAM's user guide).
bool same_name(std::string_view one, std::string_view other);
// Tags.member.1.Key and so on. No two keys may be the same; for policies, keys are case-sensitive. Fault: also
// kIamLimit.
enum class TagsOf : uint8_t { kPrincipals, kPolicies };
Result<std::map<std::string, std::string>> tags_in(const Request& request, TagsOf of);
// The values of NAME.member.1, NAME.member.2, ...; at least one.
Result<std::vector<std::string>> list_in(const Request& request, std::string_view name);

// A policy document for that use, of at most `most` characters without white space. Faults: kIamMalformedPolicy,
// kIamLimit with that quota.
Result<std::string> document_in(const Request& request, std::string_view parameter, auth::Policy::Use use,
                                std::string_view quota, size_t most);
// The number of characters of a policy that count.
size_t counted(std::string_view document);

// The requested part of a list: at most MaxItems entries after Marker.
class Paging {
 public:
  static Result<Paging> of(const Request& request);
  // Whether the entry, the next in name order, is in that part.
  bool shows(std::string_view name);
  // Writes IsTruncated and Marker.
  void write(Request& request) const;

 private:
  std::string after_;
  std::string last_;
  int64_t left_ = 0;
  bool more_ = false;
};

}  // namespace partita::iam
