// DynamoDB's limits, each from "Quotas in Amazon DynamoDB" in its developer guide unless another source is named.
#pragma once

#include <cstddef>
#include <cstdint>

namespace partita::model {

inline constexpr size_t kMaxItemBytes = 400 * 1024;
inline constexpr size_t kMaxPartitionKeyBytes = 2048;
inline constexpr size_t kMaxSortKeyBytes = 1024;
inline constexpr int kMaxNestingDepth = 32;
inline constexpr size_t kMaxAttributeNameBytes = 65535;
inline constexpr int kMaxNumberDigits = 38;
inline constexpr int kMinNumberExponent = -130;  // 1E-130 is the smallest positive number
inline constexpr int kMaxNumberExponent = 125;   // 9.99...E+125 is the largest

inline constexpr size_t kMaxPageBytes = 1024 * 1024;           // Query and Scan
inline constexpr size_t kMaxBatchGetBytes = 16 * 1024 * 1024;  // BatchGetItem
inline constexpr size_t kMaxBatchGetKeys = 100;
inline constexpr size_t kMaxBatchWrites = 25;
inline constexpr size_t kMaxTransactionActions = 100;
inline constexpr size_t kMaxTransactionBytes = 4 * 1024 * 1024;

inline constexpr size_t kMaxStatementCharacters = 8192;  // of PartiQL; from the API reference, like the next one
inline constexpr size_t kMaxBatchStatements = 25;

inline constexpr size_t kMaxExpressionBytes = 4096;
inline constexpr size_t kMaxExpressionOperators = 300;
inline constexpr size_t kMaxInOperands = 100;
inline constexpr size_t kMaxPlaceholderBytes = 2 * 1024 * 1024;  // names and values of an expression together

inline constexpr size_t kMaxGlobalIndexes = 20;
inline constexpr size_t kMaxLocalIndexes = 5;
inline constexpr size_t kMaxIndexKeys = 4;               // partition attributes of a global index, and sort attributes
inline constexpr size_t kMaxProjectedAttributes = 100;   // over all indexes of a table
inline constexpr size_t kMaxTags = 50;                   // of a table
inline constexpr int64_t kMaxTableUnits = 40'000;        // of a table or an index, read or write
inline constexpr int64_t kMaxUnits = 1'000'000'000'000;  // DynamoDB accepts no larger number of units
inline constexpr int64_t kMaxDecreasesAtOnce = 4;        // of provisioned units in a UTC day; then one an hour
inline constexpr int64_t kMaxCollectionBytes = 10LL * 1024 * 1024 * 1024;  // with a local index

inline constexpr size_t kMaxVectorIndexes = 5;  // "Vector indexes", like all up to the blank line
inline constexpr int64_t kMaxDimensions = 4096;
inline constexpr size_t kMaxInlineFilters = 18;
inline constexpr int64_t kMaxTopK = 100;
inline constexpr size_t kMaxInlineFilterBytes = 10240;  // measured: its fault names it
inline constexpr size_t kMaxSearchBytes = 16 * 1024 * 1024;
inline constexpr int64_t kMinVectorBytes = 1024;  // of a write or a search, measured

inline constexpr size_t kReadUnitBytes = 4096;
inline constexpr size_t kWriteUnitBytes = 1024;

}  // namespace partita::model
