// Errors, classified by what the caller does about them.
//
// An Error is one pointer wide and cheap to move; there is no null Error. Bad input is an Error of kind kInvalid whose
// `reason` is a model::Fault and whose `args` fill the blanks of that fault's text. The texts, and all AWS names, are
// in `wire`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

enum class ErrorKind : uint8_t {
  kInvalid,      // the request cannot succeed as it is; `reason` says why
  kConflict,     // others changed the same records too often; a retry may succeed
  kTooLarge,     // exceeds a limit of the store; nothing was changed
  kUnknown,      // the commit may or may not have happened
  kUnavailable,  // the medium failed (disk full, I/O error, shutting down); nothing was changed
  kCorrupt,      // stored bytes differ from what was written
};

// Data of an error beyond its text, such as the item that failed a condition.
struct ErrorDetail {
  virtual ~ErrorDetail() = default;
};

class Error {
 public:
  Error(ErrorKind kind, uint16_t reason, std::vector<std::string> args = {},
        std::shared_ptr<const ErrorDetail> detail = nullptr)
      : rep_(std::make_unique<Rep>(Rep{kind, reason, std::move(args), std::move(detail)})) {}

  // For kinds other than kInvalid: one sentence for the operator.
  Error(ErrorKind kind, std::string sentence) : Error(kind, 0, {std::move(sentence)}) {}

  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  Error(const Error& other) : rep_(std::make_unique<Rep>(*other.rep_)) {}
  Error& operator=(const Error& other) {
    rep_ = std::make_unique<Rep>(*other.rep_);
    return *this;
  }
  ~Error() = default;

  ErrorKind kind() const { return rep_->kind; }
  uint16_t reason() const { return rep_->reason; }
  const std::vector<std::string>& args() const { return rep_->args; }
  const std::shared_ptr<const ErrorDetail>& detail() const { return rep_->detail; }

  // The operator's sentence, or empty.
  std::string_view sentence() const { return rep_->args.empty() ? std::string_view() : rep_->args.front(); }

 private:
  struct Rep {
    ErrorKind kind;
    uint16_t reason;
    std::vector<std::string> args;
    std::shared_ptr<const ErrorDetail> detail;
  };
  std::unique_ptr<Rep> rep_;
};

}  // namespace partita
