#include "wire/dax/error.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "model/fault.h"
#include "wire/error_body.h"
#include "wire/fault_table.h"

namespace partita::wire::dax {

namespace {

// The first number, for clients that do not know the others.
enum class Blame : int64_t {
  kServerRetry = 1,  // the same request may succeed
  kServer = 3,
  kClient = 4,
};

constexpr size_t kMostNumbers = 5;
struct Numbers {
  std::array<int64_t, kMostNumbers> numbers{};
  size_t count = 0;
};

// {blame, 37, 38, 39, of the exception}
Numbers of_table(Blame blame, int64_t exception) { return {{static_cast<int64_t>(blame), 37, 38, 39, exception}, 5}; }
// {4, 37, 38, number}
Numbers of_request(int64_t number) { return {{static_cast<int64_t>(Blame::kClient), 37, 38, number}, 4}; }
// {4, 23, 31, number}
Numbers of_caller(int64_t number) { return {{static_cast<int64_t>(Blame::kClient), 23, 31, number}, 4}; }

constexpr int64_t kAccessDenied = 42;
constexpr int64_t kNotImplemented = 44;
constexpr int64_t kInternalServerError = 47;
constexpr int64_t kUnauthenticated = 32;
constexpr int64_t kSignAgain = 33;
constexpr int64_t kNameDecides = 0;  // no client has a class for it; they take the exception's name

struct ExceptionNumber {
  Exception exception;
  int64_t number;
};
constexpr ExceptionNumber kNumbers[] = {
    {Exception::kProvisionedThroughputExceeded, 40},
    {Exception::kResourceNotFound, 41},
    {Exception::kConditionalCheckFailed, 43},
    {Exception::kResourceInUse, 45},
    {Exception::kValidation, 46},
    {Exception::kItemCollectionSizeLimitExceeded, 48},
    {Exception::kLimitExceeded, 49},
    {Exception::kThrottling, 50},
    {Exception::kTransactionConflict, 57},
    {Exception::kTransactionCanceled, 58},
    {Exception::kTransactionInProgress, 59},
    {Exception::kIdempotentParameterMismatch, 60},
    {Exception::kRequestLimitExceeded, 61},
};

Numbers numbers_of(const Error& error, Exception exception) {
  if (error.kind() == ErrorKind::kInvalid && model::fault_of(error) == model::Fault::kDaxUnsupported) {
    return of_request(kNotImplemented);
  }
  switch (exception) {
    case Exception::kAccessDenied:
      return of_request(kAccessDenied);
    case Exception::kMissingAuthenticationToken:
    case Exception::kIncompleteSignature:
    case Exception::kInvalidSignature:
    case Exception::kUnrecognizedClient:
    case Exception::kExpiredToken:
      return of_caller(kUnauthenticated);
    case Exception::kInternalServerError:
      // Reading what is damaged again is of no use.
      return of_table(error.kind() == ErrorKind::kCorrupt ? Blame::kServer : Blame::kServerRetry, kInternalServerError);
    default:
      break;
  }
  const auto* const found = std::ranges::find(kNumbers, exception, &ExceptionNumber::exception);
  if (found != std::end(kNumbers)) return of_table(Blame::kClient, found->number);
  return of_table(name_of(exception).status >= 500 ? Blame::kServerRetry : Blame::kClient, kNameDecides);
}

// Up to the fourth member of the last array.
void write_error(CborWriter& out, const Numbers& numbers, std::string_view message, std::string_view request_id,
                 const ExceptionName& exception, bool has_reasons) {
  out.array(numbers.count);
  for (const int64_t number : std::span(numbers.numbers).first(numbers.count)) out.integer(number);
  out.text(message);
  out.array(has_reasons ? 4 : 3);
  if (request_id.empty()) {
    out.null();
  } else {
    out.text(request_id);
  }
  out.text(exception.name);
  out.integer(exception.status);
}

// Writes the values of an item that failed a condition.
class ReasonItems {
 public:
  ReasonItems(const api::TransactWriteRequest* request, Encoding* encoding) : request_(request), encoding_(encoding) {}

  // Error: kCorrupt.
  Result<void> write(CborWriter& out, size_t action, const std::string& item) {
    const model::KeySchema* const schema = request_ == nullptr || action >= request_->parts.size()
                                               ? nullptr
                                               : encoding_->tables.find(request_->parts[action].table);
    if (schema == nullptr) return out.null(), Result<void>();
    ItemValues values(*schema, encoding_->lists, encoding_->missing);
    return values.write(out, std::string_view(item));
  }

 private:
  const api::TransactWriteRequest* request_;
  Encoding* encoding_;
};

// Error: kCorrupt; what was written is incomplete then.
Result<void> write_reasons(CborWriter& out, const std::vector<ReasonText>& reasons, ReasonItems items) {
  out.array(3 * reasons.size());
  for (size_t i = 0; i < reasons.size(); ++i) {
    const ReasonText& reason = reasons[i];
    out.text(reason.code);
    if (reason.message) {
      out.text(*reason.message);
    } else {
      out.null();
    }
    if (reason.item == nullptr) {
      out.null();
    } else {
      PARTITA_TRY_VOID(items.write(out, i, *reason.item));
    }
  }
  return {};
}

void encode(CborWriter& out, const Error& error, std::string_view request_id, ReasonItems items) {
  const ErrorText text = item_error_text(error);
  const std::vector<ReasonText> reasons = reason_texts(error);
  const size_t begin = out.size();
  write_error(out, numbers_of(error, text.exception), text.message, request_id, name_of(text.exception),
              !reasons.empty());
  if (reasons.empty()) return;
  const auto written = write_reasons(out, reasons, items);
  if (written.ok()) return;
  out.cut(begin);
  encode(out, written.error(), request_id, items);
}

}  // namespace

void encode_error(CborWriter& out, const Error& error, std::string_view request_id) {
  encode(out, error, request_id, ReasonItems(nullptr, nullptr));
}

void encode_error(CborWriter& out, const Error& error, std::string_view request_id,
                  const api::TransactWriteRequest& request, Encoding& encoding) {
  encode(out, error, request_id, ReasonItems(&request, &encoding));
}

void encode_lost_reply(CborWriter& out, std::string_view request_id) {
  write_error(out, of_table(Blame::kServer, kInternalServerError),
              "The write was done, but the attributes to be returned could not be encoded. Do not repeat it.",
              request_id, name_of(Exception::kInternalServerError), false);
}

void encode_authorisation_lapsed(CborWriter& out, std::string_view request_id) {
  const ExceptionName& exception = name_of(Exception::kMissingAuthenticationToken);
  write_error(out, of_caller(kSignAgain), "The connection is not authorized, or no longer.", request_id, exception,
              false);
}

}  // namespace partita::wire::dax
