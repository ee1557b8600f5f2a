#include "table/control/settings_rules.h"

#include "base/bytes.h"
#include "base/random.h"
#include "model/fault.h"
#include "model/limits.h"
#include "table/rows/stream_rows.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;

constexpr std::string_view kOwnKey = "alias/aws/dynamodb";

bool is_key_arn(std::string_view key) { return key.starts_with("arn:") && key.contains(":key/"); }

}  // namespace

Result<Encryption> wanted_encryption(const api::EncryptionRequest& request) {
  if (request.enabled == false) {
    if (!request.type.empty()) return refuse(Fault::kEncryptionOffWith, {"SSEType"});
    if (!request.key.empty()) return refuse(Fault::kEncryptionOffWith, {"KMSMasterKeyId"});
    return Encryption{};
  }
  if (request.type == "AES256") return refuse(Fault::kEncryptionAes);
  if (request.type.empty() && !request.key.empty()) return refuse(Fault::kEncryptionKeyWithoutType);
  if (!request.enabled && request.type.empty()) return Encryption{};
  return Encryption{true, std::string(request.key.empty() ? kOwnKey : request.key)};
}

Result<void> change_encryption(TableInfo& table, const Encryption& wanted, int64_t due_ms) {
  if (!wanted.kms && !table.encryption) return refuse(Fault::kEncryptionOffAlready);
  // DynamoDB compares ARNs and nothing else: the same key by another name is a change.
  const bool same = wanted.kms && table.encryption && is_key_arn(wanted.key) &&
                    kms_key_id(wanted.key) == kms_key_id(table.encryption->key);
  if (same) return refuse(Fault::kEncryptionSameKey);
  table.next_encryption = {wanted, due_ms};
  return {};
}

std::string kms_key_id(std::string_view key) {
  if (is_key_arn(key)) return std::string(key.substr(key.find(":key/") + 5));
  const size_t alias = key.find("alias/");
  if (alias == std::string_view::npos) return std::string(key);
  const std::string name(key.substr(alias));
  SeededRandom digits(hash64(name));
  return digits.uuid();
}

Result<void> check_new_stream(const std::optional<api::StreamRequest>& request) {
  if (!request) return {};
  if (request->enabled && request->view_type.empty()) return refuse(Fault::kStreamViewMissing);
  if (!request->enabled && !request->view_type.empty()) return refuse(Fault::kStreamViewGiven);
  return {};
}

Result<void> change_stream(TableInfo& table, const api::StreamRequest& wanted, int64_t now_ms) {
  if (wanted.enabled && wanted.view_type.empty()) return refuse(Fault::kStreamViewMissingOnUpdate);
  if (!wanted.enabled && !wanted.view_type.empty()) return refuse(Fault::kStreamViewGivenOnUpdate);
  if (wanted.enabled && table.stream.enabled) return refuse(Fault::kStreamOnAlready, {table.name});
  if (!wanted.enabled && !table.stream.enabled) return refuse(Fault::kStreamOffAlready, {table.name});
  if (wanted.enabled) {
    begin_stream(table, wanted.view_type, now_ms);
  } else {
    end_stream(table);
  }
  return {};
}

}  // namespace partita::table
