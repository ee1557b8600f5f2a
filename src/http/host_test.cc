#include "http/host.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace partita::http
