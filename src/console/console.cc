#include "console/console.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "auth/sha256.h"
#include "http/content_coding.h"

// A count, then as many rows, then all that they say: see CMakeLists.txt.
extern "C" __attribute__((visibility("hidden"))) const char partita_console_files[];

namespace partita::console {

namespace {

constexpr std::string_view kIndex = "index.html";
constexpr std::string_view kHashed = "assets/";  // names that change with their content
constexpr std::string_view kText = "text/plain; charset=utf-8";

constexpr std::string_view kSecurity =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kTypes = {{
    {"html", "text/html; charset=utf-8"},
    {"js", "text/javascript; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"json", "application/json"},
    {"map", "application/json"},
    {"webmanifest", "application/manifest+json"},
    {"svg", "image/svg+xml"},
    {"png", "image/png"},
    {"ico", "image/x-icon"},
    {"woff2", "font/woff2"},
    {"wasm", "application/wasm"},
    {"txt", kText},
}};

struct Packed {
  std::string_view name;
  std::string_view br;  // empty: not there
  std::string_view gz;
};

uint32_t number_at(size_t place) {
  uint32_t number = 0;
  std::memcpy(&number, partita_console_files + place * sizeof number, sizeof number);
  return number;
}

Packed row(size_t index) {
  constexpr size_t kWords = 4;
  const auto between = [&](size_t word) {
    const uint32_t from = number_at(1 + index * kWords + word);
    return std::string_view(partita_console_files + from, number_at(2 + index * kWords + word) - from);
  };
  return {between(0), between(1), between(2)};
}

std::optional<Packed> named(std::string_view name) {
  const uint32_t count = number_at(0);
  for (size_t i = 0; i < count; ++i) {
    const Packed found = row(i);
    if (found.name == name) return found;
  }
  return std::nullopt;
}

std::string_view type_of(std::string_view name) {
  const std::string_view extension = name.substr(name.rfind('.') + 1);
  for (const auto& [known, type] : kTypes) {
    if (known == extension) return type;
  }
  return "application/octet-stream";
}

http::File text(int status, std::string_view body, std::string headers = {}) {
  return {.status = status, .content_type = kText, .headers = std::move(headers.append(kSecurity)), .body = body};
}

// A strong ETag: it differs by content and by coding.
std::string tag_of(const http::File& reply) {
  constexpr size_t kDigits = 32;
  std::string digits;
  auth::append_hex(digits, auth::sha256(reply.body));
  return "\"" + digits.substr(0, kDigits) + (reply.unpack ? "-plain\"" : "\"");
}

bool is_view(std::string_view name, const ops::Source& source) {
  if (name.starts_with(kHashed)) return false;
  return name.find('.', name.rfind('/') + 1) == std::string_view::npos ||
         source.header("accept").find("text/html") != std::string_view::npos;
}

http::File answer(const Packed& file, const ops::Source& source) {
  const std::string_view accepted = source.header("accept-encoding");
  http::File reply{.content_type = type_of(file.name), .headers = "Vary: Accept-Encoding\r\n", .body = file.gz};
  if (!file.br.empty() && http::accepts(accepted, "br")) {
    reply.content_encoding = "br";
    reply.body = file.br;
  } else if (http::accepts(accepted, "gzip")) {
    reply.content_encoding = "gzip";
  } else {
    reply.unpack = true;
  }
  if (file.name.starts_with(kHashed)) {
    reply.headers += "Cache-Control: public, max-age=31536000, immutable\r\n";
  } else {
    const std::string tag = tag_of(reply);
    reply.headers += "Cache-Control: no-cache\r\nETag: " + tag + "\r\n";
    if (source.header("if-none-match").find(tag) != std::string_view::npos) reply.status = 304;
  }
  reply.headers += kSecurity;
  return reply;
}

}  // namespace

std::optional<http::File> find(std::string_view path, const ops::Source& source) {
  constexpr std::string_view kWithoutSlash = kPath.substr(0, kPath.size() - 1);
  if (path == kWithoutSlash) return text(308, "The console is at /console/.\n", "Location: /console/\r\n");
  if (!path.starts_with(kPath)) return std::nullopt;
  const std::string_view name = path.substr(kPath.size());
  std::optional<Packed> file = named(name);
  if (!file && is_view(name, source)) file = named(kIndex);
  return file ? answer(*file, source) : text(404, "The console has no such file.\n");
}

}  // namespace partita::console
