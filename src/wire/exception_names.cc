// What AWS calls each exception.
#include <array>

#include "base/check.h"
#include "wire/fault_table.h"

namespace partita::wire {
namespace {

constexpr std::string_view kDynamo = "com.amazonaws.dynamodb.v20120810";
constexpr std::string_view kService = "com.amazon.coral.service";
constexpr std::string_view kValidate = "com.amazon.coral.validate";
constexpr std::string_view kIam = "com.amazonaws.iam.v20100508";
constexpr std::string_view kAvailability = "com.amazon.coral.availability";

// clang-format off
constexpr std::array kNames = {
    ExceptionName{Exception::kValidation, kValidate, "ValidationException", 400, "ValidationError", "message", "ValidationError"},
    ExceptionName{Exception::kResourceNotFound, kDynamo, "ResourceNotFoundException", 400, "ResourceNotFound"},
    ExceptionName{Exception::kResourceInUse, kDynamo, "ResourceInUseException", 400, ""},
    ExceptionName{Exception::kTableNotFound, kDynamo, "TableNotFoundException", 400, ""},
    ExceptionName{Exception::kConditionalCheckFailed, kDynamo, "ConditionalCheckFailedException", 400, "ConditionalCheckFailed"},
    ExceptionName{Exception::kTransactionCanceled, kDynamo, "TransactionCanceledException", 400, "", "Message"},
    ExceptionName{Exception::kTransactionConflict, kDynamo, "TransactionConflictException", 400, "TransactionConflict"},
    ExceptionName{Exception::kTransactionInProgress, kDynamo, "TransactionInProgressException", 400, "", "Message"},
    ExceptionName{Exception::kIdempotentParameterMismatch, kDynamo, "IdempotentParameterMismatchException", 400, "", "Message"},
    ExceptionName{Exception::kProvisionedThroughputExceeded, kDynamo, "ProvisionedThroughputExceededException", 400, "ProvisionedThroughputExceeded"},
    ExceptionName{Exception::kThrottling, kAvailability, "ThrottlingException", 400, "ThrottlingError", "message", "Throttling"},
    ExceptionName{Exception::kRequestLimitExceeded, kDynamo, "RequestLimitExceeded", 400, "ThrottlingError"},
    ExceptionName{Exception::kItemCollectionSizeLimitExceeded, kDynamo, "ItemCollectionSizeLimitExceededException", 400, "ItemCollectionSizeLimitExceeded"},
    ExceptionName{Exception::kLimitExceeded, kDynamo, "LimitExceededException", 400, ""},
    ExceptionName{Exception::kDuplicateItem, kDynamo, "DuplicateItemException", 400, "DuplicateItem"},
    ExceptionName{Exception::kPolicyNotFound, kDynamo, "PolicyNotFoundException", 400, ""},
    ExceptionName{Exception::kGlobalTableNotFound, kDynamo, "GlobalTableNotFoundException", 400, ""},
    ExceptionName{Exception::kExpiredIterator, kDynamo, "ExpiredIteratorException", 400, ""},
    ExceptionName{Exception::kTrimmedDataAccess, kDynamo, "TrimmedDataAccessException", 400, ""},
    ExceptionName{Exception::kSerialization, kService, "SerializationException", 400, "", "Message"},
    ExceptionName{Exception::kUnknownOperation, kService, "UnknownOperationException", 400, ""},
    ExceptionName{Exception::kMissingAuthenticationToken, kService, "MissingAuthenticationTokenException", 400, "", "message", "MissingAuthenticationToken", 403},
    ExceptionName{Exception::kIncompleteSignature, kService, "IncompleteSignatureException", 400, "", "message", "IncompleteSignature"},
    ExceptionName{Exception::kInvalidSignature, kService, "InvalidSignatureException", 400, "", "message", "SignatureDoesNotMatch", 403},
    ExceptionName{Exception::kUnrecognizedClient, kService, "UnrecognizedClientException", 400, "", "message", "InvalidClientTokenId", 403},
    ExceptionName{Exception::kAccessDenied, kService, "AccessDeniedException", 400, "AccessDenied", "Message", "AccessDenied", 403},
    ExceptionName{Exception::kInternalServerError, kDynamo, "InternalServerError", 500, "", "message", "ServiceFailure"},
    ExceptionName{Exception::kServiceUnavailable, kAvailability, "ServiceUnavailableException", 503, "", "message", "ServiceUnavailable"},
    ExceptionName{Exception::kExpiredToken, kService, "ExpiredTokenException", 400, "", "message", "ExpiredToken", 403},
    ExceptionName{Exception::kNoSuchEntity, kIam, "NoSuchEntity", 404, ""},
    ExceptionName{Exception::kEntityAlreadyExists, kIam, "EntityAlreadyExists", 409, ""},
    ExceptionName{Exception::kMalformedPolicyDocument, kIam, "MalformedPolicyDocument", 400, ""},
    ExceptionName{Exception::kQuotaExceeded, kIam, "LimitExceeded", 409, ""},
    ExceptionName{Exception::kDeleteConflict, kIam, "DeleteConflict", 409, ""},
    ExceptionName{Exception::kUnmodifiableEntity, kIam, "UnmodifiableEntity", 400, ""},
    ExceptionName{Exception::kConcurrentModification, kIam, "ConcurrentModification", 409, ""},
    ExceptionName{Exception::kInvalidInput, kIam, "InvalidInput", 400, ""},
    ExceptionName{Exception::kInvalidAction, kIam, "InvalidAction", 400, ""},
    ExceptionName{Exception::kMissingAction, kIam, "MissingAction", 400, ""},
    ExceptionName{Exception::kMalformedQueryString, kIam, "MalformedQueryString", 404, ""},
};
// clang-format on

constexpr bool complete() {
  if (kNames.size() != static_cast<size_t>(Exception::kCount)) return false;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].exception != static_cast<Exception>(i)) return false;
  }
  return true;
}
static_assert(complete(), "one row per exception, in order");

}  // namespace

const ExceptionName& name_of(Exception exception) {
  PARTITA_CHECK(exception < Exception::kCount);
  return kNames[static_cast<size_t>(exception)];
}

}  // namespace partita::wire
