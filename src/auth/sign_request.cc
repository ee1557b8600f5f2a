#include "auth/sign_request.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>

#include "auth/credentials.h"
#include "auth/signature.h"
#include "auth/text_util.h"
#include "base/clock.h"
#include "base/whole_file.h"

namespace partita::auth {

namespace {

// "20260102T030405Z"
std::string signing_date(int64_t ms) {
  const auto text = utc_text(ms);
  std::string date;
  for (const char c : std::string_view(text.data())) {
    if (c == '.') break;
    if (c != '-' && c != ':') date += c;
  }
  return date + "Z";
}

// What write_texts() encodes again. S3 signs the path as it was encoded once, the other services as encoded twice.
std::string signed_target(const RequestToSign& request) {
  if (request.service != "s3") return std::string(request.target);
  const size_t mark = std::min(request.target.find('?'), request.target.size());
  return decode_percent(request.target.substr(0, mark)) + std::string(request.target.substr(mark));
}

Error no_key(const std::string& file, std::string_view why) {
  return Error(ErrorKind::kUnavailable, "The credentials in " + file + " " + std::string(why));
}

}  // namespace

HeaderList sign_request(const RequestToSign& request, const AccessKey& key, int64_t now_ms) {
  const std::string date = signing_date(now_ms);
  const std::string day = date.substr(0, 8);
  HeaderList added = {{"X-Amz-Date", date}};
  if (!key.session_token.empty()) added.emplace_back("X-Amz-Security-Token", key.session_token);
  if (request.service == "s3") {
    std::string hash;
    append_hex(hash, sha256(request.body));
    added.emplace_back("X-Amz-Content-Sha256", std::move(hash));
  }

  std::map<std::string, std::string_view, std::less<>> headers = {{"host", request.host}};
  const auto take = [&headers](const HeaderList& list) {
    for (const auto& [name, value] : list) {
      std::string lowered = name;
      std::ranges::transform(lowered, lowered.begin(), lower);
      headers.insert_or_assign(std::move(lowered), value);
    }
  };
  if (request.headers != nullptr) take(*request.headers);
  take(added);
  std::string names;
  for (const auto& [name, value] : headers) names += (names.empty() ? "" : ";") + name;

  const std::string target = signed_target(request);
  const Facts facts{request.method, target,
                    [&headers](std::string_view name, size_t place) -> std::optional<std::string_view> {
                      const auto found = headers.find(name);
                      if (place > 0 || found == headers.end()) return std::nullopt;
                      return found->second;
                    },
                    request.body};
  const std::string scope = scope_of(day, request.region, request.service);
  SignedTexts texts;
  write_texts(facts, {.headers = names, .date = date, .scope = scope}, texts);
  std::string signature;
  append_hex(signature, signing_key(key.secret, day, request.region, request.service).sign(texts.to_sign));
  added.emplace_back("Authorization", "AWS4-HMAC-SHA256 Credential=" + key.id + "/" + scope +
                                          ", SignedHeaders=" + names + ", Signature=" + signature);
  return added;
}

Result<AccessKey> read_signing_key(const std::string& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) == 0 && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return no_key(file, "are open to others than its owner: chmod 600 " + file + ".");
  }
  constexpr size_t kMostKeyFile = 1'048'576;
  PARTITA_TRY(const std::string text, read_regular_file(file, kMostKeyFile, "The credentials in"));
  const auto parsed = Credentials::parse(text);
  if (!parsed.ok()) return no_key(file, "cannot be used. " + std::string(parsed.error().sentence()));
  const AccessKey* const key = parsed->of_client();
  if (key == nullptr) return no_key(file, "have no profile [default], and not exactly one other.");
  return *key;
}

}  // namespace partita::auth
