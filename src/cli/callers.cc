#include "cli/callers.h"

#include <algorithm>
#include <string_view>

#include "auth/text_util.h"
#include "base/log.h"
#include "base/whole_file.h"

namespace partita::cli {

namespace {

constexpr size_t kMostToken = 1024;

// What `parse` makes of a file's text. Error: kInvalid (reason 0), with one sentence.
template <class Parse>
auto read_file(const std::string& path, std::string_view what, Parse parse) {
  using Read = decltype(parse(std::string_view()));
  const auto held = read_whole_file(path, "The " + std::string(what) + " in");
  if (!held.ok()) return Read(Error(ErrorKind::kInvalid, std::string(held.error().sentence())));
  auto read = parse(std::string_view(*held));
  if (read.ok()) return read;
  return Read(Error(ErrorKind::kInvalid, path + ": " + std::string(read.error().sentence())));
}

}  // namespace

Result<void> read_callers(const AccessOptions& options, Callers& callers) {
  if (options.credentials.empty()) return {};
  PARTITA_TRY(callers.credentials, read_file(options.credentials, "credentials", auth::Credentials::parse));
  if (options.identities.empty()) return {};
  PARTITA_TRY(callers.account, read_account(options.identities));
  const auto compiled = [&]() -> Result<auth::Identities> {
    auto made = auth::Identities::of(*callers.account);
    if (made.ok()) return made;
    return Error(ErrorKind::kInvalid, options.identities + ": " + std::string(made.error().sentence()));
  };
  PARTITA_TRY(callers.identities, compiled());
  for (const std::string& warning : callers.identities->warnings()) {
    log(LogLevel::kWarn, {options.identities, ": ", warning});
  }
  return callers.credentials->bind(*callers.identities);
}

Result<auth::Account> read_account(const std::string& path) {
  return read_file(path, "identities", auth::read_account);
}

Result<std::string> read_token(const std::string& path) {
  return read_file(path, "token", [](std::string_view text) -> Result<std::string> {
    // As Prometheus does before it sends it.
    const std::string_view token = auth::trim(text.substr(0, text.find_first_of("\r\n")));
    if (token.empty()) return Error(ErrorKind::kInvalid, "The first line is empty, and should be the token.");
    const bool sendable = std::ranges::all_of(token, [](char c) { return c >= ' ' && c < 0x7f; });
    if (!sendable || token.size() > kMostToken) {
      return Error(ErrorKind::kInvalid, "A token is of at most 1024 printable characters of ASCII.");
    }
    return std::string(token);
  });
}

Result<std::string> read_document(const std::string& path) {
  return read_file(path, "document", [](std::string_view text) -> Result<std::string> { return std::string(text); });
}

Result<auth::Policy> read_resource_policy(const std::string& path) {
  return read_file(path, "policy",
                   [](std::string_view text) { return auth::Policy::parse(text, auth::Policy::Use::kResource); });
}

}  // namespace partita::cli
