// The options of `partita sink`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace partita::cli {

struct SinkOptions {
  std::string operation;  // "CreateSink"
  std::string table;
  std::string name;
  std::string server;  // its directory or its socket
  std::string url;
  std::map<std::string, std::string> options;
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

}  // namespace partita::cli
