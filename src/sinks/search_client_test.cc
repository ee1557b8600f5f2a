#include "sinks/search_client.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "net/responder_testing.h"

namespace partita::sinks {
namespace {

using net::json_reply;
using net::Responder;

class CredentialsFile {
 public:
  explicit CredentialsFile(const std::string& text, mode_t mode = 0600)
      : path_(std::filesystem::temp_directory_path() / ("partita-sink-" + std::to_string(::getpid()))) {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), mode);
  }
  CredentialsFile(const CredentialsFile&) = delete;
  CredentialsFile& operator=(const CredentialsFile&) = delete;
  ~CredentialsFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

SearchClient client_of(const Responder& responder, const std::string& scheme = "opensearch",
                       const std::string& credentials = "") {
  auto place = SearchPlace::parse(scheme + "+http://127.0.0.1:" + responder.url().port + "/prefix/");
  EXPECT_TRUE(place.ok());
  place->credentials_file = credentials;
  auto client = SearchClient::create(*std::move(place), {});
  EXPECT_TRUE(client.ok());
  return *std::move(client);
}

TEST(SearchPlace, IsReadFromAUrl) {
  const auto place = SearchPlace::parse("elasticsearch+https://db.example/es/");
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place->scheme, SearchEngine::kElasticsearch);
  EXPECT_EQ(place->url.text(), "https://db.example/es");
  EXPECT_EQ(SearchPlace::parse("opensearch+http://db.example")->url.text(), "http://db.example");
  for (const char* wrong : {"opensearch", "opensearch+", "opensearch+ftp://x", "opensearch+http://u:p@x",
                            "opensearch+http://x?y", "opensearch+http://"}) {
    const auto refused = SearchPlace::parse(wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  }
}

TEST(SearchCredentials, AreAUserOrAnApiKey) {
  EXPECT_EQ(read_authorization(CredentialsFile("user:pass word\n").path()).value(), "Basic dXNlcjpwYXNzIHdvcmQ=");
  EXPECT_EQ(read_authorization(CredentialsFile("ApiKey abc==\r\nmore").path()).value(), "ApiKey abc==");
  for (const char* wrong : {"", "\n", "user", "ApiKey ", "a:b\rInjected: 1"}) {
    const CredentialsFile file(wrong);
    const auto refused = read_authorization(file.path());
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_TRUE(refused.error().sentence().find(file.path()) != std::string::npos);
  }
  EXPECT_FALSE(read_authorization("/no/such/file").ok());
}

TEST(SearchCredentials, AreRefusedIfOthersCanReadThem) {
  const CredentialsFile file("user:password", 0640);
  const auto refused = read_authorization(file.path());
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().sentence().contains("chmod 600")) << refused.error().sentence();
  EXPECT_FALSE(refused.error().sentence().contains("password"));
}

TEST(SearchClient, SendsCredentialsAndJsonBelowThePathOfTheUrl) {
  Responder responder({json_reply(200, "{}")});
  const CredentialsFile file("user:password");
  SearchClient client = client_of(responder, "opensearch", file.path());
  ASSERT_TRUE(client.send("PUT", "/x", "{}").ok());
  ASSERT_TRUE(client.send("POST", "/x/_bulk?y", "{}\n").ok());
  const std::string sent = responder.requests();
  EXPECT_TRUE(sent.starts_with("PUT /prefix/x HTTP/1.1\r\n")) << sent;
  EXPECT_TRUE(sent.contains("\r\nAuthorization: Basic dXNlcjpwYXNzd29yZA==\r\n")) << sent;
  EXPECT_TRUE(sent.contains("\r\nContent-Type: application/json\r\n")) << sent;
  EXPECT_TRUE(sent.contains("\r\nContent-Type: application/x-ndjson\r\n")) << sent;
  EXPECT_EQ(responder.connections(), 1U);
}

TEST(SearchClient, SaysThatCredentialsAreRefused) {
  Responder responder({json_reply(401, "{}")});
  const CredentialsFile file("user:password");
  const auto refused = client_of(responder, "opensearch", file.path()).send("GET", "/");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable) << "they may be replaced";
  EXPECT_EQ(refused.error().sentence(), "The search engine refuses the credentials in " + file.path() + ".");
  EXPECT_FALSE(client_of(responder).send("GET", "/").ok());
}

TEST(SearchClient, RefusesRepliesThatAreTooLarge) {
  const std::string fitting(SearchClient::kMostReply, ' ');
  Responder responder({json_reply(200, fitting), json_reply(200, fitting + " ")});
  SearchClient client = client_of(responder);
  EXPECT_TRUE(client.send("GET", "/").ok());
  const auto refused = client.send("GET", "/");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
}

Result<SearchEngine> engine_behind(const std::string& reply, const std::string& scheme) {
  Responder responder({reply});
  return client_of(responder, scheme).engine();
}

std::string root_of(const std::string& version, const std::string& more = "") {
  return json_reply(200, R"({"name":"n","version":{"number":")" + version + "\"" + more + "}}");
}

TEST(SearchClient, RecognisesTheEngine) {
  const std::string open = R"(,"distribution":"opensearch")";
  EXPECT_EQ(engine_behind(root_of("2.19.1", open), "opensearch").value(), SearchEngine::kOpenSearch);
  EXPECT_EQ(engine_behind(root_of("3.0.0", open), "opensearch").value(), SearchEngine::kOpenSearch);
  EXPECT_EQ(engine_behind(root_of("7.10.2", open), "opensearch").value(), SearchEngine::kOpenSearch);
  EXPECT_EQ(engine_behind(root_of("7.17.28"), "elasticsearch").value(), SearchEngine::kElasticsearch);
  EXPECT_EQ(engine_behind(root_of("8.17.4"), "elasticsearch").value(), SearchEngine::kElasticsearch);
  EXPECT_EQ(engine_behind(json_reply(403, "{}"), "elasticsearch").value(), SearchEngine::kElasticsearch);
  for (const auto& [reply, scheme] :
       {std::pair(root_of("2.19.1", open), "elasticsearch"), std::pair(root_of("7.17.28"), "opensearch"),
        std::pair(root_of("2.3.0", open), "opensearch"), std::pair(root_of("6.8.23"), "elasticsearch"),
        std::pair(root_of("x"), "elasticsearch"), std::pair(json_reply(200, "hello"), "elasticsearch")}) {
    const auto refused = engine_behind(reply, scheme);
    ASSERT_FALSE(refused.ok()) << reply;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  }
  const std::string root = R"({"error":{"type":"illegal_argument_exception","reason":"r"},"status":400})";
  for (const auto& [reply, kind] : {std::pair(json_reply(400, "<html>Bad Request</html>"), ErrorKind::kUnavailable),
                                    std::pair(json_reply(421, R"({"error":"Misdirected"})"), ErrorKind::kUnavailable),
                                    std::pair(json_reply(301, "moved"), ErrorKind::kUnavailable),
                                    std::pair(json_reply(301, root), ErrorKind::kUnavailable),
                                    std::pair(json_reply(400, root), ErrorKind::kInvalid)}) {
    const auto refused = engine_behind(reply, "opensearch");
    ASSERT_FALSE(refused.ok()) << reply;
    EXPECT_EQ(refused.error().kind(), kind) << "only what the engine says lasts: " << reply;
  }
  const auto later = engine_behind(json_reply(503, "starting"), "opensearch");
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().kind(), ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace partita::sinks
