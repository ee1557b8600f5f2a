// What may be said of the URL of a store in PostgreSQL.
#pragma once

#include <string>
#include <string_view>

namespace partita {

// A URL, "SCHEME://USER:PASSWORD@HOST/DATABASE?WORD=VALUE&...", as it can be typed again: without its passwords, and of
// words only those that it takes to find the store. Where it cannot be known what is a password, as libpq takes such a
// URL for another or for none, less is left. Of what is no such URL the scheme is, with its colon.
std::string without_secrets(std::string_view url);

// What tells the store from others: its hosts, the database, and the words that choose them or a schema. Not who asks
// for it, but where the database has no name, and so has that of the user.
std::string without_caller(std::string_view url);

}  // namespace partita
