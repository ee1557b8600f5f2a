#include "engines/postgres/sql_state.h"

#include <gtest/gtest.h>

namespace partita::postgres {
namespace {

TEST(SqlState, SaysWhatToDo) {
  EXPECT_EQ(classify("40001"), ErrorClass::kRetry);           // serialization_failure
  EXPECT_EQ(classify("40P01"), ErrorClass::kRetry);           // deadlock_detected
  EXPECT_EQ(classify("55P03"), ErrorClass::kRetry);           // lock_not_available
  EXPECT_EQ(classify("57P03"), ErrorClass::kRetryElsewhere);  // cannot_connect_now
  EXPECT_EQ(classify("25006"), ErrorClass::kRetryElsewhere);  // read_only_sql_transaction
  EXPECT_EQ(classify("53100"), ErrorClass::kFailed);          // disk_full
  EXPECT_EQ(classify(""), ErrorClass::kFailed);
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
