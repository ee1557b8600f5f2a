#include "engines/postgres_url.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace partita {

namespace {

constexpr std::array<std::string_view, 6> kPlaceWords = {
    "dbname=", "host=", "hostaddr=", "options=", "port=", "service="};
constexpr std::array<std::string_view, 7> kCallerWords = {
    "passfile=", "sslcert=", "sslcrl=", "sslkey=", "sslmode=", "sslrootcert=", "user="};

// The parts of "HEAD//USER:PASSWORD@HOSTS/DATABASE?WORDS" that may be said.
struct Parts {
  std::string_view head;  // with the slashes, if they are there
  std::string_view user;
  std::string_view place;  // hosts and database
  std::string_view words;
};

// The text in front of one of these characters, or all of it; taken from `text`, which begins with the character then.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view taken = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(taken.size());
  return taken;
}

bool begins_with_one_of(std::string_view word, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return word.starts_with(name); });
}

// Calls `each` with the words between '?' and '&'.
template <class Each>
void for_each_word(std::string_view words, Each each) {
  while (!words.empty()) {
    words.remove_prefix(1);
    each(take_until(words, "&"));
  }
}

// Hosts, by commas, whose ports are numbers. What has another port may be a user with a password.
bool are_hosts(std::string_view hosts) {
  constexpr size_t kMostDigits = 5;
  while (true) {
    std::string_view host = take_until(hosts, ",");
    if (host.starts_with('[')) take_until(host, "]");
    take_until(host, ":");
    if (!host.empty()) host.remove_prefix(1);
    if (host.size() > kMostDigits || host.find_first_not_of("0123456789") != std::string_view::npos) return false;
    if (hosts.empty()) return true;
    hosts.remove_prefix(1);
  }
}

// Whether an '@' in it is one of a name. Behind a user it is rather one of a password that has a slash, as it is where
// a host would follow.
bool may_be_database(std::string_view database, bool has_user) {
  return !database.contains('@') || (!has_user && database.find_first_of(":/", 1) == std::string_view::npos);
}

bool are_words(std::string_view words) {
  bool all = true;
  for_each_word(words, [&](std::string_view word) { all = all && word.contains('='); });
  return all;
}

Parts parts_of(std::string_view url) {
  Parts parts;
  const size_t colon = url.find(':');
  if (colon == std::string_view::npos || !url.substr(colon + 1).starts_with("//")) {
    parts.head = url.substr(0, std::min(colon, url.size() - 1) + 1);
    return parts;
  }
  parts.head = url.substr(0, colon + 3);
  const std::string_view named = url.substr(colon + 3);
  // As libpq has it, but for the last of several, which are none of a host.
  size_t at = named.substr(0, named.find('/')).rfind('@');
  const auto split = [&] {
    std::string_view rest = named.substr(at == std::string_view::npos ? 0 : at + 1);
    const std::string_view hosts = take_until(rest, "/?");
    const std::string_view database = take_until(rest, "?");
    parts.place = named.substr(static_cast<size_t>(hosts.data() - named.data()), hosts.size() + database.size());
    parts.words = rest;
    return are_hosts(hosts) && are_words(parts.words) && may_be_database(database, at != std::string_view::npos);
  };
  if (!split()) {
    at = named.rfind('@');
    if (!split()) {
      parts.place = parts.place.substr(0, parts.place.find(':'));
      parts.words = {};
    }
  }
  if (at == std::string_view::npos) return parts;
  parts.user = named.substr(0, std::min(at, named.find_first_of(":?/")));
  // Behind words it may be one of a password.
  const std::string_view before = named.substr(0, at);
  if (before.substr(std::min(at, before.find('?'))).contains('=')) parts.place = parts.words = {};
  return parts;
}

std::string joined(const Parts& parts, bool with_caller) {
  std::string said(parts.head);
  if (with_caller && !parts.user.empty()) said.append(parts.user).append("@");
  said.append(parts.place);
  char before = '?';
  for_each_word(parts.words, [&](std::string_view word) {
    if (!begins_with_one_of(word, kPlaceWords) && !(with_caller && begins_with_one_of(word, kCallerWords))) return;
    said.push_back(std::exchange(before, '&'));
    said.append(word);
  });
  return said;
}

}  // namespace

std::string without_secrets(std::string_view url) { return joined(parts_of(url), true); }

std::string without_caller(std::string_view url) {
  const Parts parts = parts_of(url);
  const size_t slash = parts.place.find('/');
  bool names_database = slash != std::string_view::npos && slash + 1 < parts.place.size();
  for_each_word(parts.words, [&](std::string_view word) { names_database |= word.starts_with("dbname="); });
  return joined(parts, !names_database);
}

}  // namespace partita
