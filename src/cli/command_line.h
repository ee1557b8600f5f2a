// What the words behind `partita` ask for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "http/options.h"
#include "namespaces/namespaces.h"

namespace partita::cli {

enum class Verb : uint8_t {
  kServe,
  kStatus,
  kOperate,
  kBackup,
  kListBackups,
  kPruneBackups,
  kRestore,
  kVerify,
  kCopy,
  kSalvage,
  kSimulate,
  kAccount,
  kMcp,
  kVersion,
  kHelp
};

// The request that `partita policy simulate` is about.
struct Simulated {
  std::string user;  // or empty, and then
  std::string role;
  std::string action;                                        // "dynamodb:GetItem"
  std::string resource;                                      // an ARN
  std::vector<std::pair<std::string, std::string>> context;  // condition keys and their values, one each
  std::string resource_policy;                               // of a file, or empty
};

// Where data is when nothing is said.
inline constexpr std::string_view kUsualData = "./partita-data";

struct CommandLine {
  Verb verb = Verb::kHelp;
  std::string topic;   // of kHelp: a verb, the first word of some, or empty; of kAccount: which of account_verbs()
  http::Options http;  // of kServe, like what follows
  std::string store;   // a URL as in engines.h
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
  int64_t slow_request_ms = 1'000;  // a request that takes as long is logged
  size_t vector_bytes = size_t{1} << 30;
  std::string credentials;    // of a file, or empty
  std::string identities;     // the same
  std::string metrics_token;  // the same
  bool users = false;         // those of the store may call
  bool warn_only = false;
  bool json = false;         // of kStatus: for programs
  bool writes = false;       // of kMcp: not only to read
  std::string endpoint;      // of kMcp: the URL of the server that is asked, or empty
  std::string seed;          // a directory, or empty
  std::string audit_log;     // a file, or empty
  std::string admin_socket;  // where it is to be, or empty: beside the data, if they are in a directory
  bool audit_data = false;
  std::string trace_to;       // a collector's URL, or empty
  uint64_t trace_one_in = 0;  // 0: nothing was said
  namespaces::NamespacesBy namespaces_by = namespaces::NamespacesBy::kNothing;
  size_t most_namespaces = 0;  // open at a time; 0: as many as is usual
  uint64_t request_rate = 0;   // of each principal, a second; 0 is as many as they like
  std::string tls_cert;        // a file, or empty, as tls_key then is too
  std::string tls_key;
  int64_t scrub_rest_ms = 0;  // between two rounds of the scrub; 0: there is none
  uint64_t scrub_rate = 0;    // bytes a second; 0: nothing was said
  int64_t clock_ms = 0;       // what is added to the machine's clock
  bool clock_moves = false;   // whether that was asked for, be it 0
  std::string data;           // of kSalvage: the directory of the damaged store; of kStatus and kAccount: who is asked
  std::string operation;      // of kOperate, which asks what is in `data` too: of Partita_20261123, ...
  std::string subject;        // ... the name that it takes, ...
  std::string space;          // ... and the namespace, or empty; of kMcp too
  std::string from;           // of kCopy: a store's URL, ...
  std::string to;             // ... and that of the copy; of kSalvage: the directory for what can be saved; of
                              // kAccount: the file that a new access key goes into, or empty
  std::string backups;  // the directory of them; of kVerify it may be empty. The store is `from` or, restored, `data`
  uint32_t backup_id = 0;          // 0: the newest
  size_t keep = 0;                 // how many backups stay; 0: all
  bool mends = false;              // of kBackup
  std::vector<std::string> words;  // of kAccount: what stands behind the verb
  Simulated simulated;             // of kSimulate, beside `identities`
};

// `words` are those behind the program's name. Error: kInvalid (reason 0), with one sentence that says what is wrong.
Result<CommandLine> read_command_line(std::span<const char* const> words);

}  // namespace partita::cli
