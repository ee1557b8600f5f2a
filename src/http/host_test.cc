#include "http/host.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace partita::http {
namespace {

TEST(Host, IsLocalWhereNoPageFromElsewhereCanBe) {
  for (const char* host :
       {"", "localhost", "localhost:8000", "LocalHost", "127.0.0.1", "127.0.0.1:8000", "10.1.2.3:80", "[::1]",
        "[::1]:8000", "partita", "partita:8000", "partita.localhost", "host.docker.internal",
        "partita-0.partita.default.svc", "partita.default.svc.cluster.local:8000", "nas.home.arpa", "localhost.",
        "127.0.0.1.", "a.Local"}) {
    EXPECT_TRUE(is_local_host(host)) << host;
  }
}

TEST(Host, IsNotWhereOneCan) {
  for (const char* host :
       {"example.com", "rebound.evil:8000", "localhost.example.com", "127.0.0.1.nip.io", "notlocal.xlocal", "local.com",
        "1.2.3.com:80", "a.b.", "svc.example", "home.arpa.example", "a.4x"}) {
    EXPECT_FALSE(is_local_host(host)) << host;
  }
}

// A request of the page at `origin` that a browser sends here under `host`.
Sender page(std::string_view origin, std::string_view host) { return {.origin = origin, .host = host, .target = "/"}; }

TEST(OwnPage, IsOneOfThisServerUnderANameThatNobodyElseCanHave) {
  const std::pair<const char*, const char*> own[] = {
      {"http://localhost:8000", "localhost:8000"},
      {"http://localhost", "localhost"},
      {"http://localhost", "localhost:80"},
      {"http://LOCALHOST:8000", "localhost:8000"},
      {"http://localhost:8000", "LocalHost:8000"},
      {"http://127.0.0.1:8000", "127.0.0.1:8000"},
      {"http://192.168.1.7:49153", "192.168.1.7:49153"},  // a mapped port: the server does not know it
      {"http://[::1]:8000", "[::1]:8000"},
      {"http://[fe80::1:2]", "[FE80::1:2]"},
  };
  for (const auto& [origin, host] : own) {
    Sender sender = page(origin, host);
    EXPECT_TRUE(is_own_page(sender)) << origin << " " << host;
    sender.site = "same-origin";
    EXPECT_TRUE(is_own_page(sender)) << origin << " " << host;
    for (const char* site : {"same-site", "cross-site", "none", "Same-Origin", "same-origin,"}) {
      sender.site = site;
      EXPECT_FALSE(is_own_page(sender)) << site;
    }
  }
}

constexpr std::pair<const char*, const char*> kNeverOwn[] = {
    {"", "localhost:8000"},
    {"null", "localhost:8000"},
    {"null", "null"},
    {"http://", ""},
    {"http://", "localhost:8000"},
    {"http://localhost:3000", "localhost:8000"},
    {"http://localhost:8000", "localhost"},
    {"http://localhost", "localhost:8000"},
    {"http://localhost:80", "localhost"},  // no browser says so
    {"http://127.0.0.1:8000", "localhost:8000"},
    {"http://localhost:8000", "127.0.0.1:8000"},
    {"http://evil.example", "localhost:8000"},
    {"http://localhost:8000", "evil.example"},
    {"http://localhost:8000/", "localhost:8000"},
    {"http://localhost:8000 http://evil.example", "localhost:8000"},
    {"http://evil.example, http://localhost:8000", "localhost:8000"},
    {"ftp://localhost:8000", "localhost:8000"},
    {"HTTP://localhost:8000", "localhost:8000"},
    {"file://", "localhost:8000"},
    {"localhost:8000", "localhost:8000"},
    {"http://localhost:8000@evil.example", "localhost:8000@evil.example"},
    {"http://localhost:8000@evil.example", "localhost:8000"},
    {"http://evil@localhost:8000", "evil@localhost:8000"},
    {"http://u:p@127.0.0.1", "u:p@127.0.0.1"},
    {"http://[::1]@evil.example", "[::1]@evil.example"},
    {"http://[::1].evil.example", "[::1].evil.example"},
    {"http://[::1", "[::1"},
    {"http://[evil.example]", "[evil.example]"},
    {"http://[fe80::1%25eth0]", "[fe80::1%25eth0]"},
    {"http://::1", "::1"},
    {"http://localhost:", "localhost:"},
    {"http://localhost:8000:80", "localhost:8000:80"},
    {"http://localhost:8000x", "localhost:8000x"},
    {"http://localhost:123456", "localhost:123456"},
    {"http://localhost#.evil.example", "localhost#.evil.example"},
    {"http://localhost/.evil.example", "localhost/.evil.example"},
};

TEST(OwnPage, IsNoOtherPage) {
  for (const auto& [origin, host] : kNeverOwn) {
    for (const bool verified : {false, true}) {
      Sender sender = page(origin, host);
      sender.verified = verified;
      EXPECT_FALSE(is_own_page(sender)) << origin << " " << host;
    }
  }
}

TEST(OwnPage, HasNoNameThatMayResolveToAnotherServerUnlessSignaturesAreVerified) {
  for (const char* host : {"evil.example", "evil.example:8000", "dynamodb:8000", "localhost.evil.example", "localhost.",
                           "x.localhost", "127.0.0.1.nip.io", "1.2.3", "2130706433", "0x7f.0.0.1", "127.0.0.1.",
                           "0177.0.0.1x", "db.local", "256.0.0.1"}) {
    const std::string origin = "http://" + std::string(host);
    Sender sender = page(origin, host);
    EXPECT_FALSE(is_own_page(sender)) << host;
    sender.verified = true;
    EXPECT_TRUE(is_own_page(sender)) << host;
  }
}

TEST(OwnPage, HasTheSchemeOfTheConnection) {
  const auto is_own = [](std::string_view origin, std::string_view host, bool encrypted, bool verified) {
    Sender sender = page(origin, host);
    sender.encrypted = encrypted;
    sender.verified = verified;
    return is_own_page(sender);
  };
  EXPECT_TRUE(is_own("https://localhost:8443", "localhost:8443", true, false));
  EXPECT_TRUE(is_own("https://localhost", "localhost:443", true, false));
  EXPECT_FALSE(is_own("http://localhost:8443", "localhost:8443", true, false));
  EXPECT_FALSE(is_own("http://db.example:8443", "db.example:8443", true, true));
  // Another server may be at the standard port of https.
  EXPECT_FALSE(is_own("https://localhost", "localhost", false, false));
  // A proxy speaks TLS.
  EXPECT_TRUE(is_own("https://db.example", "db.example", false, true));
  EXPECT_TRUE(is_own("https://db.example", "db.example:443", false, true));
  EXPECT_FALSE(is_own("https://db.example", "db.example:80", false, true));
}

TEST(OwnPage, AsksForAPathOnly) {
  for (const char* target : {"http://localhost:8000/", "http://evil.example/", "*", "", "localhost:8000"}) {
    Sender sender = page("http://localhost:8000", "localhost:8000");
    sender.target = target;
    EXPECT_FALSE(is_own_page(sender)) << target;
  }
}

}  // namespace
}  // namespace partita::http
