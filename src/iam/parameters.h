// Parameters of calls, checked as IAM checks them. All Result: kIamInvalid.
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

// "UserName" as it stands in messages: "userName".
std::string word_of(std::string_view parameter);
Error invalid(std::string sentence);

Result<std::string> needed(const Request& request, std::string_view parameter);
std::string text_or(const Request& request, std::string_view parameter, std::string_view absent);
// A name: letters, digits and +=,.@_-, and at most so many.
Result<std::string> name_in(const Request& request, std::string_view parameter, size_t most);
// "/" when absent.
Result<std::string> path_in(const Request& request);
// What the paths of a list begin with; "/" when absent.
Result<std::string> path_prefix_in(const Request& request);
Result<int64_t> number_in(const Request& request, std::string_view parameter, int64_t least, int64_t most,
                          int64_t absent);
// False when absent.
Result<bool> flag_in(const Request& request, std::string_view parameter);
// But for capitals: of names, and of the keys of users' and roles' tags ("Case sensitivity" of tags in IAM's user
// guide).
bool same_name(std::string_view one, std::string_view other);
// Tags.member.1.Key and so on, no two of which may be the same; keys of policies' tags differ by capitals too. Fault:
// also kIamLimit.
enum class TagsOf : uint8_t { kPrincipals, kPolicies };
Result<std::map<std::string, std::string>> tags_in(const Request& request, TagsOf of);
// The values of NAME.member.1, NAME.member.2, ..., of which there is at least one.
Result<std::vector<std::string>> list_in(const Request& request, std::string_view name);

// A document, as that kind of policy, of at most so many characters without white space. Faults: kIamMalformedPolicy,
// kIamLimit with that quota.
Result<std::string> document_in(const Request& request, std::string_view parameter, auth::Policy::Use use,
                                std::string_view quota, size_t most);
// How many characters of a policy count.
size_t counted(std::string_view document);

// Which part of a list is asked for: all behind Marker, MaxItems at most.
class Paging {
 public:
  static Result<Paging> of(const Request& request);
  // Whether that one, the next in the order of their names, is to be shown.
  bool shows(std::string_view name);
  // IsTruncated and Marker.
  void write(Request& request) const;

 private:
  std::string after_;
  std::string last_;
  int64_t left_ = 0;
  bool more_ = false;
};

}  // namespace partita::iam
