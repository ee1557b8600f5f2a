#include "wire/fault_table.h"

#include <array>

#include "base/check.h"

namespace partita::wire {
namespace {

using model::Fault;

constexpr std::string_view kDynamo = "com.amazonaws.dynamodb.v20120810";
constexpr std::string_view kService = "com.amazon.coral.service";
constexpr std::string_view kValidate = "com.amazon.coral.validate";
constexpr std::string_view kAvailability = "com.amazon.coral.availability";

// clang-format off
constexpr std::array kNames = {
    ExceptionName{Exception::kValidation, kValidate, "ValidationException", 400, "ValidationError"},
    ExceptionName{Exception::kResourceNotFound, kDynamo, "ResourceNotFoundException", 400, ""},
    ExceptionName{Exception::kResourceInUse, kDynamo, "ResourceInUseException", 400, ""},
    ExceptionName{Exception::kTableNotFound, kDynamo, "TableNotFoundException", 400, ""},
    ExceptionName{Exception::kTableInUse, kDynamo, "TableInUseException", 400, ""},
    ExceptionName{Exception::kConditionalCheckFailed, kDynamo, "ConditionalCheckFailedException", 400, "ConditionalCheckFailed"},
    ExceptionName{Exception::kTransactionCanceled, kDynamo, "TransactionCanceledException", 400, "", "Message"},
    ExceptionName{Exception::kTransactionConflict, kDynamo, "TransactionConflictException", 400, "TransactionConflict"},
    ExceptionName{Exception::kTransactionInProgress, kDynamo, "TransactionInProgressException", 400, "", "Message"},
    ExceptionName{Exception::kIdempotentParameterMismatch, kDynamo, "IdempotentParameterMismatchException", 400, "", "Message"},
    ExceptionName{Exception::kProvisionedThroughputExceeded, kDynamo, "ProvisionedThroughputExceededException", 400, "ProvisionedThroughputExceeded"},
    ExceptionName{Exception::kThrottling, kAvailability, "ThrottlingException", 400, "ThrottlingError"},
    ExceptionName{Exception::kRequestLimitExceeded, kDynamo, "RequestLimitExceeded", 400, "ThrottlingError"},
    ExceptionName{Exception::kItemCollectionSizeLimitExceeded, kDynamo, "ItemCollectionSizeLimitExceededException", 400, "ItemCollectionSizeLimitExceeded"},
    ExceptionName{Exception::kLimitExceeded, kDynamo, "LimitExceededException", 400, ""},
    ExceptionName{Exception::kDuplicateItem, kDynamo, "DuplicateItemException", 400, "DuplicateItem"},
    ExceptionName{Exception::kBackupNotFound, kDynamo, "BackupNotFoundException", 400, ""},
    ExceptionName{Exception::kBackupInUse, kDynamo, "BackupInUseException", 400, ""},
    ExceptionName{Exception::kContinuousBackupsUnavailable, kDynamo, "ContinuousBackupsUnavailableException", 400, ""},
    ExceptionName{Exception::kPointInTimeRecoveryUnavailable, kDynamo, "PointInTimeRecoveryUnavailableException", 400, ""},
    ExceptionName{Exception::kInvalidRestoreTime, kDynamo, "InvalidRestoreTimeException", 400, ""},
    ExceptionName{Exception::kTableAlreadyExists, kDynamo, "TableAlreadyExistsException", 400, ""},
    ExceptionName{Exception::kPolicyNotFound, kDynamo, "PolicyNotFoundException", 400, ""},
    ExceptionName{Exception::kExportNotFound, kDynamo, "ExportNotFoundException", 400, ""},
    ExceptionName{Exception::kImportNotFound, kDynamo, "ImportNotFoundException", 400, ""},
    ExceptionName{Exception::kInvalidExportTime, kDynamo, "InvalidExportTimeException", 400, ""},
    ExceptionName{Exception::kExportConflict, kDynamo, "ExportConflictException", 400, ""},
    ExceptionName{Exception::kImportConflict, kDynamo, "ImportConflictException", 400, ""},
    ExceptionName{Exception::kGlobalTableNotFound, kDynamo, "GlobalTableNotFoundException", 400, ""},
    ExceptionName{Exception::kGlobalTableAlreadyExists, kDynamo, "GlobalTableAlreadyExistsException", 400, ""},
    ExceptionName{Exception::kReplicaNotFound, kDynamo, "ReplicaNotFoundException", 400, ""},
    ExceptionName{Exception::kReplicaAlreadyExists, kDynamo, "ReplicaAlreadyExistsException", 400, ""},
    ExceptionName{Exception::kIndexNotFound, kDynamo, "IndexNotFoundException", 400, ""},
    ExceptionName{Exception::kExpiredIterator, kDynamo, "ExpiredIteratorException", 400, ""},
    ExceptionName{Exception::kTrimmedDataAccess, kDynamo, "TrimmedDataAccessException", 400, ""},
    ExceptionName{Exception::kSerialization, kService, "SerializationException", 400, "", "Message"},
    ExceptionName{Exception::kUnknownOperation, kService, "UnknownOperationException", 400, ""},
    ExceptionName{Exception::kMissingAuthenticationToken, kService, "MissingAuthenticationTokenException", 400, ""},
    ExceptionName{Exception::kIncompleteSignature, kService, "IncompleteSignatureException", 400, ""},
    ExceptionName{Exception::kInvalidSignature, kService, "InvalidSignatureException", 400, ""},
    ExceptionName{Exception::kUnrecognizedClient, kService, "UnrecognizedClientException", 400, ""},
    ExceptionName{Exception::kAccessDenied, kService, "AccessDeniedException", 400, "", "Message"},
    ExceptionName{Exception::kInternalServerError, kDynamo, "InternalServerError", 500, ""},
};

// One row for each fault, in the order of model/faults.inc.
constexpr std::array kRows = {
    FaultRow{Fault::kNumberSyntax, Exception::kValidation, "The parameter cannot be converted to a numeric value: {0}"},
    FaultRow{Fault::kNumberEmpty, Exception::kValidation, "The parameter cannot be converted to a numeric value"},
    FaultRow{Fault::kNumberOverflow, Exception::kValidation, "Number overflow. Attempting to store a number with magnitude larger than supported range"},
    FaultRow{Fault::kNumberUnderflow, Exception::kValidation, "Number underflow. Attempting to store a number with magnitude smaller than supported range"},
    FaultRow{Fault::kNumberPrecision, Exception::kValidation, "Attempting to store more than 38 significant digits in a Number"},
    FaultRow{Fault::kNestingTooDeep, Exception::kValidation, "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
    FaultRow{Fault::kItemTooLarge, Exception::kValidation, "Item size has exceeded the maximum allowed size"},
    FaultRow{Fault::kItemToUpdateTooLarge, Exception::kValidation, "Item size to update has exceeded the maximum allowed size"},

    FaultRow{Fault::kKeySchemaMismatch, Exception::kValidation, "The provided key element does not match the schema"},
    FaultRow{Fault::kMissingKey, Exception::kValidation, "One or more parameter values were invalid: Missing the key {0} in the item"},
    FaultRow{Fault::kKeyTypeMismatch, Exception::kValidation, "One or more parameter values were invalid: Type mismatch for key {0} expected: {1} actual: {2}"},

    FaultRow{Fault::kKeyEmpty, Exception::kValidation, "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty {1} value. Key: {0}"},
    FaultRow{Fault::kPartitionKeyTooLong, Exception::kValidation, "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"},
    FaultRow{Fault::kSortKeyTooLong, Exception::kValidation, "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes"},
    FaultRow{Fault::kIndexKeyTypeMismatch, Exception::kValidation, "One or more parameter values were invalid: Type mismatch for Index Key {0} Expected: {1} Actual: {2} IndexName: {3}"},
    FaultRow{Fault::kIndexKeyEmpty, Exception::kValidation, "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty {1} value. IndexName: {2}, IndexKey: {0}"},
    FaultRow{Fault::kIndexPartitionKeyTooLong, Exception::kValidation, "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"},
    FaultRow{Fault::kIndexSortKeyTooLong, Exception::kValidation, "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes"},

    FaultRow{Fault::kStartKeyInvalid, Exception::kValidation, "The provided starting key is invalid"},
    FaultRow{Fault::kStartKeyOutsideQuery, Exception::kValidation, "The provided starting key is outside query boundaries based on provided conditions"},
    FaultRow{Fault::kStartKeyOutsideSegment, Exception::kValidation, "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: {0} Segment: {1}"},

    FaultRow{Fault::kConditionFailed, Exception::kConditionalCheckFailed, "The conditional request failed"},
    FaultRow{Fault::kTransactionCancelled, Exception::kTransactionCanceled, "Transaction cancelled, please refer cancellation reasons for specific reasons [{0}]"},
    FaultRow{Fault::kTransactionConflict, Exception::kTransactionConflict, "Transaction is ongoing for the item"},
    FaultRow{Fault::kTransactionDuplicateItem, Exception::kValidation, "Transaction request cannot include multiple operations on one item"},
    FaultRow{Fault::kTokenMismatch, Exception::kIdempotentParameterMismatch, ""},
    FaultRow{Fault::kTableNotFound, Exception::kResourceNotFound, "Requested resource not found: Table: {0} not found"},
    FaultRow{Fault::kResourceNotFound, Exception::kResourceNotFound, "Requested resource not found"},
    FaultRow{Fault::kTableInUse, Exception::kResourceInUse, "Attempt to change a resource which is still in use: Table is being {1}: {0}"},
    FaultRow{Fault::kTableExists, Exception::kResourceInUse, "Table already exists: {0}"},

    FaultRow{Fault::kSerialization, Exception::kSerialization, "{0}"},
    FaultRow{Fault::kMalformedJson, Exception::kSerialization, ""},
    FaultRow{Fault::kConstraints, Exception::kValidation, "{0}"},
    FaultRow{Fault::kUnknownOperation, Exception::kUnknownOperation, ""},
    FaultRow{Fault::kMissingToken, Exception::kMissingAuthenticationToken, "Request is missing Authentication Token"},
    FaultRow{Fault::kIncompleteSignature, Exception::kIncompleteSignature, "{0}"},
    FaultRow{Fault::kEmptyAttributeValue, Exception::kValidation, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
    FaultRow{Fault::kAmbiguousAttributeValue, Exception::kValidation, "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"},
    FaultRow{Fault::kNullNotTrue, Exception::kValidation, "One or more parameter values were invalid: Null attribute value types must have the value of true"},
    FaultRow{Fault::kEmptyStringSet, Exception::kValidation, "One or more parameter values were invalid: An string set  may not be empty"},
    FaultRow{Fault::kEmptyNumberSet, Exception::kValidation, "One or more parameter values were invalid: An number set  may not be empty"},
    FaultRow{Fault::kEmptyBinarySet, Exception::kValidation, "One or more parameter values were invalid: Binary sets should not be empty"},
    FaultRow{Fault::kNullInSet, Exception::kValidation, "One or more parameter values were invalid: An string set may not have a null string as a member"},
    FaultRow{Fault::kDuplicateInStringSet, Exception::kValidation, "One or more parameter values were invalid: Input collection {0} contains duplicates."},
    FaultRow{Fault::kDuplicateInNumberSet, Exception::kValidation, "Input collection contains duplicates"},
    FaultRow{Fault::kDuplicateInBinarySet, Exception::kValidation, "One or more parameter values were invalid: Input collection {0}of type BS contains duplicates."},
    FaultRow{Fault::kThroughputExceeded, Exception::kProvisionedThroughputExceeded, "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API."},
    FaultRow{Fault::kInternal, Exception::kInternalServerError, "Internal server error"},
};
// clang-format on

template <class Table, class Enum, class Member>
constexpr bool complete(const Table& table, Enum count, Member member) {
  if (table.size() != static_cast<size_t>(count)) return false;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].*member != static_cast<Enum>(i)) return false;
  }
  return true;
}
static_assert(complete(kNames, Exception::kCount, &ExceptionName::exception), "one row per exception, in order");
static_assert(complete(kRows, Fault::kCount, &FaultRow::fault), "one row per fault, in the order of faults.inc");

}  // namespace

const ExceptionName& name_of(Exception exception) {
  PARTITA_CHECK(exception < Exception::kCount);
  return kNames[static_cast<size_t>(exception)];
}

const FaultRow& row_of(Fault fault) {
  PARTITA_CHECK(fault < Fault::kCount);
  return kRows[static_cast<size_t>(fault)];
}

std::string fill(std::string_view text, const std::vector<std::string>& args) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool blank =
        text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}' && text[i + 1] >= '0' && text[i + 1] <= '9';
    if (!blank) {
      out.push_back(text[i]);
      continue;
    }
    const auto index = static_cast<size_t>(text[i + 1] - '0');
    if (index < args.size()) out += args[index];
    i += 2;
  }
  return out;
}

}  // namespace partita::wire
