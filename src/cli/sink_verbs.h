// `partita sink`: each verb makes a call of admin/sink_calls.h over the administration socket of a running server.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace partita::cli {

struct VerbRow;

struct SinkOptions {
  std::string operation;  // "CreateSink"
  std::string table;
  std::string name;
  std::string server;  // its directory or its socket
  std::string url;
  std::string index;
  std::string credentials_file;
  std::string authority_file;
  std::string fields;    // separated by commas
  std::string document;  // "template" or "flat"
  std::string filter;
  std::string filter_names;   // JSON
  std::string filter_values;  // JSON
  std::string dead_letters;
  int64_t max_backlog_bytes = 0;  // 0: the server's default
  bool fill = false;
  bool delete_index = false;
  bool json = false;
};

std::span<const VerbRow> sink_verbs();
// Prints the answer. False: `sink verify` found a difference. Errors, one sentence each: kUnavailable, and what the
// server refuses.
Result<bool> run_sink_verb(const SinkOptions& options);

}  // namespace partita::cli
