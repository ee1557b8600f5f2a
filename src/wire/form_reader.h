// Parses the body of an IAM or STS call: percent-encoded NAME=VALUE pairs, separated by ampersands.
//
//   PARTITA_TRY(const Form form, Form::parse(body));
//   form.find("UserName")
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::wire {

// Partita's own limits. The longest call has a policy of 6,144 characters, each of which may take nine.
inline constexpr size_t kMaxFormBytes = size_t{64} << 10;
inline constexpr size_t kMaxFormParameters = 1'000;

class Form {
 public:
  // Faults: kMalformedForm, kFormTooLarge.
  static Result<Form> parse(std::string_view body);

  // Nullopt if there is none of that name. The value may be empty.
  std::optional<std::string_view> find(std::string_view name) const;
  // Sorted by name.
  const std::map<std::string, std::string, std::less<>>& parameters() const { return parameters_; }

 private:
  std::map<std::string, std::string, std::less<>> parameters_;
};

}  // namespace partita::wire
