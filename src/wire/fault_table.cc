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
    ExceptionName{Exception::kServiceUnavailable, kAvailability, "ServiceUnavailableException", 503, ""},
};

// One row for each fault, in the order of model/faults.inc.
constexpr std::array kRows = {
    FaultRow{Fault::kNumberSyntax, Exception::kValidation, "The parameter cannot be converted to a numeric value: {0}"},
    FaultRow{Fault::kNumberEmpty, Exception::kValidation, "The parameter cannot be converted to a numeric value", "The parameter cannot be converted to a numeric value: "},
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
    FaultRow{Fault::kUpdateIndexKeyType, Exception::kValidation, "The update expression attempted to update the secondary index key to unsupported type"},
    FaultRow{Fault::kUpdateIndexKeyEmpty, Exception::kValidation, "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty {0} value."},
    FaultRow{Fault::kIndexPartitionKeyTooLong, Exception::kValidation, "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"},
    FaultRow{Fault::kIndexSortKeyTooLong, Exception::kValidation, "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes"},

    FaultRow{Fault::kStartKeyInvalid, Exception::kValidation, "The provided starting key is invalid"},
    FaultRow{Fault::kStartKeyValueInvalid, Exception::kValidation, "The provided starting key is invalid: {0}"},
    FaultRow{Fault::kStartKeyMismatch, Exception::kValidation, "The provided starting key is invalid: The provided key element does not match the schema"},
    FaultRow{Fault::kStartKeyOutsideRange, Exception::kValidation, "The provided starting key does not match the range key predicate"},
    FaultRow{Fault::kStartKeyOutsideQuery, Exception::kValidation, "The provided starting key is outside query boundaries based on provided conditions"},
    FaultRow{Fault::kStartKeyOutsideSegment, Exception::kValidation, "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: {0} Segment: {1}"},
    FaultRow{Fault::kStartKeyOfSingleItems, Exception::kValidation, "The provided exclusive start key is invalid"},
    FaultRow{Fault::kStartKeyOfOneRow, Exception::kValidation, "The query can return at most one row and cannot be restarted"},

    FaultRow{Fault::kConditionFailed, Exception::kConditionalCheckFailed, "The conditional request failed"},
    FaultRow{Fault::kCollectionTooLarge, Exception::kItemCollectionSizeLimitExceeded, "Collection size exceeded."},
    FaultRow{Fault::kTransactionCancelled, Exception::kTransactionCanceled, "Transaction cancelled, please refer cancellation reasons for specific reasons [{0}]"},
    FaultRow{Fault::kTransactionConflict, Exception::kTransactionConflict, "Transaction is ongoing for the item"},
    FaultRow{Fault::kTransactionDuplicateItem, Exception::kValidation, "Transaction request cannot include multiple operations on one item"},
    FaultRow{Fault::kTokenMismatch, Exception::kIdempotentParameterMismatch, ""},
    FaultRow{Fault::kTableNotFound, Exception::kResourceNotFound, "Requested resource not found: Table: {0} not found"},
    FaultRow{Fault::kResourceNotFound, Exception::kResourceNotFound, "Requested resource not found"},
    FaultRow{Fault::kTableInUse, Exception::kResourceInUse, "Attempt to change a resource which is still in use: Table is being {1}: {0}"},
    FaultRow{Fault::kTableExists, Exception::kResourceInUse, "Table already exists: {0}"},

    FaultRow{Fault::kArnInvalid, Exception::kValidation, "Invalid ARN: {0}"},
    FaultRow{Fault::kArnOfAnotherAccount, Exception::kAccessDenied, "User: {0} is not authorized to perform this operation on resource: {1} because no resource-based policy allows it"},
    FaultRow{Fault::kReturnValuesOldOnly, Exception::kValidation, "ReturnValues can only be ALL_OLD or NONE"},
    FaultRow{Fault::kMixedExpressions, Exception::kValidation, "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {{0}} Expression parameters: {{1}}"},
    FaultRow{Fault::kNamesWithoutExpression, Exception::kValidation, "ExpressionAttributeNames can only be specified when using expressions"},
    FaultRow{Fault::kValuesWithoutExpression, Exception::kValidation, "ExpressionAttributeValues can only be specified when using expressions: {0} {1} null", "ExpressionAttributeValues can only be specified when using expressions"},
    FaultRow{Fault::kPlaceholderValueInvalid, Exception::kValidation, "ExpressionAttributeValues contains invalid value: {0} for key {1}", "{2}"},
    FaultRow{Fault::kConditionalOperatorAlone, Exception::kValidation, "ConditionalOperator cannot be used without Filter or Expected"},
    FaultRow{Fault::kConditionalOperatorSingle, Exception::kValidation, "ConditionalOperator can only be used when Filter or Expected has two or more elements"},
    FaultRow{Fault::kQueryWithoutKeyCondition, Exception::kValidation, "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."},
    FaultRow{Fault::kIndexNotFound, Exception::kValidation, "The table does not have the specified index: {0}"},
    FaultRow{Fault::kIndexBackfilling, Exception::kValidation, "Cannot read from backfilling global secondary index: {0}"},
    FaultRow{Fault::kConsistentGlobalIndex, Exception::kValidation, "Consistent reads are not supported on global secondary indexes"},
    FaultRow{Fault::kFilterNamesKey, Exception::kValidation, "Filter Expression can only contain non-primary key attributes: Primary key attribute: {0}"},
    FaultRow{Fault::kQueryFilterNamesKey, Exception::kValidation, "QueryFilter can only contain non-primary key attributes: Primary key attribute: {0}"},
    FaultRow{Fault::kSelectAllOnIndex, Exception::kValidation, "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index {0} because its projection type is not ALL"},
    FaultRow{Fault::kSelectProjectedWithoutIndex, Exception::kValidation, "ALL_PROJECTED_ATTRIBUTES can be used only when {0} using an IndexName"},
    FaultRow{Fault::kSelectWithProjection, Exception::kValidation, "Cannot specify the {0} when choosing to get {1}"},
    FaultRow{Fault::kSelectSpecificWithoutProjection, Exception::kValidation, "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"},
    FaultRow{Fault::kProjectionNotInIndex, Exception::kValidation, "One or more parameter values were invalid: Global secondary index {0} does not project {1}"},
    FaultRow{Fault::kSegmentWithoutTotal, Exception::kValidation, "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"},
    FaultRow{Fault::kTotalWithoutSegment, Exception::kValidation, "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"},
    FaultRow{Fault::kSegmentTooLarge, Exception::kValidation, "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: {0} is not less than TotalSegments: {1}"},
    FaultRow{Fault::kBatchDuplicateKeys, Exception::kValidation, "Provided list of item keys contains duplicates"},
    FaultRow{Fault::kBatchTooManyItems, Exception::kValidation, "Too many items requested for the {0} call"},
    FaultRow{Fault::kWriteRequestAmbiguous, Exception::kValidation, "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"},
    FaultRow{Fault::kTransactItemAmbiguous, Exception::kValidation, "TransactItems can only contain one of Check, Put, Update or Delete"},
    FaultRow{Fault::kTransactionTooLarge, Exception::kValidation, "Member must have length less than or equal to 4194304, Collection size of TransactItems cannot exceed 4MB"},

    FaultRow{Fault::kThroughputOnDemand, Exception::kValidation, "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"},
    FaultRow{Fault::kThroughputMissing, Exception::kValidation, "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"},
    FaultRow{Fault::kThroughputMissingOnUpdate, Exception::kValidation, "One or more parameter values were invalid: ProvisionedThroughput must be specified when BillingMode is PROVISIONED"},
    FaultRow{Fault::kThroughputUnchanged, Exception::kValidation, "The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: {0}. Requested ReadCapacityUnits: {1}. Current WriteCapacityUnits provisioned for the table: {2}. Requested WriteCapacityUnits: {3}. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."},
    FaultRow{Fault::kIndexThroughputMissing, Exception::kValidation, "One or more parameter values were invalid: ProvisionedThroughput must be specified for index: {0}"},
    FaultRow{Fault::kIndexThroughputOnDemand, Exception::kValidation, "One or more parameter values were invalid: ProvisionedThroughput should not be specified for index: {0} when BillingMode is PAY_PER_REQUEST"},
    FaultRow{Fault::kKeyWithoutDefinition, Exception::kValidation, "Invalid KeySchema: Some index key attribute have no definition"},
    FaultRow{Fault::kKeysNotDefined, Exception::kValidation, "One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: {0}, AttributeDefinitions: {1}"},
    FaultRow{Fault::kSameHashAndRange, Exception::kValidation, "Both the Hash Key and the Range Key element in the KeySchema have the same name"},
    FaultRow{Fault::kFirstKeyNotHash, Exception::kValidation, "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
    FaultRow{Fault::kSecondKeyNotRange, Exception::kValidation, "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"},
    FaultRow{Fault::kIndexTooManyKeys, Exception::kValidation, "One or more parameter values were invalid: An index can have at most {1} {0} key attributes"},
    FaultRow{Fault::kDefinitionsNotMatched, Exception::kValidation, "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"},
    FaultRow{Fault::kDefinitionsNotUsed, Exception::kValidation, "One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: {0}, keys used: {1}"},
    FaultRow{Fault::kDuplicateDefinition, Exception::kValidation, "One or more parameter values were invalid: Duplicate AttributeName in AttributeDefinitions: {0}"},
    FaultRow{Fault::kLocalIndexesEmpty, Exception::kValidation, "One or more parameter values were invalid: List of LocalSecondaryIndexes is empty"},
    FaultRow{Fault::kGlobalIndexesEmpty, Exception::kValidation, "One or more parameter values were invalid: List of GlobalSecondaryIndexes is empty"},
    FaultRow{Fault::kLocalIndexWithoutSortKey, Exception::kValidation, "One or more parameter values were invalid: Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"},
    FaultRow{Fault::kIndexWithoutRange, Exception::kValidation, "One or more parameter values were invalid: Index KeySchema does not have a range key for index: {0}"},
    FaultRow{Fault::kIndexOtherHash, Exception::kValidation, "One or more parameter values were invalid: Index KeySchema does not have the same leading hash key as table KeySchema for index: {0}. index hash key: {1}, table hash key: {2}"},
    FaultRow{Fault::kProjectionTypeMissing, Exception::kValidation, "One or more parameter values were invalid: Unknown ProjectionType: null"},
    FaultRow{Fault::kProjectionAttributesGiven, Exception::kValidation, "One or more parameter values were invalid: ProjectionType is {0}, but NonKeyAttributes is specified"},
    FaultRow{Fault::kProjectionAttributesMissing, Exception::kValidation, "One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified"},
    FaultRow{Fault::kProjectionAttributesTooMany, Exception::kValidation, "One or more parameter values were invalid: Number of NonKeyAttributes across all indexes exceeds the per-table limit of 100"},
    FaultRow{Fault::kDuplicateIndexName, Exception::kValidation, "One or more parameter values were invalid: Duplicate index name: {0}"},
    FaultRow{Fault::kTooManyLocalIndexes, Exception::kValidation, "One or more parameter values were invalid: Number of LocalSecondaryIndexes exceeds per-table limit of 5"},
    FaultRow{Fault::kTooManyGlobalIndexes, Exception::kValidation, "One or more parameter values were invalid: GlobalSecondaryIndex count exceeds the per-table limit of 20"},
    FaultRow{Fault::kTableProtected, Exception::kValidation, "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."},
    FaultRow{Fault::kTableOfNewerVersion, Exception::kValidation, "Table {0} uses a feature that this version of Partita does not know: {1}. A newer version wrote it: serve it with that one."},
    FaultRow{Fault::kNothingToUpdate, Exception::kValidation, "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"},
    FaultRow{Fault::kIndexExists, Exception::kValidation, "Attempting to create an index which already exists"},
    FaultRow{Fault::kIndexUpdatedTwice, Exception::kValidation, "One or more parameter values were invalid: Only one global secondary index update per index is allowed simultaneously. Index: {0}"},
    FaultRow{Fault::kOneOnlineIndex, Exception::kLimitExceeded, "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"},
    FaultRow{Fault::kIndexUpdateAmbiguous, Exception::kValidation, "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"},
    FaultRow{Fault::kIndexInUse, Exception::kResourceInUse, "Attempt to change a resource which is still in use: Index is being {2}. Table: {0}, Index: {1}"},
    FaultRow{Fault::kSerialization, Exception::kSerialization, "{0}"},
    FaultRow{Fault::kMalformedJson, Exception::kSerialization, ""},
    FaultRow{Fault::kConstraints, Exception::kValidation, "{0}"},
    FaultRow{Fault::kMissingParameter, Exception::kValidation, "The parameter '{0}' is required but was not present in the request"},
    FaultRow{Fault::kParameterRequiredFor, Exception::kValidation, "The {0} parameter is required for {1}"},
    FaultRow{Fault::kTableNameLength, Exception::kValidation, "{0} must be at least 3 characters long and at most 255 characters long"},
    FaultRow{Fault::kNoOperation, Exception::kUnknownOperation, ""},
    FaultRow{Fault::kUnknownOperation, Exception::kUnknownOperation, "The operation {0} is not known"},  // AWS is silent
    FaultRow{Fault::kMissingToken, Exception::kMissingAuthenticationToken, "Request is missing Authentication Token"},
    FaultRow{Fault::kIncompleteSignature, Exception::kIncompleteSignature, "{0}"},
    FaultRow{Fault::kInvalidSignature, Exception::kInvalidSignature, "{0}"},
    FaultRow{Fault::kEmptyAttributeName, Exception::kValidation, "Empty attribute name"},
    FaultRow{Fault::kAttributeNameTooLong, Exception::kValidation, "Attribute name is too large, must be less than 65536 bytes"},
    FaultRow{Fault::kEmptyAttributeValue, Exception::kValidation, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
    FaultRow{Fault::kAmbiguousAttributeValue, Exception::kValidation, "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"},
    FaultRow{Fault::kNullNotTrue, Exception::kValidation, "One or more parameter values were invalid: Null attribute value types must have the value of true"},
    FaultRow{Fault::kEmptyStringSet, Exception::kValidation, "One or more parameter values were invalid: An string set  may not be empty"},
    FaultRow{Fault::kEmptyNumberSet, Exception::kValidation, "One or more parameter values were invalid: An number set  may not be empty"},
    FaultRow{Fault::kEmptyBinarySet, Exception::kValidation, "One or more parameter values were invalid: Binary sets should not be empty"},
    FaultRow{Fault::kNullInSet, Exception::kValidation, "One or more parameter values were invalid: An string set may not have a null string as a member"},
    FaultRow{Fault::kDuplicateInStringSet, Exception::kValidation, "One or more parameter values were invalid: Input collection {0} contains duplicates.", "One or more parameter values were invalid: Input collection {1} contains duplicates."},
    FaultRow{Fault::kDuplicateInNumberSet, Exception::kValidation, "Input collection contains duplicates", "One or more parameter values were invalid: Input collection contains duplicates."},
    FaultRow{Fault::kDuplicateInBinarySet, Exception::kValidation, "One or more parameter values were invalid: Input collection {0}of type BS contains duplicates.", "One or more parameter values were invalid: Input collection {1}of type BS contains duplicates."},
    FaultRow{Fault::kThroughputExceeded, Exception::kProvisionedThroughputExceeded, "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API."},
    FaultRow{Fault::kInternal, Exception::kInternalServerError, "Internal server error"},
    FaultRow{Fault::kOverloaded, Exception::kServiceUnavailable, "Service is unable to handle request."},

    FaultRow{Fault::kNamesEmpty, Exception::kValidation, "ExpressionAttributeNames must not be empty"},
    FaultRow{Fault::kNamesKeySyntax, Exception::kValidation, "ExpressionAttributeNames contains invalid key: Syntax error; key: \"{0}\""},
    FaultRow{Fault::kNamesKeyTooLong, Exception::kValidation, "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too long; size of key: {0}"},
    FaultRow{Fault::kNamesValueEmpty, Exception::kValidation, "ExpressionAttributeNames contains invalid value: Empty attribute name for key {0}"},
    FaultRow{Fault::kNamesValueTooLong, Exception::kValidation, "ExpressionAttributeNames contains invalid value: Attribute name is too large, must be less than 65536 bytes for key {0}"},
    FaultRow{Fault::kValuesEmpty, Exception::kValidation, "ExpressionAttributeValues must not be empty"},
    FaultRow{Fault::kValuesKeySyntax, Exception::kValidation, "ExpressionAttributeValues contains invalid key: Syntax error; key: \"{0}\""},
    FaultRow{Fault::kValuesKeyTooLong, Exception::kValidation, "ExpressionAttributeValues contains invalid key: The expression attribute map contains a key that is too long;"},
    FaultRow{Fault::kNamesTooLarge, Exception::kValidation, "ExpressionAttributeNames exceeds max size"},
    FaultRow{Fault::kValuesTooLarge, Exception::kValidation, "ExpressionAttributeValues exceeds max size"},
    FaultRow{Fault::kPlaceholdersTooLarge, Exception::kValidation, "Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size"},
    FaultRow{Fault::kUnusedNames, Exception::kValidation, "Value provided in ExpressionAttributeNames unused in expressions: keys: {{0}}"},
    FaultRow{Fault::kUnusedValues, Exception::kValidation, "Value provided in ExpressionAttributeValues unused in expressions: keys: {{0}}"},
    FaultRow{Fault::kExpressionEmpty, Exception::kValidation, "Invalid {0}: The expression can not be empty;"},
    FaultRow{Fault::kExpressionTooLong, Exception::kValidation, "Invalid {0}: Expression size has exceeded the maximum allowed size; expression size: {1}"},
    FaultRow{Fault::kUpdateTooLong, Exception::kValidation, "Invalid {0}: Expression size has exceeded the maximum allowed size;"},
    FaultRow{Fault::kExpressionSyntax, Exception::kValidation, "Invalid {0}: Syntax error; token: \"{1}\", near: \"{2}\""},
    FaultRow{Fault::kExpressionRedundantParens, Exception::kValidation, "Invalid {0}: The expression has redundant parentheses;"},
    FaultRow{Fault::kExpressionTooManyOperators, Exception::kValidation, "Invalid {0}: The expression contains too many operators; operator count: {1}"},
    FaultRow{Fault::kExpressionReservedWord, Exception::kValidation, "Invalid {0}: Attribute name is a reserved keyword; reserved keyword: {1}"},
    FaultRow{Fault::kExpressionIndexRange, Exception::kValidation, "Invalid {0}: List index is not within the allowable range; index: [{1}]"},
    FaultRow{Fault::kExpressionPathTooDeep, Exception::kValidation, "Invalid {0}: The document path has too many nesting levels; nesting levels: {1}"},
    FaultRow{Fault::kExpressionUndefinedName, Exception::kValidation, "Invalid {0}: An expression attribute name used in the document path is not defined; attribute name: {1}"},
    FaultRow{Fault::kExpressionUndefinedValue, Exception::kValidation, "Invalid {0}: An expression attribute value used in expression is not defined; attribute value: {1}"},
    FaultRow{Fault::kExpressionFunctionName, Exception::kValidation, "Invalid {0}: Invalid function name; function: {1}"},
    FaultRow{Fault::kExpressionFunctionMisused, Exception::kValidation, "Invalid {0}: The function is not allowed to be used this way in an expression; function: {1}"},
    FaultRow{Fault::kExpressionFunctionNotInCondition, Exception::kValidation, "Invalid {0}: The function is not allowed in a condition expression; function: {1}"},
    FaultRow{Fault::kExpressionFunctionNotInUpdate, Exception::kValidation, "Invalid {0}: The function is not allowed in an update expression; function: {1}"},
    FaultRow{Fault::kExpressionOperandCount, Exception::kValidation, "Invalid {0}: Incorrect number of operands for operator or function; operator or function: {1}, number of operands: {2}"},
    FaultRow{Fault::kExpressionNeedsPath, Exception::kValidation, "Invalid {0}: Operator or function requires a document path; operator or function: {1}"},
    FaultRow{Fault::kExpressionOperandType, Exception::kValidation, "Invalid {0}: Incorrect operand type for operator or function; operator or function: {1}, operand type: {2}"},
    FaultRow{Fault::kExpressionTypeName, Exception::kValidation, "Invalid {0}: Invalid attribute type name found; type: {1}, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
    FaultRow{Fault::kExpressionSameOperand, Exception::kValidation, "Invalid {0}: The first operand must be distinct from the remaining operands for this operator or function; operator: {1}, first operand: {2}"},
    FaultRow{Fault::kExpressionBetweenTypes, Exception::kValidation, "Invalid {0}: The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: {1}, upper bound operand: {2}"},
    FaultRow{Fault::kExpressionBetweenOrder, Exception::kValidation, "Invalid {0}: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: {1}, upper bound operand: {2}"},
    FaultRow{Fault::kExpressionTooManyCandidates, Exception::kValidation, "Invalid {0}: The IN operator is provided with too many operands; number of operands: {1}"},
    FaultRow{Fault::kExpressionPathsOverlap, Exception::kValidation, "Invalid {0}: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: {1}, path two: {2}"},
    FaultRow{Fault::kExpressionPathsConflict, Exception::kValidation, "Invalid {0}: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: {1}, path two: {2}"},
    FaultRow{Fault::kUpdateSectionTwice, Exception::kValidation, "Invalid {0}: The \"{1}\" section can only be used once in an update expression;"},
    FaultRow{Fault::kUpdateClauseOperandType, Exception::kValidation, "Invalid {0}: Incorrect operand type for operator or function; operator: {1}, operand type: {2}, typeSet: ALLOWED_FOR_{1}_OPERAND"},
    FaultRow{Fault::kUpdatePathInvalid, Exception::kValidation, "The document path provided in the update expression is invalid for update"},
    FaultRow{Fault::kUpdateAttributeMissing, Exception::kValidation, "The provided expression refers to an attribute that does not exist in the item"},
    FaultRow{Fault::kUpdateOperandType, Exception::kValidation, "An operand in the update expression has an incorrect data type"},
    FaultRow{Fault::kUpdateTypeMismatch, Exception::kValidation, "Type mismatch for attribute to update"},
    FaultRow{Fault::kUpdateOfKey, Exception::kValidation, "One or more parameter values were invalid: Cannot update attribute {0}. This attribute is part of the key"},
    FaultRow{Fault::kKeyConditionOperator, Exception::kValidation, "Invalid operator used in KeyConditionExpression: {0}"},
    FaultRow{Fault::kKeyConditionFirstOperand, Exception::kValidation, "Invalid condition in KeyConditionExpression: {0} operator must have the key attribute as its first operand"},
    FaultRow{Fault::kKeyConditionNestedOperation, Exception::kValidation, "Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations"},
    FaultRow{Fault::kKeyConditionManyAttributes, Exception::kValidation, "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"},
    FaultRow{Fault::kKeyConditionNestedAttribute, Exception::kValidation, "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"},
    FaultRow{Fault::kKeyConditionNoAttribute, Exception::kValidation, "Invalid condition in KeyConditionExpression: No key attribute specified"},
    FaultRow{Fault::kKeyConditionTwice, Exception::kValidation, "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"},
    FaultRow{Fault::kKeyConditionCount, Exception::kValidation, "Conditions can be of length 1 or 2 only"},
    FaultRow{Fault::kKeyConditionTooMany, Exception::kValidation, "The number of query conditions ({0}) exceeds the number of key attributes defined in the schema ({1})"},
    FaultRow{Fault::kQueryMissedKey, Exception::kValidation, "Query condition missed key schema element: {0}"},
    FaultRow{Fault::kQueryHashEquality, Exception::kValidation, "HASH key attributes {0} must have equality conditions specified in the query"},
    FaultRow{Fault::kQueryNotSupported, Exception::kValidation, "Query key condition not supported"},
    FaultRow{Fault::kQuerySortKeyGap, Exception::kValidation, "RANGE key attributes {0} must have equality conditions specified in the query because a condition is present on key attribute {1}"},
    FaultRow{Fault::kQueryNotIndexable, Exception::kValidation, "Attempted conditional constraint is not an indexable operation"},
    FaultRow{Fault::kQueryTypeMismatch, Exception::kValidation, "One or more parameter values were invalid: Condition parameter type does not match schema type"},
    FaultRow{Fault::kKeyNotScalar, Exception::kValidation, "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: {0}"},
    FaultRow{Fault::kIndexKeyNotScalar, Exception::kValidation, "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: {0}"},
    FaultRow{Fault::kLegacyValueAndList, Exception::kValidation, "One or more parameter values were invalid: Value and AttributeValueList cannot be used together for Attribute: {0}"},
    FaultRow{Fault::kLegacyExistsAndOp, Exception::kValidation, "One or more parameter values were invalid: Exists and ComparisonOperator cannot be used together for Attribute: {0}"},
    FaultRow{Fault::kLegacyNoValue, Exception::kValidation, "One or more parameter values were invalid: Value or AttributeValueList must be used with ComparisonOperator: {0} for Attribute: {1}"},
    FaultRow{Fault::kLegacyListWithoutOp, Exception::kValidation, "One or more parameter values were invalid: AttributeValueList can only be used with a ComparisonOperator for Attribute: {0}"},
    FaultRow{Fault::kLegacyValueNeeded, Exception::kValidation, "One or more parameter values were invalid: Value must be provided when Exists is {0} for Attribute: {1}"},
    FaultRow{Fault::kLegacyValueWithNotExists, Exception::kValidation, "One or more parameter values were invalid: Value cannot be used when Exists is false for Attribute: {0}"},
    FaultRow{Fault::kLegacyArgumentCount, Exception::kValidation, "One or more parameter values were invalid: Invalid number of argument(s) for the {0} ComparisonOperator"},
    FaultRow{Fault::kLegacyMixedTypes, Exception::kValidation, "One or more parameter values were invalid: AttributeValues inside AttributeValueList must be of same type"},
    FaultRow{Fault::kLegacyOperandType, Exception::kValidation, "One or more parameter values were invalid: ComparisonOperator {0} is not valid for {1} AttributeValue type"},
    FaultRow{Fault::kLegacyBetweenOrder, Exception::kValidation, "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"},
    FaultRow{Fault::kLegacyOnlyDelete, Exception::kValidation, "One or more parameter values were invalid: Only DELETE action is allowed when no attribute value is specified"},
    FaultRow{Fault::kLegacyDeleteType, Exception::kValidation, "One or more parameter values were invalid: DELETE action with value is not supported for the type {0}"},
    FaultRow{Fault::kLegacyAddType, Exception::kValidation, "One or more parameter values were invalid: ADD action is not supported for the type {0}"},
    FaultRow{Fault::kAttributesToGetDuplicate, Exception::kValidation, "One or more parameter values were invalid: Duplicate value in attribute name: {0}"},
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
