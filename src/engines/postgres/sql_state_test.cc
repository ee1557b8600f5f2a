#include "engines/postgres/sql_state.h"

#include <gtest/gtest.h>

namespace partita::postgres {
namespace {

TEST(SqlState, SaysWhatToDo) {
  EXPECT_EQ(fate_of("40001"), Fate::kAgain);      // serialization_failure
  EXPECT_EQ(fate_of("40P01"), Fate::kAgain);      // deadlock_detected
  EXPECT_EQ(fate_of("55P03"), Fate::kAgain);      // lock_not_available
  EXPECT_EQ(fate_of("57P03"), Fate::kElsewhere);  // cannot_connect_now
  EXPECT_EQ(fate_of("25006"), Fate::kElsewhere);  // read_only_sql_transaction
  EXPECT_EQ(fate_of("53100"), Fate::kFailed);     // disk_full
  EXPECT_EQ(fate_of(""), Fate::kFailed);
}

TEST(SqlState, IsOneSentenceOfTheRightKind) {
  const Error full = to_error("53100", "ERROR:  could not extend file: No space left on device\nHINT:  Check.\n");
  EXPECT_EQ(full.kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(full.sentence(), "PostgreSQL says: could not extend file: No space left on device (53100)");
  EXPECT_EQ(
      to_error("26000", "ERROR:  prepared statement \"partita_get\" does not exist").sentence(),
      "PostgreSQL says: prepared statement \"partita_get\" does not exist (26000); a pooler before it has to pool "
      "sessions, not transactions or statements.");
  EXPECT_EQ(to_error("54000", "x").kind(), ErrorKind::kTooLarge);
  EXPECT_EQ(to_error("XX001", "x").kind(), ErrorKind::kCorrupt);
}

TEST(SqlState, FirstLineHasNoGrade) {
  EXPECT_EQ(first_line("FATAL:  the database is starting up\n"), "the database is starting up");
  EXPECT_EQ(first_line(""), "");
}

TEST(SqlState, EachHostHasItsWordOnce) {
  EXPECT_EQ(in_one_line("connection to server at \"a\", port 1 failed: Connection refused\n"
                        "\tIs the server running on that host and accepting TCP/IP connections?\n"
                        "connection to server at \"b\", port 2 failed: FATAL:  password authentication failed\n"
                        "connection to server at \"b\", port 2 failed: FATAL:  password authentication failed\n"
                        "connection to server at \"c\", port 3 failed: fe_sendauth: no password supplied"),
            "connection to server at \"a\", port 1 failed: Connection refused; "
            "connection to server at \"b\", port 2 failed: password authentication failed; "
            "connection to server at \"c\", port 3 failed: no password supplied");
  EXPECT_EQ(in_one_line(""), "");
}

}  // namespace
}  // namespace partita::postgres
