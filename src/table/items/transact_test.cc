#include "table/items/transact.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "model/fault_detail.h"
#include "table/open/table_testing.h"
#include "table/rows/job_row.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;
using Codes = std::vector<std::optional<Fault>>;

class TransactTest : public TableTest {
 protected:
  TransactTest() {
    create(plain_table());
    create(plain_table("U"));
  }

  Item key(int64_t number) { return item({{"pk", s("p")}, {"sk", n(number)}}); }
  Item row(int64_t number, int64_t value) {
    Item made = key(number);
    made.set("v", n(value));
    return made;
  }
  api::TransactWriteRequest::Part action(Kind kind, Item item_or_key, const std::string& condition = "",
                                         const std::string& table = "T") {
    api::TransactWriteRequest::Part write;
    write.table = table;
    write.action = action_of(kind, std::move(item_or_key));
    expr::Placeholders none;
    if (!condition.empty()) {
      write.action.condition = expr::parse_condition(condition, expr::ExpressionKind::kCondition, none).value();
    }
    return write;
  }
  Result<api::WritesReply> outcome(std::vector<api::TransactWriteRequest::Part> parts, std::string token = "",
                                   std::string digest = "") {
    api::TransactWriteRequest request;
    request.parts = std::move(parts);
    request.token = std::move(token);
    request.digest = std::move(digest);
    return carry_out(db(), request);
  }
  Result<std::vector<api::Written>> run(std::vector<api::TransactWriteRequest::Part> parts, std::string token = "",
                                        std::string digest = "") {
    PARTITA_TRY(api::WritesReply done, outcome(std::move(parts), std::move(token), std::move(digest)));
    return std::move(done.written);
  }
  // The reasons of a cancelled transaction.
  template <class T>
  Codes codes(const Result<T>& cancelled) {
    Codes found;
    EXPECT_FALSE(cancelled.ok());
    if (cancelled.ok()) return found;
    EXPECT_EQ(model::fault_of(cancelled.error()), Fault::kTransactionCancelled);
    const auto* detail = dynamic_cast<const model::TransactionCancelledDetail*>(cancelled.error().detail().get());
    EXPECT_NE(detail, nullptr);
    if (detail == nullptr) return found;
    for (const auto& reason : detail->reasons) {
      found.push_back(reason.error ? std::optional(model::fault_of(*reason.error)) : std::nullopt);
    }
    return found;
  }
  size_t tokens() {
    const storage::Range range = system_rows(SystemRow::kToken);
    return wait_for(engine_.scan(range, storage::Direction::kAscending, 1'000'000, 1 << 30)).value().size();
  }
  void sweep() {
    Job job;
    job.kind = JobKind::kSweepTokens;
    std::vector<storage::Key> keys{job_key(job)};
    std::vector<storage::Compare> none;
    const storage::Decide wanted = [&](std::span<const storage::Record* const> found, storage::Changes& changes) {
      if (found[0] != nullptr) return storage::Decision::kRefuse;
      changes.put(job_key(job), job_row(job));
      return storage::Decision::kCommit;
    };
    ASSERT_TRUE(wait_for(engine_.transact(std::move(keys), std::move(none), wanted, nullptr)).ok());
    wait_for_jobs();
  }
  std::string read_value(int64_t number) {
    for (const auto& one : rows("T")) {
      if (*one.find("sk") == n(number)) return one.find("v")->as_number().to_string();
    }
    return "";
  }
};

TEST_F(TransactTest, AllIsDoneOverSeveralTables) {
  put("T", row(1, 1));
  const auto written =
      run({action(Kind::kPut, row(2, 2)), action(Kind::kDelete, key(1)), action(Kind::kPut, row(1, 9), "", "U"),
           action(Kind::kCheck, key(3), "attribute_not_exists(pk)")});
  ASSERT_TRUE(written.ok());
  ASSERT_EQ(written->size(), 4u);
  EXPECT_TRUE((*written)[1].existed);
  EXPECT_EQ((*written)[2].consumed.table, "U");
  for (const auto& one : *written) EXPECT_EQ(one.consumed.total().write, 4);
  EXPECT_EQ(rows("T"), std::vector<Item>{row(2, 2)});
  EXPECT_EQ(rows("U"), std::vector<Item>{row(1, 9)});
  expect_consistent("T");
  expect_consistent("U");
}

TEST_F(TransactTest, OneFailureUndoesAllAndReasonsComeInOrder) {
  put("T", row(1, 1));
  api::TransactWriteRequest::Part failing = action(Kind::kPut, row(1, 2), "attribute_not_exists(pk)");
  failing.action.return_item_on_failure = true;
  const auto cancelled = run({action(Kind::kPut, row(2, 2)), failing, action(Kind::kDelete, key(3)),
                              action(Kind::kCheck, key(4), "attribute_exists(pk)")});
  EXPECT_EQ(codes(cancelled), (Codes{std::nullopt, Fault::kConditionFailed, std::nullopt, Fault::kConditionFailed}));
  const auto& detail = dynamic_cast<const model::TransactionCancelledDetail&>(*cancelled.error().detail());
  const auto item_of = [&](size_t i) {
    return dynamic_cast<const model::ConditionFailedDetail*>(detail.reasons[i].error->detail().get());
  };
  ASSERT_NE(item_of(1), nullptr);
  EXPECT_EQ(item_of(1)->item, encoded(row(1, 1)));
  EXPECT_EQ(item_of(3), nullptr);
  EXPECT_EQ(rows("T"), std::vector<Item>{row(1, 1)});
}

TEST_F(TransactTest, TheFirstWrongKeyIsTheReason) {
  const Item wrong = item({{"pk", n(1)}, {"sk", n(1)}});
  const auto cancelled = run({action(Kind::kPut, row(1, 1)), action(Kind::kPut, wrong), action(Kind::kDelete, wrong)});
  EXPECT_EQ(codes(cancelled), (Codes{std::nullopt, Fault::kKeyTypeMismatch, std::nullopt}));
  EXPECT_TRUE(rows("T").empty());
}

TEST_F(TransactTest, OneItemTwiceIsRefused) {
  const auto refused = run({action(Kind::kPut, row(1, 1)), action(Kind::kCheck, key(1), "attribute_exists(pk)")});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kTransactionDuplicateItem);
  // The same key in two tables is two items.
  EXPECT_TRUE(run({action(Kind::kPut, row(1, 1)), action(Kind::kPut, row(1, 1), "", "U")}).ok());
}

TEST_F(TransactTest, ATokenCarriesOutItsRequestOnce) {
  ASSERT_TRUE(run({action(Kind::kPut, row(1, 1))}, "token", "digest").ok());
  put("T", row(1, 2));
  const auto repeated = outcome({action(Kind::kPut, row(1, 1))}, "token", "digest");
  ASSERT_TRUE(repeated.ok());
  EXPECT_TRUE(repeated->repeated);
  EXPECT_EQ(repeated->written[0].consumed.total().write, 0);
  EXPECT_EQ(repeated->written[0].consumed.total().read, 4);
  EXPECT_EQ(read_value(1), "2");
  const auto other = run({action(Kind::kPut, row(1, 3))}, "token", "another");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(model::fault_of(other.error()), Fault::kTokenMismatch);
  EXPECT_EQ(read_value(1), "2");
  EXPECT_TRUE(run({action(Kind::kPut, row(1, 4))}, "token2", "another").ok());
  EXPECT_EQ(read_value(1), "4");
  expect_consistent("T");
}

TEST_F(TransactTest, ATokenWhoseRequestIsUnderWayIsRefused) {
  wait_for_jobs();
  Codes faults;
  bool inside = false;
  engine_.after_transact = [&] {
    if (std::exchange(inside, true)) return;
    for (const char* digest : {"digest", "another"}) {
      const auto refused = run({action(Kind::kPut, row(1, 1))}, "token", digest);
      faults.push_back(refused.ok() ? std::nullopt : std::optional(model::fault_of(refused.error())));
    }
    EXPECT_TRUE(run({action(Kind::kPut, row(2, 2))}, "token of its own", "digest").ok());
  };
  ASSERT_TRUE(run({action(Kind::kPut, row(1, 1))}, "token", "digest").ok());
  EXPECT_EQ(faults, (Codes{Fault::kTransactionInProgress, Fault::kTokenMismatch}));
  EXPECT_TRUE(outcome({action(Kind::kPut, row(1, 1))}, "token", "digest").value().repeated);
  // A request that failed holds its token no longer.
  ASSERT_FALSE(run({action(Kind::kPut, row(1, 1), "attribute_not_exists(pk)")}, "failed", "digest").ok());
  EXPECT_FALSE(outcome({action(Kind::kPut, row(1, 1))}, "failed", "another").value().repeated);
}

TEST_F(TransactTest, ARepeatedRequestIsDoneWhateverItsItemsAreNow) {
  const auto once = action(Kind::kPut, row(1, 1), "attribute_not_exists(pk)");
  ASSERT_TRUE(run({once}, "token", "digest").ok());
  // Its own condition does not hold any more, the item has another value, then it is gone.
  EXPECT_TRUE(outcome({once}, "token", "digest").value().repeated);
  Item large = row(1, 2);
  large.set("f", s(std::string(9'000, 'x')));
  put("T", large);
  const auto changed = outcome({once}, "token", "digest");
  ASSERT_TRUE(changed.ok());
  EXPECT_TRUE(changed->repeated);
  EXPECT_EQ(read_value(1), "2");
  EXPECT_EQ(changed->written[0].consumed.total().read, 12);  // half units, for the item as it is now
  ASSERT_TRUE(run({action(Kind::kDelete, key(1))}).ok());
  EXPECT_TRUE(outcome({once}, "token", "digest").value().repeated);
  EXPECT_TRUE(rows("T").empty());
}

TEST_F(TransactTest, ATokenSurvivesAnUncleanStopAndACancelledRequestUsesNone) {
  ASSERT_TRUE(run({action(Kind::kPut, row(1, 1))}, "token", "digest").ok());
  ASSERT_FALSE(run({action(Kind::kPut, row(1, 1), "attribute_not_exists(pk)")}, "cancelled", "digest").ok());
  EXPECT_EQ(tokens(), 1u);
  crash();
  open();
  wait_for_jobs();
  put("T", row(1, 2));
  EXPECT_TRUE(outcome({action(Kind::kPut, row(1, 1))}, "token", "digest").value().repeated);
  EXPECT_EQ(read_value(1), "2");
  EXPECT_FALSE(outcome({action(Kind::kPut, row(1, 1))}, "cancelled", "digest").value().repeated);
}

TEST_F(TransactTest, ATokenEndsAfterTenMinutes) {
  wait_for_jobs();  // nothing else reads the clock while it is moved
  ASSERT_TRUE(run({action(Kind::kPut, row(1, 1))}, "token", "digest").ok());
  clock_.advance_ms(kTokenLifetimeMs - 1);
  EXPECT_FALSE(run({action(Kind::kPut, row(1, 2))}, "token", "another").ok());
  clock_.advance_ms(1);
  EXPECT_FALSE(outcome({action(Kind::kPut, row(1, 2))}, "token", "another").value().repeated);
  // From here its ten minutes begin anew.
  clock_.advance_ms(kTokenLifetimeMs - 1);
  EXPECT_TRUE(outcome({action(Kind::kPut, row(1, 2))}, "token", "another").value().repeated);
}

// Taken for an old one, its request would be carried out twice.
TEST_F(TransactTest, ADamagedTokenIsAnErrorAndStays) {
  wait_for_jobs();
  ASSERT_TRUE(run({action(Kind::kPut, row(1, 1))}, "old", "d").ok());
  for (const std::string& damaged : {std::string(), std::string(7, '\0'), std::string(8, '\0')}) {
    store(token_key("token"), damaged);
    const auto refused = run({action(Kind::kPut, row(1, 2))}, "token", "d");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(read_value(1), "1");
  }
  clock_.advance_ms(kTokenLifetimeMs);
  sweep();
  EXPECT_EQ(tokens(), 1u);
  EXPECT_FALSE(run({action(Kind::kPut, row(1, 2))}, "token", "d").ok());
}

TEST_F(TransactTest, OldTokensAreSwept) {
  wait_for_jobs();
  for (int64_t i = 0; i < 450; ++i)
    ASSERT_TRUE(run({action(Kind::kPut, row(i, i))}, "old" + std::to_string(i), "d").ok());
  clock_.advance_ms(kTokenLifetimeMs - 1);
  for (int64_t i = 0; i < 50; ++i)
    ASSERT_TRUE(run({action(Kind::kPut, row(i, i))}, "new" + std::to_string(i), "d").ok());
  sweep();
  EXPECT_EQ(tokens(), 500u);
  clock_.advance_ms(1);
  sweep();
  EXPECT_EQ(tokens(), 50u);
  // The start of a database sweeps too.
  close();
  clock_.advance_ms(kTokenLifetimeMs);
  open();
  wait_for_jobs();
  EXPECT_EQ(tokens(), 0u);
}

TEST_F(TransactTest, TokensAreSweptWhileTheDatabaseRuns) {
  wait_for_jobs();
  ASSERT_TRUE(run({action(Kind::kPut, row(1, 1))}, "old", "d").ok());
  clock_.advance_ms(kTokenLifetimeMs);
  for (int waited_ms = 0; waited_ms < 10'000 && tokens() > 0; ++waited_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(tokens(), 0u);
}

TEST_F(TransactTest, ATokenThatIsUsedAgainIsNotSwept) {
  wait_for_jobs();
  ASSERT_TRUE(run({action(Kind::kPut, row(1, 1))}, "token", "d").ok());
  std::atomic<bool> used = false;
  const std::string tokens_begin = token_key({}).bytes;
  engine_.after_scan = [&](const storage::Range& range, size_t max_records) {
    if (range.begin != tokens_begin || max_records == 1 || used.exchange(true)) return;
    EXPECT_EQ(run({action(Kind::kPut, row(1, 2))}, "token", "d").value().size(), 1u);
  };
  clock_.advance_ms(kTokenLifetimeMs);
  sweep();
  wait_for_jobs();
  EXPECT_TRUE(used);
  close();
  engine_.after_scan = nullptr;
  EXPECT_EQ(tokens(), 1u);
}

TEST_F(TransactTest, ARefusedStoreIsNoReason) {
  engine_.writes_left = 0;
  const auto refused = run({action(Kind::kPut, row(1, 1))});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
  engine_.writes_left = INT64_MAX;
  expect_consistent("T");
}

TEST_F(TransactTest, MoreThanTheStoreTakesAtOnceIsTooLarge) {
  engine_.most_bytes = 2'000;
  Item large = row(1, 1);
  large.set("v", s(std::string(1'500, 'v')));
  EXPECT_TRUE(run({action(Kind::kPut, large)}).ok());
  const auto refused = run({action(Kind::kPut, large), action(Kind::kPut, large, "", "U")});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kTransactionItemsTooLarge);
  EXPECT_TRUE(rows("U").empty());
}

TEST_F(TransactTest, ABatchIsCutToWhatTheStoreTakesAtOnce) {
  engine_.most_bytes = 3'000;
  Item large = row(1, 1);
  large.set("v", s(std::string(1'000, 'v')));
  api::BatchWriteRequest request;
  request.parts.push_back({"T", {}});
  for (int64_t i = 0; i < 7; ++i) {
    large.set("sk", n(i));
    request.parts[0].actions.push_back(action_of(Kind::kPut, large));
  }
  const auto done = carry_out(db(), request);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->written.size(), 7u);
  EXPECT_EQ(rows("T").size(), 7u);
  engine_.most_bytes = 900;
  const auto refused = carry_out(db(), request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kTooLarge);
}

TEST_F(TransactTest, ReadsComeInOrder) {
  put("T", row(1, 1));
  put("U", row(2, 2));
  api::TransactGetRequest request;
  auto& gets = request.parts;
  gets.resize(3);
  gets[0].table = gets[1].table = "T";
  gets[2].table = "U";
  gets[0].key = key(2);
  gets[1].key = key(1);
  gets[2].key = key(2);
  expr::Placeholders none;
  gets[2].projection = expr::parse_projection("v", none).value();
  const auto got = carry_out(db(), request);
  ASSERT_TRUE(got.ok());
  EXPECT_FALSE(got->items[0].item);
  EXPECT_EQ(decoded(*got->items[1].item), row(1, 1));
  EXPECT_EQ(decoded(*got->items[2].item), item({{"v", n(2)}}));
  for (const auto& consumed : got->consumed) EXPECT_EQ(consumed.total().read, 4);
  gets[1].key = key(2);
  const auto twice = carry_out(db(), request);
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(model::fault_of(twice.error()), Fault::kTransactionDuplicateItem);
  gets[1].key = item({{"pk", s("p")}});
  EXPECT_EQ(codes(carry_out(db(), request)), (Codes{std::nullopt, Fault::kKeySchemaMismatch, std::nullopt}));
}

TEST_F(TransactTest, ReadsAreLimitedToFourMegabytes) {
  api::TransactGetRequest request;
  const std::string filler(409'000, 'x');
  for (int64_t i = 0; i < 11; ++i) {
    Item large = key(i);
    large.set("f", s(filler));
    put("T", large);
    if (i < 10) request.parts.push_back({"T", key(i), {}});
  }
  EXPECT_TRUE(carry_out(db(), request).ok());
  request.parts.push_back({"T", key(10), {}});
  const auto refused = carry_out(db(), request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kTransactionItemsTooLarge);
}

}  // namespace
}  // namespace partita::table
