#include "auth/session.h"

#include <array>

#include "auth/seal.h"
#include "base/bytes.h"

namespace partita::auth {

namespace {

constexpr uint8_t kFormat = 1;

template <class One>
auto texts_of(One& session) {
  return std::array{&session.key_id,   &session.secret,  &session.name,  &session.id,
                    &session.given_to, &session.session, &session.policy};
}

}  // namespace

std::string token_of(const Session& session, std::string_view seal_key) {
  std::string bytes;
  bytes.push_back(static_cast<char>(kFormat));
  bytes.push_back(static_cast<char>(session.of));
  append_u64(bytes, static_cast<uint64_t>(session.issued_ms));
  append_u64(bytes, static_cast<uint64_t>(session.expires_ms));
  for (const std::string* text : texts_of(session)) append_sized(bytes, *text);
  std::string token;
  append_base64(token, seal(seal_key, bytes));
  return token;
}

std::optional<Session> session_of(std::string_view token, std::string_view seal_key) {
  const auto sealed = decode_base64(token);
  const auto opened = sealed ? unseal(seal_key, *sealed) : std::nullopt;
  if (!opened) return std::nullopt;
  std::string_view rest = *opened;
  const auto format = take_u8(rest);
  const auto of = take_u8(rest);
  const auto issued = take_u64(rest);
  const auto expires = take_u64(rest);
  if (format != kFormat || !of || *of > static_cast<uint8_t>(Session::Of::kRole) || !issued || !expires) {
    return std::nullopt;
  }
  Session session;
  session.of = static_cast<Session::Of>(*of);
  session.issued_ms = static_cast<int64_t>(*issued);
  session.expires_ms = static_cast<int64_t>(*expires);
  for (std::string* text : texts_of(session)) {
    const auto taken = take_sized(rest);
    if (!taken) return std::nullopt;
    *text = *taken;
  }
  return session;
}

}  // namespace partita::auth
