// Parameters of a call, read from a document of any of the three protocols: a form has texts only, JSON has no times.
// Faults of every Result: kMonitorMissing, kMonitorInvalid.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/document.h"

namespace partita::cloudwatch {

Error invalid(std::string_view parameter, std::string must);

// The members of one structure. The document outlives it.
class Parameters {
 public:
  // `operation` is for messages.
  Parameters(const wire::Document& document, std::string_view operation)
      : document_(&document), operation_(operation) {}

  std::string_view operation() const { return operation_; }
  bool has(std::string_view name) const { return document_->find(name) != nullptr; }

  Result<std::optional<std::string>> text(std::string_view name, size_t least, size_t most) const;
  Result<std::string> needed_text(std::string_view name, size_t least, size_t most) const;
  // One of `words`.
  Result<std::optional<std::string>> word(std::string_view name, std::span<const std::string_view> words) const;
  Result<std::optional<int64_t>> whole(std::string_view name, int64_t least, int64_t most) const;
  Result<int64_t> needed_whole(std::string_view name, int64_t least, int64_t most) const;
  Result<std::optional<double>> number(std::string_view name) const;
  Result<std::optional<bool>> flag(std::string_view name) const;
  // In milliseconds since 1970.
  Result<std::optional<int64_t>> time(std::string_view name) const;
  Result<int64_t> needed_time(std::string_view name) const;
  // Empty if absent.
  Result<std::vector<std::string>> texts(std::string_view name, size_t most) const;
  // Without repetitions.
  Result<std::vector<std::string>> distinct_texts(std::string_view name, size_t most) const;
  Result<std::vector<Parameters>> structures(std::string_view name, size_t most) const;
  Result<std::optional<Parameters>> structure(std::string_view name) const;

  // Fault: kMonitorUnserved for the first of these that the call has.
  Result<void> refuse(std::initializer_list<std::string_view> names) const;

 private:
  Result<std::vector<const wire::Document*>> list(std::string_view name, size_t most) const;

  const wire::Document* document_;
  std::string_view operation_;
};

}  // namespace partita::cloudwatch
