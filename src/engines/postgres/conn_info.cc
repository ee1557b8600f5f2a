#include "engines/postgres/conn_info.h"

#include <algorithm>
#include <cstdlib>

#include "engines/postgres/libpq.h"
#include "engines/postgres/sql_state.h"

namespace partita::postgres {

namespace {

constexpr int64_t kConnectTimeoutS = 5;

}  // namespace

Result<ConnInfo> ConnInfo::parse(const std::string& url) {
  PARTITA_TRY_VOID(load_libpq());
  char* message = nullptr;
  PQconninfoOption* const options = libpq().PQconninfoParse(url.c_str(), &message);
  if (options == nullptr) {
    std::string why = message == nullptr ? "out of memory" : first_line(message);
    libpq().PQfreemem(message);
    // What it repeats may be of a password; but of a word that it does not know it is the name.
    const bool is_name = why.starts_with("invalid URI query parameter");
    const size_t repeated = url.contains("://") ? why.find(": \"") : why.find(" \"");
    if (!is_name) why.resize(std::min(why.size(), repeated));
    return Error(ErrorKind::kInvalid, "The store's address is none that PostgreSQL understands: " + why + ".");
  }
  ConnInfo conn_info;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val != nullptr) conn_info.words_.emplace_back(option->keyword, option->val);
  }
  libpq().PQconninfoFree(options);
  PARTITA_TRY_VOID(conn_info.refuse_torn_password());
  const std::string* const kind = conn_info.find("target_session_attrs");
  if (kind != nullptr && *kind != "read-write" && *kind != "primary") {
    return Error(ErrorKind::kInvalid, "The store takes no target_session_attrs=" + *kind +
                                          ": it needs a server that takes writes (read-write, as without it).");
  }
  conn_info.add("target_session_attrs", "read-write");
  conn_info.add("application_name", "partita");
  // Kerberos' encryption reads ahead into a buffer of its own, which poll() knows nothing of.
  conn_info.add("gssencmode", "disable");
  conn_info.add("connect_timeout", std::to_string(kConnectTimeoutS));
  // A host that is gone without a word is noticed within seconds.
  conn_info.add("tcp_user_timeout", "10000");
  conn_info.add("keepalives_idle", "5");
  conn_info.add("keepalives_interval", "2");
  conn_info.add("keepalives_count", "3");
  return conn_info;
}

// libpq would take what follows for a host or a port, and name it in its errors.
Result<void> ConnInfo::refuse_torn_password() const {
  const std::string* const host = find("host");
  const std::string* const port = find("port");
  // One that begins with it is a socket without a file.
  const auto is_torn = [](char before, char one) { return one == '@' && before != ','; };
  const bool is_host = host == nullptr || std::ranges::adjacent_find(*host, is_torn) == host->end();
  const bool is_port = port == nullptr || port->find_first_not_of("0123456789, ") == std::string::npos;
  if (is_host && is_port) return {};
  return Error(ErrorKind::kInvalid, std::string("The store's address has a ") + (is_host ? "port" : "host") +
                                        " that is none. In a password, write %2F for /, %3A for :, %3F for ?, "
                                        "%40 for @, and %25 for %.");
}

void ConnInfo::add(const std::string& name, const std::string& value) {
  if (find(name) == nullptr) words_.emplace_back(name, value);
}

const std::string* ConnInfo::find(const std::string& name) const {
  for (const auto& [word, value] : words_) {
    if (word == name) return &value;
  }
  return nullptr;
}

ConnInfo ConnInfo::rotated(size_t turn) const {
  ConnInfo other = *this;
  for (auto& [word, value] : other.words_) {
    if (word != "host" && word != "hostaddr" && word != "port") continue;
    const size_t hosts = static_cast<size_t>(std::ranges::count(value, ',')) + 1;
    if (hosts == 1) continue;
    for (size_t left = turn % hosts; left > 0; --left) {
      const size_t comma = value.find(',');
      value = value.substr(comma + 1) + "," + value.substr(0, comma);
    }
  }
  return other;
}

int64_t ConnInfo::connect_timeout_ms() const {
  // As libpq has it: at least two seconds, and none is a wish to wait for ever, which nobody should.
  constexpr int64_t kLeastS = 2;
  const int64_t seconds = std::atoll(find("connect_timeout")->c_str());
  return 1'000 * (seconds <= 0 ? kConnectTimeoutS : std::max(kLeastS, seconds));
}

std::vector<const char*> ConnInfo::names() const {
  std::vector<const char*> names;
  for (const auto& word : words_) names.push_back(word.first.c_str());
  names.push_back(nullptr);
  return names;
}

std::vector<const char*> ConnInfo::values() const {
  std::vector<const char*> values;
  for (const auto& word : words_) values.push_back(word.second.c_str());
  values.push_back(nullptr);
  return values;
}

}  // namespace partita::postgres
