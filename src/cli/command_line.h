// The command line: a verb and its options.
#pragma once

#include <string>

#include "cli/account_verbs.h"
#include "cli/backup.h"
#include "cli/copy.h"
#include "cli/mcp.h"
#include "cli/operate.h"
#include "cli/salvage.h"
#include "cli/serve_options.h"
#include "cli/simulate.h"
#include "cli/sink_options.h"
#include "cli/status.h"

namespace partita::cli {

struct VerbRow;

// Only the options of `verb` are set.
struct CommandLine {
  const VerbRow* verb = nullptr;  // never null after read_command_line()
  std::string topic;              // of `help`: a verb, the first word of some, or empty
  ServeOptions serve;
  StatusOptions status;
  BackupOptions backup;  // of the verbs for backups, and of `verify`
  CopyOptions copy;
  SalvageOptions salvage;
  SimulateOptions simulate;
  AccountOptions account;
  OperateOptions operate;
  SinkOptions sink;
  McpOptions mcp;
};

}  // namespace partita::cli
