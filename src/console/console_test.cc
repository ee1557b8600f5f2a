#include "console/console.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/budget.h"
#include "http/content_coding.h"

namespace partita::console {
namespace {

using Headers = std::map<std::string, std::string, std::less<>>;

class Browser final : public ops::Source {
 public:
  explicit Browser(Headers headers = {}) : headers_(std::move(headers)) {}
  std::string address() const override { return {}; }
  bool encrypted() const override { return false; }
  std::string_view header(std::string_view name) const override {
    const auto found = headers_.find(name);
    return found == headers_.end() ? std::string_view() : found->second;
  }

 private:
  const Headers headers_;
};

http::File get(std::string_view path, const Browser& browser = Browser(Headers{{"accept-encoding", "gzip"}})) {
  auto file = find(path, browser);
  EXPECT_TRUE(file.has_value()) << path;
  return file.value_or(http::File{});
}

std::string unpacked(std::string_view packed) {
  Budget budget(size_t{64} << 20);
  http::UnpackedBody body(budget);
  EXPECT_EQ(body.read(http::Coding::kGzip, packed, size_t{32} << 20), http::UnpackedBody::Outcome::kRead);
  return std::string(body.text());
}

std::string header_of(const http::File& file, const std::string& name) {
  const size_t at = file.headers.find(name + ": ");
  if (at == std::string::npos) return {};
  const size_t from = at + name.size() + 2;
  return file.headers.substr(from, file.headers.find("\r\n", from) - from);
}

TEST(Console, IsBelowItsPathAlone) {
  for (const char* path : {"/", "/consol", "/console2/", "/consoles", "/x/console/", "/Console/", "console/"}) {
    EXPECT_FALSE(find(path, Browser()).has_value()) << path;
  }
  const http::File redirect = get("/console");
  EXPECT_EQ(redirect.status, 308);
  EXPECT_EQ(header_of(redirect, "Location"), "/console/");
}

TEST(Console, ServesItsIndexForEveryView) {
  const http::File index = get("/console/index.html");
  EXPECT_EQ(index.status, 200);
  EXPECT_EQ(index.content_type, "text/html; charset=utf-8");
  EXPECT_NE(unpacked(index.body).find("<!doctype html>"), std::string::npos);
  for (const char* path : {"/console/", "/console/tables", "/console/explore/Music", "/console/explore/v1.x/y"}) {
    EXPECT_EQ(get(path).body.data(), index.body.data()) << path;
  }
  // A table's name may have a dot. A browser that loads a view asks for HTML, and for nothing else.
  const Browser navigates(Headers{{"accept-encoding", "gzip"}, {"accept", "text/html,application/xhtml+xml;q=0.9"}});
  EXPECT_EQ(get("/console/explore/prod.music", navigates).body.data(), index.body.data());
  EXPECT_EQ(get("/console/explore/prod.music").status, 404);
  EXPECT_EQ(get("/console/assets/gone", navigates).status, 404);
  EXPECT_EQ(get("/console/assets/gone.js", navigates).status, 404);
}

TEST(Console, ChoosesTheCodingThatTheClientAccepts) {
  const auto coding = [](const char* accepted) {
    const http::File file = get("/console/", Browser(Headers{{"accept-encoding", accepted}}));
    EXPECT_EQ(header_of(file, "Vary"), "Accept-Encoding");
    return file.unpack ? "plain" : std::string(file.content_encoding);
  };
  EXPECT_EQ(coding("gzip, deflate, br, zstd"), "br");
  EXPECT_EQ(coding("BR"), "br");
  EXPECT_EQ(coding("gzip, deflate"), "gzip");
  EXPECT_EQ(coding("br;q=0, gzip;q=0.1"), "gzip");
  EXPECT_EQ(coding("*"), "br");
  EXPECT_EQ(coding("br;q=0, *;q=1"), "gzip");
  EXPECT_EQ(coding("deflate"), "plain");
  EXPECT_EQ(coding("brotli, xgzip"), "plain");
  EXPECT_EQ(coding(""), "plain");
  EXPECT_EQ(coding("gzip;q=0, br;q=0"), "plain");
}

TEST(Console, AnswersAKnownTagWithoutABody) {
  std::string tags;
  for (const char* accepted : {"br", "gzip", "identity"}) {
    const http::File file = get("/console/", Browser(Headers{{"accept-encoding", accepted}}));
    EXPECT_EQ(file.status, 200);
    EXPECT_EQ(header_of(file, "Cache-Control"), "no-cache");
    const std::string tag = header_of(file, "ETag");
    ASSERT_EQ(tag.front(), '"');
    ASSERT_EQ(tag.back(), '"');
    EXPECT_EQ(tags.find(tag), std::string::npos) << "one for each coding";
    EXPECT_EQ(
        get("/console/", Browser(Headers{{"accept-encoding", accepted}, {"if-none-match", "W/\"x\", " + tag}})).status,
        304);
    EXPECT_EQ(
        get("/console/", Browser(Headers{{"accept-encoding", accepted}, {"if-none-match", tags + "\"y\""}})).status,
        200);
    tags += tag + ", ";
  }
}

TEST(Console, HasHeadersThatKeepPagesApart) {
  for (const char* path : {"/console", "/console/", "/console/assets/gone.js"}) {
    const http::File file = get(path);
    EXPECT_EQ(header_of(file, "Content-Security-Policy"),
              "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
              "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
              "require-trusted-types-for 'script'")
        << path;
    EXPECT_EQ(header_of(file, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header_of(file, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(header_of(file, "Cross-Origin-Opener-Policy"), "same-origin");
    EXPECT_EQ(header_of(file, "Cross-Origin-Resource-Policy"), "same-origin");
  }
}

}  // namespace
}  // namespace partita::console
