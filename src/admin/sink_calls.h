// Partita's own calls for sinks (src/sinks). All block, and answer with JSON. Faults: kConstraints, and those of tables
// and of filter expressions.
#pragma once

#include <string>

#include "admin/operator_request.h"
#include "base/result.h"

namespace partita::admin {

// Files of the server are named over the administration socket alone: what they hold is sent to the URL.
Result<std::string> create_sink(const Subject& about, const Asked& asked);
Result<std::string> list_sinks(const Subject& about, const Asked& asked);
Result<std::string> describe_sink(const Subject& about, const Asked& asked);
Result<std::string> pause_sink(const Subject& about, const Asked& asked);
Result<std::string> resume_sink(const Subject& about, const Asked& asked);
Result<std::string> retry_sink(const Subject& about, const Asked& asked);
Result<std::string> delete_sink(const Subject& about, const Asked& asked);
// Compares the items with the documents.
Result<std::string> verify_sink(const Subject& about, const Asked& asked);

}  // namespace partita::admin
