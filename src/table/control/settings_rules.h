// Rules for the encryption and the stream of a table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "table/control/tables.h"

namespace partita::table {

// The requested encryption; `kms` is false for the default. Faults:
// kEncryptionOffWith, kEncryptionAes, kEncryptionKeyWithoutType.
Result<Encryption> wanted_encryption(const api::EncryptionRequest& request);
// Starts the change, which ends at `due_ms`. Faults: kEncryptionOffAlready, kEncryptionSameKey.
Result<void> change_encryption(TableInfo& table, const Encryption& wanted, int64_t due_ms);
// The id of the key that an ARN, an id or an alias names. Without a KMS, the id of an alias is derived from its name.
std::string kms_key_id(std::string_view key);

// Faults: kStreamViewMissing, kStreamViewGiven.
Result<void> check_new_stream(const std::optional<api::StreamRequest>& request);
// Faults: kStreamViewMissingOnUpdate, kStreamViewGivenOnUpdate, kStreamOnAlready, kStreamOffAlready.
Result<void> change_stream(TableInfo& table, const api::StreamRequest& wanted, int64_t now_ms);

}  // namespace partita::table
