// Reads the body of a call of IAM or STS: NAME=VALUE, with ampersands between them and percent signs within.
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

// Ours; the longest call is one with a policy of 6,144 characters, each of which may be written with nine.
inline constexpr size_t kMaxFormBytes = size_t{64} << 10;
inline constexpr size_t kMaxFormParameters = 1'000;

class Form {
 public:
  // Faults: kMalformedForm, kFormTooLarge.
  static Result<Form> parse(std::string_view body);

  // Nothing when there is none of that name; it may be empty.
  std::optional<std::string_view> find(std::string_view name) const;
  // In the order of their names.
  const std::map<std::string, std::string, std::less<>>& parameters() const { return parameters_; }

 private:
  std::map<std::string, std::string, std::less<>> parameters_;
};

}  // namespace partita::wire
