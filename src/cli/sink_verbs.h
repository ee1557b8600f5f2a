// `partita sink`: each verb makes a call of admin/sink_calls.h over the administration socket of a running server.
#pragma once

#include <span>

#include "base/result.h"
#include "cli/sink_options.h"
#include "cli/verb_row.h"

namespace partita::cli {

std::span<const VerbRow> sink_verbs();
// Prints the answer. False: `sink verify` found a difference. Errors, one sentence each: kUnavailable, and what the
// server refuses.
Result<bool> run_sink_verb(const SinkOptions& options);

}  // namespace partita::cli
