// FoundationDB's C client, loaded when the first store in FoundationDB is wanted: no build and no other server needs
// it. The declarations are ours, of what the documentation of its C API promises since version 710.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace partita::foundationdb {

// Its objects, which only it knows.
struct FdbFuture;
struct FdbDatabase;
struct FdbTransaction;

// Of a range that was read; laid out as the client has it.
#pragma pack(push, 4)
struct FdbKeyValue {
  const uint8_t* key;
  int key_size;
  const uint8_t* value;
  int value_size;
};
#pragma pack(pop)

using FdbCallback = void (*)(FdbFuture*, void*);

// The client's functions by their names, without "fdb_". Those that return an int return the code of an error, or 0.
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

// Loads the client and starts the one thread that it does its work on. Once is enough, from any thread. Error:
// kUnavailable, with what is missing.
Result<void> start_client();
// That thread ends first when the process ends: before anything goes that the client has made until this is called.
// To be called when a database is closed.
void end_client_at_exit();
// Precondition: start_client() went well.
const Client& client();

// What it calls options, predicates and codes of errors.
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

// For an operator: what FoundationDB says of that code.
Error to_error(int code);

}  // namespace partita::foundationdb
