// CreateTable, DescribeTable, ListTables, UpdateTable, DeleteTable.

#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

constexpr std::string_view kScalarWords[] = {"B", "N", "S"};
constexpr std::string_view kKeyTypeWords[] = {"HASH", "RANGE"};
constexpr std::string_view kBillingWords[] = {"PROVISIONED", "PAY_PER_REQUEST"};
constexpr std::string_view kProjectionWords[] = {"ALL", "INCLUDE", "KEYS_ONLY"};
constexpr std::string_view kStreamWords[] = {"OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE"};
constexpr std::string_view kEncryptionWords[] = {"AES256", "KMS"};
constexpr std::string_view kReplicationWords[] = {"ENABLED", "DISABLED", "ENABLED_WITH_OVERRIDES"};
constexpr std::string_view kConsistencyWords[] = {"EVENTUAL", "STRONG"};

constexpr Shape kNewTableName{.kind = ShapeKind::kString, .table_name = TableNameRule::kCreate};
constexpr Shape kAttributeName{.kind = ShapeKind::kString, .min = 1, .max = 255};
constexpr Shape kAtLeastOne{.kind = ShapeKind::kLong, .min = 1};
constexpr Shape kLong{.kind = ShapeKind::kLong};

constexpr Member kAttributeDefinitionMembers[] = {
    {"AttributeType", &kEnum<kScalarWords>, Absence::kNull},
    {"AttributeName", &kAttributeName, Absence::kNull},
};
constexpr Shape kAttributeDefinition{
    .kind = ShapeKind::kStructure, .name = "AttributeDefinition", .members = kAttributeDefinitionMembers};
constexpr Shape kAttributeDefinitions{.kind = ShapeKind::kList, .element = &kAttributeDefinition};

constexpr Member kKeyElementMembers[] = {
    {"AttributeName", &kAttributeName, Absence::kNull},
    {"KeyType", &kEnum<kKeyTypeWords>, Absence::kNull},
};
constexpr Shape kKeyElement{.kind = ShapeKind::kStructure, .name = "KeySchemaElement", .members = kKeyElementMembers};
constexpr Shape kTableKeySchema{.kind = ShapeKind::kList, .element = &kKeyElement, .min = 1, .max = 2};
constexpr Shape kGlobalKeySchema{.kind = ShapeKind::kList, .element = &kKeyElement, .min = 1};

constexpr Member kThroughputMembers[] = {
    {"WriteCapacityUnits", &kAtLeastOne, Absence::kNull},
    {"ReadCapacityUnits", &kAtLeastOne, Absence::kNull},
};
constexpr Shape kThroughput{
    .kind = ShapeKind::kStructure, .name = "ProvisionedThroughput", .members = kThroughputMembers};
constexpr Member kOnDemandMembers[] = {
    {"MaxReadRequestUnits", &kLong},
    {"MaxWriteRequestUnits", &kLong},
};
constexpr Shape kOnDemand{.kind = ShapeKind::kStructure, .name = "OnDemandThroughput", .members = kOnDemandMembers};
constexpr Member kWarmMembers[] = {
    {"ReadUnitsPerSecond", &kLong},
    {"WriteUnitsPerSecond", &kLong},
};
constexpr Shape kWarm{.kind = ShapeKind::kStructure, .name = "WarmThroughput", .members = kWarmMembers};

constexpr Shape kNonKeyAttributes{.kind = ShapeKind::kList, .element = &kAttributeName, .min = 1, .max = 20};
constexpr Member kProjectionMembers[] = {
    {"ProjectionType", &kEnum<kProjectionWords>},
    {"NonKeyAttributes", &kNonKeyAttributes},
};
constexpr Shape kProjection{.kind = ShapeKind::kStructure, .name = "Projection", .members = kProjectionMembers};

constexpr Member kLocalIndexMembers[] = {
    {"IndexName", &kControlIndexName, Absence::kNull},
    {"KeySchema", &kTableKeySchema, Absence::kNull},
    {"Projection", &kProjection, Absence::kNull},
};
constexpr Shape kLocalIndex{
    .kind = ShapeKind::kStructure, .name = "LocalSecondaryIndex", .members = kLocalIndexMembers};
constexpr Shape kLocalIndexes{.kind = ShapeKind::kList, .element = &kLocalIndex};

constexpr Member kGlobalIndexMembers[] = {
    {"IndexName", &kControlIndexName, Absence::kNull},
    {"KeySchema", &kGlobalKeySchema, Absence::kNull},
    {"Projection", &kProjection, Absence::kNull},
    {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand},
    {"WarmThroughput", &kWarm},
};
constexpr Shape kGlobalIndex{
    .kind = ShapeKind::kStructure, .name = "GlobalSecondaryIndex", .members = kGlobalIndexMembers};
constexpr Shape kGlobalIndexes{.kind = ShapeKind::kList, .element = &kGlobalIndex};

constexpr std::string_view kDistanceWords[] = {"COSINE", "DOT_PRODUCT", "EUCLIDEAN"};
constexpr std::string_view kSearchWords[] = {"HASH", "INLINE_FILTER"};
constexpr Member kSearchElementMembers[] = {
    {"AttributeName", &kAttributeName, Absence::kNull},
    {"SearchSchemaElementType", &kEnum<kSearchWords>, Absence::kNull},
};
constexpr Shape kSearchElement{
    .kind = ShapeKind::kStructure, .name = "SearchSchemaElement", .members = kSearchElementMembers};
constexpr Shape kSearchSchema{.kind = ShapeKind::kList, .element = &kSearchElement, .min = 1};
constexpr Member kVectorAttributeMembers[] = {{"AttributeName", &kAttributeName, Absence::kNull}};
constexpr Shape kVectorAttribute{
    .kind = ShapeKind::kStructure, .name = "VectorAttributeDefinition", .members = kVectorAttributeMembers};
constexpr Member kVectorIndexMembers[] = {
    {"IndexName", &kControlIndexName, Absence::kNull},
    {"VectorAttribute", &kVectorAttribute, Absence::kNull},
    {"SearchSchema", &kSearchSchema},
    {"Projection", &kProjection, Absence::kNull},
    {"Dimensions", &kAtLeastOne, Absence::kNull},
    {"DistanceFunction", &kEnum<kDistanceWords>, Absence::kNull},
};
constexpr Shape kVectorIndex{.kind = ShapeKind::kStructure, .name = "VectorIndex", .members = kVectorIndexMembers};
constexpr Shape kVectorIndexes{.kind = ShapeKind::kList, .element = &kVectorIndex};

constexpr Member kStreamMembers[] = {
    {"StreamEnabled", &kFlag, Absence::kNull},
    {"StreamViewType", &kEnum<kStreamWords>},
};
constexpr Shape kStream{.kind = ShapeKind::kStructure, .name = "StreamSpecification", .members = kStreamMembers};
constexpr Shape kNotEmpty{.kind = ShapeKind::kString, .min = 1};
constexpr Member kEncryptionMembers[] = {
    {"Enabled", &kFlag},
    {"SSEType", &kEnum<kEncryptionWords>},
    {"KMSMasterKeyId", &kNotEmpty},
};
constexpr Shape kEncryption{.kind = ShapeKind::kStructure, .name = "SSESpecification", .members = kEncryptionMembers};

// What is refused by its name: only its kind is looked at.
constexpr Shape kAnyStructure{.kind = ShapeKind::kStructure, .name = "Structure"};
constexpr Shape kSomeStructures{.kind = ShapeKind::kList, .element = &kAnyStructure, .min = 1};

constexpr Member kCreateTableMembers[] = {
    {"AttributeDefinitions", &kAttributeDefinitions, Absence::kNull},
    {"TableName", &kNewTableName, Absence::kParameter},
    {"BillingMode", &kEnum<kBillingWords>},
    {"ProvisionedThroughput", &kThroughput},
    {"KeySchema", &kTableKeySchema, Absence::kNull},
    {"GlobalSecondaryIndexes", &kGlobalIndexes},
    {"LocalSecondaryIndexes", &kLocalIndexes},
    {"StreamSpecification", &kStream},
    {"SSESpecification", &kEncryption},
    {"Tags", &kTags},
    {"TableClass", &kText},
    {"DeletionProtectionEnabled", &kFlag},
    {"WarmThroughput", &kWarm},
    {"ResourcePolicy", &kText},
    {"OnDemandThroughput", &kOnDemand},
    {"GlobalTableSourceArn", &kText},
    {"GlobalTableSettingsReplicationMode", &kEnum<kReplicationWords>},
    {"VectorIndexes", &kVectorIndexes},
};

constexpr Member kUpdateIndexMembers[] = {
    {"IndexName", &kControlIndexName, Absence::kNull},
    {"ProvisionedThroughput", &kThroughput},
    {"OnDemandThroughput", &kOnDemand},
    {"WarmThroughput", &kWarm},
};
constexpr Shape kUpdateIndex{
    .kind = ShapeKind::kStructure, .name = "UpdateGlobalSecondaryIndexAction", .members = kUpdateIndexMembers};
constexpr Shape kCreateIndex{
    .kind = ShapeKind::kStructure, .name = "CreateGlobalSecondaryIndexAction", .members = kGlobalIndexMembers};
constexpr Member kDeleteIndexMembers[] = {{"IndexName", &kControlIndexName, Absence::kNull}};
constexpr Shape kDeleteIndex{
    .kind = ShapeKind::kStructure, .name = "DeleteGlobalSecondaryIndexAction", .members = kDeleteIndexMembers};
constexpr Member kIndexUpdateMembers[] = {
    {"Update", &kUpdateIndex},
    {"Create", &kCreateIndex},
    {"Delete", &kDeleteIndex},
};
constexpr Shape kIndexUpdate{
    .kind = ShapeKind::kStructure, .name = "GlobalSecondaryIndexUpdate", .members = kIndexUpdateMembers};
constexpr Shape kIndexUpdates{.kind = ShapeKind::kList, .element = &kIndexUpdate};

constexpr Shape kCreateVectorIndex{
    .kind = ShapeKind::kStructure, .name = "CreateVectorIndexAction", .members = kVectorIndexMembers};
constexpr Shape kDeleteVectorIndex{
    .kind = ShapeKind::kStructure, .name = "DeleteVectorIndexAction", .members = kDeleteIndexMembers};
constexpr Member kVectorUpdateMembers[] = {
    {"Create", &kCreateVectorIndex},
    {"Delete", &kDeleteVectorIndex},
};
constexpr Shape kVectorUpdate{
    .kind = ShapeKind::kStructure, .name = "VectorIndexUpdate", .members = kVectorUpdateMembers};
constexpr Shape kVectorUpdates{.kind = ShapeKind::kList, .element = &kVectorUpdate};

constexpr Member kUpdateTableMembers[] = {
    {"TableName", &kControlTableName, Absence::kParameter},
    {"ProvisionedThroughput", &kThroughput},
    {"BillingMode", &kEnum<kBillingWords>},
    {"AttributeDefinitions", &kAttributeDefinitions},
    {"GlobalSecondaryIndexUpdates", &kIndexUpdates},
    {"StreamSpecification", &kStream},
    {"SSESpecification", &kEncryption},
    {"TableClass", &kText},
    {"DeletionProtectionEnabled", &kFlag},
    {"WarmThroughput", &kWarm},
    {"OnDemandThroughput", &kOnDemand},
    {"ReplicaUpdates", &kSomeStructures},
    {"MultiRegionConsistency", &kEnum<kConsistencyWords>},
    {"GlobalTableWitnessUpdates", &kSomeStructures},
    {"GlobalTableSettingsReplicationMode", &kEnum<kReplicationWords>},
    {"DisassociationProtectionEnabled", &kFlag},
    {"VectorIndexUpdates", &kVectorUpdates},
};

constexpr Shape kListLimit{.kind = ShapeKind::kInteger, .min = 1, .max = 100};
constexpr Member kListTablesMembers[] = {
    {"Limit", &kListLimit},
    {"ExclusiveStartTableName", &kIndexName},
};

}  // namespace

constinit const Shape kCreateTable{
    .kind = ShapeKind::kStructure, .name = "CreateTableInput", .members = kCreateTableMembers};
constinit const Shape kUpdateTable{
    .kind = ShapeKind::kStructure, .name = "UpdateTableInput", .members = kUpdateTableMembers};
constinit const Shape kDescribeTable{
    .kind = ShapeKind::kStructure, .name = "DescribeTableInput", .members = kNamedTableMembers};
constinit const Shape kDeleteTable{
    .kind = ShapeKind::kStructure, .name = "DeleteTableInput", .members = kNamedTableMembers};
constinit const Shape kListTables{
    .kind = ShapeKind::kStructure, .name = "ListTablesInput", .members = kListTablesMembers};

}  // namespace partita::wire::shapes
