// FoundationDB's C client, loaded when the first store in FoundationDB is opened: neither the build nor other servers
// need it. The declarations are our own, written from the documentation of its C API since version 710.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace partita::foundationdb {

// Opaque types of the client.
struct FdbFuture;
struct FdbDatabase;
struct FdbTransaction;

// A row of a range, in the client's layout.
#pragma pack(push, 4)
struct FdbKeyValue {
  const uint8_t* key;
  int key_size;
  const uint8_t* value;
  int value_size;
};
#pragma pack(pop)

using FdbCallback = void (*)(FdbFuture*, void*);

// The client's functions by name, without "fdb_". An int result is an error code, or 0.
struct Client {
  int (*get_max_api_version)();
  int (*select_api_version_impl)(int wanted, int of_the_caller);
  const char* (*get_error)(int code);
  int (*error_predicate)(int predicate, int code);
  int (*setup_network)();
  int (*run_network)();
  int (*stop_network)();
  int (*create_database)(const char* cluster_file, FdbDatabase** made);
  void (*database_destroy)(FdbDatabase*);
  int (*database_set_option)(FdbDatabase*, int option, const uint8_t* value, int value_size);
  int (*database_create_transaction)(FdbDatabase*, FdbTransaction** made);
  void (*transaction_destroy)(FdbTransaction*);
  int (*transaction_set_option)(FdbTransaction*, int option, const uint8_t* value, int value_size);
  FdbFuture* (*transaction_get_read_version)(FdbTransaction*);
  FdbFuture* (*transaction_get)(FdbTransaction*, const uint8_t* key, int key_size, int snapshot);
  FdbFuture* (*transaction_get_range)(FdbTransaction*, const uint8_t* begin, int begin_size, int begin_or_equal,
                                      int begin_offset, const uint8_t* end, int end_size, int end_or_equal,
                                      int end_offset, int limit, int target_bytes, int mode, int iteration,
                                      int snapshot, int reverse);
  FdbFuture* (*transaction_get_estimated_range_size_bytes)(FdbTransaction*, const uint8_t* begin, int begin_size,
                                                           const uint8_t* end, int end_size);
  void (*transaction_set)(FdbTransaction*, const uint8_t* key, int key_size, const uint8_t* value, int value_size);
  void (*transaction_clear)(FdbTransaction*, const uint8_t* key, int key_size);
  void (*transaction_clear_range)(FdbTransaction*, const uint8_t* begin, int begin_size, const uint8_t* end,
                                  int end_size);
  void (*transaction_atomic_op)(FdbTransaction*, const uint8_t* key, int key_size, const uint8_t* value, int value_size,
                                int operation);
  int (*transaction_add_conflict_range)(FdbTransaction*, const uint8_t* begin, int begin_size, const uint8_t* end,
                                        int end_size, int type);
  FdbFuture* (*transaction_commit)(FdbTransaction*);
  FdbFuture* (*transaction_on_error)(FdbTransaction*, int code);
  void (*future_destroy)(FdbFuture*);
  int (*future_is_ready)(FdbFuture*);
  int (*future_get_error)(FdbFuture*);
  int (*future_set_callback)(FdbFuture*, FdbCallback, void*);
  int (*future_get_value)(FdbFuture*, int* present, const uint8_t** value, int* value_size);
  int (*future_get_keyvalue_array)(FdbFuture*, const FdbKeyValue** rows, int* count, int* more);
  int (*future_get_int64)(FdbFuture*, int64_t* value);
};

// Loads the client and starts its network thread. Callable from any thread; later calls do nothing. Error:
// kUnavailable, naming what is missing.
Result<void> start_client();
// Has the network thread end at the process's exit, before the objects that the client created until now are destroyed.
// To be called when a database is closed.
void end_client_at_exit();
// Precondition: start_client() succeeded.
const Client& client();

// Numbers of options, predicates and error codes.
inline constexpr int kOptionTransactionTimeout = 500;     // of a database
inline constexpr int kOptionTransactionRetryDelay = 502;  // of a database: the longest
inline constexpr int kOptionTimeout = 500;                // of a transaction
inline constexpr int kOptionOwnWritesUnread = 51;         // of a transaction: reads need not look at its writes
inline constexpr int kStreamExact = 0;
inline constexpr int kVersionstampedKey = 14;
inline constexpr int kVersionstampedValue = 15;
inline constexpr int kConflictRead = 0;
inline constexpr int kMaybeCommitted = 50'001;
inline constexpr int kRetryableNotCommitted = 50'002;
inline constexpr int kErrorTooOld = 1'007;
inline constexpr int kErrorConflict = 1'020;
inline constexpr int kErrorTimedOut = 1'031;
inline constexpr int kErrorTooLarge = 2'101;
inline constexpr int kErrorNoClusterFile = 2'104;

// FoundationDB's text for that code, for the operator.
Error to_error(int code);

}  // namespace partita::foundationdb
