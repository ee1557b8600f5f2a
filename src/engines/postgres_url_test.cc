#include "engines/postgres_url.h"

#include <gtest/gtest.h>

#include <string>

namespace partita {
namespace {

struct Case {
  const char* url;
  const char* said;
};

// As libpq takes them.
constexpr Case kRight[] = {
    {"postgresql://user:secret@host:5432,other/database?password=secret", "postgresql://user@host:5432,other/database"},
    {"postgresql:///database?host=/run", "postgresql:///database?host=/run"},
    {"postgres://db/p?password=secret&options=-csearch_path%3Da&sslmode=require&port=1",
     "postgres://db/p?options=-csearch_path%3Da&sslmode=require&port=1"},
    {"postgresql://:secret@host/database", "postgresql://host/database"},
    {"postgresql://host/db?user=me&sslpassword=secret&p%61ssword=secret&sslkey=/k",
     "postgresql://host/db?user=me&sslkey=/k"},
    {"postgresql://host:5432/da@tabase", "postgresql://host:5432/da@tabase"},
    {"postgresql://a:1,b:,[::1]:3,[::2],/da@tabase", "postgresql://a:1,b:,[::1]:3,[::2],/da@tabase"},
    {"postgresql://user:secret@[::1]:5432/db", "postgresql://user@[::1]:5432/db"},
    {"postgresql://user:c2VjcmV0Cg==@host/db", "postgresql://user@host/db"},
    {"postgresql://user@%2Frun/db", "postgresql://user@%2Frun/db"},
    {"postgresql://host?password=secret", "postgresql://host"},
    {"postgresql://host/?password=sec/ret", "postgresql://host/"},
    {"postgresql:///?user=me@realm&password=sec@ret", "postgresql:///?user=me@realm"},
    {"postgresql://", "postgresql://"},
};

// As nobody should write them, with a password that has one of "@:/?&=" in it, or in a place of its own.
constexpr Case kWrong[] = {
    {"postgres://user:se?cret@host/database", "postgres://user@host/database"},
    {"postgresql://user:se/cret@host/database", "postgresql://user@host/database"},
    {"postgresql://user:se/cret?s@host/db", "postgresql://user@host/db"},
    {"postgresql://user:secret/s?s@host/db?user=me", "postgresql://user@host/db?user=me"},
    {"postgresql://user:sec@ret@host/db", "postgresql://user@host/db"},
    {"postgresql://user:sec@ret/cret@host/db", "postgresql://user@host/db"},
    {"postgresql://user:sec@ret/cret@host", "postgresql://user@host"},
    {"postgresql://user:5432/secret@host/db", "postgresql://user@host/db"},
    {"postgresql://user:12?secret@host/db", "postgresql://user@host/db"},
    {"postgresql://user:12?sec/ret@host:1/db", "postgresql://user@host:1/db"},
    {"postgresql://user:99999999/secret@host", "postgresql://user@host"},
    {"postgresql://u/ser:secret@host/db", "postgresql://u@host/db"},
    {"postgresql://user:sec/ret@host/db?password=sec@ret", "postgresql://user@"},
    {"postgresql://user:sec/ret@host/db?sec@ret:secret", "postgresql://user@ret"},
    {"postgresql://user:sec=ret/@host/db", "postgresql://user@host/db"},
    {"postgresql://host?password=sec@ret", "postgresql://host@"},
    {"postgresql://host?user=me&password=sec@ret/cret", "postgresql://host@"},
    {"postgresql://user:sec?ret=@host/db", "postgresql://user@"},
    {"postgresql://user:secret", "postgresql://user"},
    {"postgresql://user:secret/db", "postgresql://user"},
    {"postgresql://host/db?secret", "postgresql://host/db"},
    {"postgresql:dbname=x password=secret", "postgresql:"},
    {"postgresql:dbname=x password=//secret@host", "postgresql:"},
    {"postgresql:user:secret@host/db", "postgresql:"},
    {"oracle", "oracle"},
    {"", ""},
};

TEST(PostgresUrl, IsSaidWithoutSecrets) {
  for (const Case& one : kRight) EXPECT_EQ(without_secrets(one.url), one.said) << one.url;
  for (const Case& one : kWrong) EXPECT_EQ(without_secrets(one.url), one.said) << one.url;
}

TEST(PostgresUrl, IsToldFromOthersWhoeverAsks) {
  const std::string mark = "postgresql://host:1,other/db?options=-csearch_path%3Da";
  for (const char* url : {
           "postgresql://host:1,other/db?options=-csearch_path%3Da",
           "postgresql://me:secret@host:1,other/db?sslmode=require&options=-csearch_path%3Da&sslkey=/k",
           "postgresql://host:1,other/db?user=you&options=-csearch_path%3Da&application_name=x&password=secret",
       }) {
    EXPECT_EQ(without_caller(url), mark);
  }
  for (const char* other : {
           "postgresql://host:2,other/db?options=-csearch_path%3Da",
           "postgresql://host:1,other/db2?options=-csearch_path%3Da",
           "postgresql://host:1,other/db?options=-csearch_path%3Db",
           "postgresql://host:1,other/db?options=-csearch_path%3Da&port=3",
       }) {
    EXPECT_NE(without_caller(other), mark);
  }
  // The database is the user's.
  EXPECT_EQ(without_caller("postgresql://me:secret@host"), "postgresql://me@host");
  EXPECT_EQ(without_caller("postgresql://host/?user=me&password=secret"), "postgresql://host/?user=me");
  EXPECT_EQ(without_caller("postgresql://me@host/?dbname=db"), "postgresql://host/?dbname=db");
}

}  // namespace
}  // namespace partita
