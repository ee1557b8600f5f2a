// What DynamoDB says of encryption and streams of a table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "table/control/tables.h"

namespace partita::table {

// What the request asks for; `kms` is false when it asks for the encryption that every table has. Faults:
// kEncryptionOffWith, kEncryptionAes, kEncryptionKeyWithoutType.
Result<Encryption> wanted_encryption(const EncryptionRequest& request);
// Begins the change, which is done at `due_ms`. Faults: kEncryptionOffAlready, kEncryptionSameKey.
Result<void> change_encryption(TableInfo& table, const Encryption& wanted, int64_t due_ms);
// The id of the key that an ARN, an id or an alias names. There is no KMS here to ask: an alias has an id that is made
// of its name.
std::string kms_key_id(std::string_view key);

// Faults: kStreamViewMissing, kStreamViewGiven.
Result<void> check_new_stream(const std::optional<StreamRequest>& request);
// Faults: kStreamViewMissingOnUpdate, kStreamViewGivenOnUpdate, kStreamOnAlready, kStreamOffAlready.
Result<void> change_stream(TableInfo& table, const StreamRequest& wanted, int64_t now_ms);

}  // namespace partita::table
