"""Small mistakes, each with the tests that must catch it.

`tests` are programs of ctest ("contract_test") or folders of tests/ ("api"), with a filter of GoogleTest's or pytest's
behind a colon where only some of their cases are meant. They run in this order until one fails.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutant:
    """`old`, which stands in `file` exactly once, becomes `new`."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple

    def planted_in(self, whole):
        """The text of the file with the mistake in it, or None when it does not fit any more."""
        return whole.replace(self.old, self.new) if whole.count(self.old) == 1 else None


ROCKS = "src/engines/rocksdb/"

STORE = [
    Mutant("only the first of a failed batch is unknown", ROCKS + "committer.cc",
           "commits[i]->outcome = unknown ? Commit::Outcome::kUnknown : Commit::Outcome::kRefused;",
           "commits[i]->outcome = unknown ? i == 0 ? Commit::Outcome::kUnknown : Commit::Outcome::kDurable\n"
           "                                  : Commit::Outcome::kRefused;", ("contract_test",)),
    Mutant("what was queued behind a failed batch is told that it is durable", ROCKS + "committer.cc",
           "      commit->outcome = Commit::Outcome::kRefused;\n", "", ("contract_test",)),
    Mutant("a commit is acknowledged before it is synced", ROCKS + "committer.cc",
           "options.sync = sync_;", "options.sync = false;", ("contract_test",)),
    Mutant("no barrier for a refusal that rests on a pending write", ROCKS + "transaction.cc",
           "return queue(view.saw_pending || absent, era);", "return queue(absent, era);", ("contract_test",)),
    Mutant("stale is told before the change can be read", ROCKS + "transaction.cc",
           "  queued = shared_.committer.enqueue_barrier(commit) == Verdict::kPasses;\n", "", ("contract_test",)),
    Mutant("the store is read before the queued writes", ROCKS + "transaction.cc",
           "  newest = shared_.newest.find(key.bytes, hash, pending);\n"
           "  if (newest == nullptr) status = read_record(shared_.store, key, tier, stored);\n",
           "  status = read_record(shared_.store, key, tier, stored);\n"
           "  newest = shared_.newest.find(key.bytes, hash, pending);\n", ("contract_test",)),
    Mutant("a pending write is not seen", ROCKS + "transaction.cc",
           "  newest = shared_.newest.find(key.bytes, hash, pending);\n", "  (void)hash;\n", ("contract_test",)),
    Mutant("a write that another group writes again is left out", ROCKS + "committer.cc",
           "superseded_by != 0 && superseded_by <= last", "superseded_by != 0 && last != 0", ("contract_test",)),
    Mutant("an erased range leaves known records", ROCKS + "committer.cc",
           "  newest_.forget_durable();\n", "", ("contract_test",)),
    Mutant("what was read before a write is kept after it", ROCKS + "newest.cc",
           "  if (shard.changes != ticket) return;\n", "", ("engine_rocksdb_test",)),
    Mutant("a reader sees what is queued", ROCKS + "newest.cc",
           "  if (at->second.pending) return ticket = kNoTicket, nullptr;\n", "", ("engine_rocksdb_test",)),
    Mutant("known records are not bounded", ROCKS + "newest.cc",
           "while (shard.bytes > shard_bytes_) {", "while (false) {", ("engine_rocksdb_test",)),
    Mutant("no back-pressure on queued writes", ROCKS + "committer.cc",
           "others > 0 && others + bytes > max_bytes_", "false", ("contract_test",)),
    Mutant("who comes later overtakes who waits for room", ROCKS + "committer.cc",
           "!guests_.empty() || (others > 0", "(others > 0", ("contract_test",)),
    Mutant("the newest of those who wait for room goes first", ROCKS + "committer.cc",
           "      guest = guests_.front();\n      guests_.pop_front();\n",
           "      guest = guests_.back();\n      guests_.pop_back();\n", ("contract_test",)),
    Mutant("a newer queued write is settled with an older one", ROCKS + "newest.cc",
           "  if (at->second.newest != write) return;\n", "", ("engine_rocksdb_test",)),
    Mutant("a compared version is not compared", ROCKS + "committer.cc",
           "if (match == Watches::Match::kDiffers) verdict = Verdict::kStale;", "", ("contract_test",)),
    Mutant("a change of a compared key is not noticed", ROCKS + "watches.cc",
           "at->second = version;", "(void)version;", ("contract_test",)),
    Mutant("an erased range leaves compared keys as they were", ROCKS + "committer.cc",
           "erased |= commit->erase.has_value();", "", ("contract_test",)),
    Mutant("the last who waits for a latch is the next", ROCKS + "latches.cc",
           """  (queue.first == nullptr ? queue.first : queue.last->next_) = &held;
  queue.last = &held;
""", """  held.next_ = queue.first;
  queue.first = &held;
""", ("contract_test",)),
    Mutant("a thread waits for a latch", ROCKS + "latches.cc",
           "if (++spins == kSpins) return false;", "if (++spins < 0) return false;", ("contract_test",)),
    Mutant("a scan steps over any number of erased rows on its caller's thread", ROCKS + "reads.cc",
           "options.max_skippable_internal_keys = kMaxSkipped;", "options.max_skippable_internal_keys = 0;",
           ("contract_test",)),
    Mutant("what is erased keeps its space", ROCKS + "reclaim.cc",
           "  start(run(), [] {});\n", "  running_ = false;\n", ("contract_test",)),
    Mutant("a log damaged in its middle is taken", ROCKS + "damage_check.cc",
           "  if (log.readable_behind) {", "  if (log.readable_behind && log.good_bytes == 0) {",
           ("contract_test:*MiddleOfLog*",)),
    Mutant("a log that is missing is not missed", ROCKS + "damage_check.cc",
           "if (is_known && !found.files.contains(witness.oldest_log)) {", "if (false) {",
           ("contract_test",)),
    Mutant("a hole between two logs is not seen", ROCKS + "damage_check.cc",
           "if (log.records > 0 && next > 0 && log.first_sequence != next) {",
           "if (log.records > 0 && next > 0 && log.first_sequence < next) {",
           ("contract_test:*Damage*",)),
    Mutant("what stands in a value is taken for a batch", ROCKS + "log_file.cc",
           "secret_.empty() || secret_of(record_) == secret_;", "true;", ("engine_rocksdb_test", "contract_test")),
    Mutant("a batch that begins at the end of a block is not seen", ROCKS + "log_file.cc",
           "if (!good_ && (record_.size() >= kSecretEnd || !building_)) {", "if (!good_) {", ("engine_rocksdb_test",)),
    Mutant("the secret of WITNESS counts for whatever log", ROCKS + "witness.h",
           "return number < secret_since ? std::string_view()", "return number == 0 ? std::string_view()",
           ("contract_test:*BatchSecret*",)),
    Mutant("batches have no secret", ROCKS + "committer.cc",
           "rocksdb::Status status = store_.begin(batch_);", "rocksdb::Status status;",
           ("contract_test:*BatchSecret*",)),
    Mutant("a zero at the end of a log is a sector that was never written", ROCKS + "log_file.cc",
           "kFewestZeros = 8;", "kFewestZeros = 1;", ("engine_rocksdb_test",)),
    Mutant("the directory is synced when a write to a new log can not be taken back any more", ROCKS + "store_files.cc",
           "if (status.ok() && kind_ == StoreFiles::Kind::kLog) status = files_.sync_directory(options, debug);", "",
           ("contract_test:*FailedWrites*",)),
    Mutant("the epoch does not move", ROCKS + "store.cc", "  ++epoch;\n", "  epoch += epoch == 0;\n",
           ("contract_test",)),
]

TABLES = [
    Mutant("an older catalogue revision is published over a newer", "src/table/catalog.cc",
           "} else if (std::pair(found->second->id, found->second->revision) < std::pair(table->id, table->revision)) {",
           "} else {", ("table_test",)),
    Mutant("a reused token is erased by the sweep", "src/table/upkeep_jobs.cc",
           "if (found[i] != nullptr && is_over(found[i]->value, now_ms)) changes.erase(keys[i]);",
           "if (found[i] != nullptr) changes.erase(keys[i]);", ("table_test",)),
    Mutant("a damaged token counts as an old one", "src/table/tokens.cc",
           "if (!at_ms || row.empty()) return Error(", "if (!at_ms || row.empty()) return UsedToken{}; else if (false) return Error(",
           ("table_test",)),
    Mutant("a row of a local index without its key is read", "src/table/query.cc",
           "if (!check_item_key(*plan.table, view).ok()) co_return", "if (false) co_return", ("table_test",)),
    Mutant("a page ends at a row without its key", "src/table/query.cc",
           "if (!names_a_row(item)) return Error(", "if (false) return Error(", ("table_test",)),
    Mutant("tokens are never swept while running", "src/table/upkeep.cc",
           "      sweep_wanted_ = true;\n", "", ("table_test",)),
    Mutant("a token lives for ever", "src/table/transact.cc",
           "if (used->is_over(now_ms)) return true;", "if (used->is_over(now_ms - kTokenLifetimeMs)) return true;", ("table_test",)),
    Mutant("a write by an older description is taken", "src/table/commit.cc",
           "compare.push_back({table_key(tables[i]->name), tables[i]->version});", "",
           ("table_test", "crash:traffic")),
    Mutant("every other item is left out of a filled index", "src/table/upkeep_jobs.cc",
           "if (item && has_row(*item)) batch.keys.push_back(item_key(*table, *item));",
           "if (item && has_row(*item) && i % 2) batch.keys.push_back(item_key(*table, *item));",
           ("table_test",)),
    Mutant("an index is filled by an older description", "src/table/upkeep_jobs.cc",
           "    Step batch;\n    batch.compare = {{table_key(table->name), table->version}};\n", "    Step batch;\n",
           ("table_test",)),
    Mutant("what was found gone is published again", "src/table/catalog.cc",
           "if (!same_table && removals != removals_) return {table, false};",
           "if (!same_table && removals > removals_) return {table, false};", ("table_test",)),
    Mutant("the page is cut only beyond 1 MB", "src/table/query.cc",
           "page_bytes_ + item_bytes > model::kMaxPageBytes", "page_bytes_ + item_bytes >= model::kMaxPageBytes", ("table_test", "api:pages or edges")),
    Mutant("the row at the start key is read again", "src/table/query.cc",
           "range = storage::behind(row, std::move(range));", "range.begin = row;", ("table_test", "api:pages or edges")),
    Mutant("an item leaves its old index row", "src/table/rows.cc",
           "if (old_.key && moved) changes.erase(*old_.key);", "", ("table_test", "crash:traffic")),
    Mutant("what changes nothing leaves a record", "src/table/rows.cc",
           "if (shard == nullptr || before.stored == after.stored) return;", "if (shard == nullptr) return;", ("table_test", "api:streams")),
    Mutant("a closed shard is written to", "src/table/stream.cc",
           "return shard.closed_ms == 0 && shard.first_hash <=", "return shard.first_hash <=", ("table_test",)),
    Mutant("a shard is closed without its mark", "src/table/stream.cc",
           "now->closed_ms != 0) mark(shard, ShardMark::kClosed);", "now->closed_ms != 0) mark(shard, ShardMark::kOpened);",
           ("table_test", "api:streams")),
    Mutant("records are kept for ever", "src/table/streams.cc",
           "if (now_ms - record->at_ms < kStreamLifetimeMs) read", "read", ("table_test",)),
    Mutant("who lost records is not told", "src/table/streams.cc",
           "if (*position < horizon) co_return", "if (*position < horizon && horizon == Position()) co_return",
           ("table_test", "api:streams")),
    Mutant("a stream ends with its table", "src/table/catalog.cc",
           "if (info.status == Status::kDeleting && info.stream.enabled) end_stream(info);", "", ("table_test", "api:streams")),
]

OPERATIONS = [
    Mutant("a deleting index is still queryable", "src/table/query.cc",
           "if (plan.index == nullptr || plan.index->status == Status::kDeleting) {", "if (plan.index == nullptr) {",
           ("table_test", "api:edges")),
    Mutant("INDEXES in transactions without its parts", "src/ops/reply.cc",
           "if (detail == CapacityDetail::kIndexes) {",
           "if (detail == CapacityDetail::kIndexes && kind == CapacityKind::kPlain) {", ("api:capacity or edges",)),
    Mutant("one item past 16 MB in BatchGetItem", "src/table/read.cc",
           "full = full || (bytes > 0 && bytes + item.bytes > model::kMaxBatchGetBytes);",
           "full = full || bytes > model::kMaxBatchGetBytes;", ("api:edges",)),
    Mutant("a token's digest depends on the order of members", "src/ops/transact_call.cc",
           "std::map<std::string_view, JsonValue> sorted;\n      for (const auto& [name, member] : value.members()) sorted[name] = member;",
           "std::vector<std::pair<std::string_view, JsonValue>> sorted;\n"
           "      for (const auto& [name, member] : value.members()) sorted.emplace_back(name, member);",
           ("api:edges",)),
    Mutant("a presigned call without its date is taken", "src/auth/authenticate.cc",
           '"X-Amz-SignedHeaders", "X-Amz-Date"}', '"X-Amz-SignedHeaders"}', ("auth_test", "http")),
    Mutant("a signed call without its date is taken", "src/auth/authenticate.cc",
           'if (facts.header("x-amz-date").empty() && facts.header("date").empty()) {', "if (false) {",
           ("auth_test", "http")),
    Mutant("a batch may name a key twice", "src/table/transact.cc",
           "if (has_duplicates(std::move(keys))) return model::refuse(Fault::kBatchDuplicateKeys);", "",
           ("api:batch", "service_test")),
]

SOCKETS = [
    Mutant("a partly written reply is begun again", "src/http/tcp_stream.cc",
           "    unwritten_[1].remove_prefix(sent - of_first);",
           "    if (of_first != 0 || sent == unwritten_[1].size()) unwritten_[1].remove_prefix(sent - of_first);",
           ("http_test", "http")),
    Mutant("the end of the other side is forgotten", "src/http/tcp_stream.cc",
           "readable_ = ended_ || bytes == into_.size();", "readable_ = bytes == into_.size();", ("http_test", "http")),
    Mutant("kept-alive connections are not closed by a stop", "src/http/connection.cc",
           "if (phase_ != Phase::kHandling && phase_ != Phase::kWriting) stream_->close();",
           "if (phase_ == Phase::kDraining) stream_->close();", ("http_test", "http")),
    Mutant("a connection that a stop met at work is kept", "src/http/connection.cc",
           "    keep_alive = keep_alive && !site_.stopping;\n", "", ("http_test", "http")),
    Mutant("no drain after a refused body", "src/http/connection.cc",
           "      co_await drain();\n", "", ("http_test", "http")),
    Mutant("a body may be as long as it likes", "src/http/request_reader.cc",
           "return content_length_ > limits_.body_bytes ?", "return content_length_ > UINT64_MAX - 1 ?",
           ("http_test", "http")),
    Mutant("a chunked body may be as long as it likes", "src/http/request_reader.cc",
           "if (*size > limits_.body_bytes - body_.size) return State::kBodyTooLarge;", "", ("http_test", "http")),
    Mutant("an idle connection is kept for ever", "src/http/connection.cc",
           "if (phase_ != Phase::kHandling && site_.now_ns > deadline_ns_) stream_->close();",
           "if (phase_ == Phase::kHead && site_.now_ns > deadline_ns_) stream_->close();", ("http_test", "http")),
    Mutant("a piece goes before what arrived during the last one", "src/http/server.cc",
           "    if (looked_) return line_call_.ask();\n", "", ("http_test",)),
    Mutant("long works take turns", "src/http/server.cc",
           "if (first || line_ == nullptr) {", "if ((first && false) || line_ == nullptr) {", ("http_test",)),
    Mutant("a page is read in one piece", "src/table/query.cc",
           "    pieces_.spend(item_bytes);\n", "", ("ops_test",)),
    Mutant("a page is written in one piece", "src/ops/reply.h",
           "    pieces.spend(json.size() - before);\n", "    (void)before;\n", ("ops_test",)),
    Mutant("a batch that waits for its turn holds all that it reads", "src/table/read.cc",
           "std::max<size_t>(bytes, 1), 1, kMost)", "std::max<size_t>(bytes, 1), kMost, kMost)", ("http:nobody_reads",)),
    Mutant("a filter is not held up", "src/table/query.cc",
           "      pieces_.spend((work_ - work_before) * kWorkBytes);\n", "      (void)work_before;\n", ("table_test",)),
    Mutant("each piece of a body has a deadline of its own", "src/http/connection.cc",
           "if (phase != phase_ || phase == Phase::kIdle) phase_began_ns_", "phase_began_ns_", ("http_test", "http")),
    Mutant("a body takes nothing from the budget", "src/http/request_reader.cc",
           "const size_t charged = capacity > kFirstCapacity ? capacity : 0;", "const size_t charged = 0;",
           ("http_test", "http")),
    Mutant("a parsed body takes nothing from the budget", "src/http/connection.cc",
           "body.size() <= kUncounted ? 0 : site_.handler.memory_of(call)", "0", ("http:hostile",)),
    Mutant("a reply takes nothing from the budget", "src/http/connection.cc",
           "if (!take_memory(share, reply.body.capacity())) {", "if (false) {", ("http:hostile",)),
    Mutant("a large body is read for anyone", "src/http/connection.cc",
           "if (!asked && size > kSmallBody) {", "if (!asked && size > UINT64_MAX - 1) {", ("http_test", "http")),
    Mutant("a page is asked only when its body is read", "src/http/connection.cc",
           "if (first && !page_is_welcome()) {", "if (false) {", ("http:pages",)),
    Mutant("any page may call", "src/http/connection.cc",
           "if (!page_is_welcome()) return answer_foreign_page(keep_alive);", "", ("http:pages",)),
    Mutant("two hosts", "src/http/request_reader.cc",
           "if ((seen_ & bit) != 0) return State::kMalformed;", "", ("http_test", "http")),
    Mutant("any coding is taken for chunked", "src/http/request_reader.cc",
           'if (bit == kCodingSeen && !same_name(value, "chunked")) return State::kMalformed;', "", ("http_test", "http")),
    Mutant("a bare line feed ends a line", "src/http/request_reader.cc",
           """    if (!line.ends_with('\\r')) return State::kMalformed;
    const State state = take_head_line(line.substr(0, line.size() - 1));""",
           """    const State state = take_head_line(line.ends_with('\\r') ? line.substr(0, line.size() - 1) : line);""",
           ("http_test", "http")),
    Mutant("chunked and sized at once", "src/http/request_reader.cc",
           "if (chunked && (old_version_ || (seen_ & kLengthSeen) != 0)) return State::kMalformed;", "",
           ("http_test", "http")),
    Mutant("a full server keeps its idle connections", "src/http/server.cc",
           "const bool turned_away = full && close_idle() == 0;", "const bool turned_away = full;",
           ("http_test", "http")),
    Mutant("connections may take every open file", "src/http/server.cc",
           "most_connections = connections_within_limits(options.max_connections);",
           "most_connections = std::max(connections_within_limits(options.max_connections), options.max_connections);",
           ("http:hostile",)),
    Mutant("a failed allocation ends the server", "src/http/connection.cc",
           "if (failed) reply = ops::out_of_memory();", "if (failed) std::terminate();", ("http_test", "http")),
    Mutant("a parser that got no memory is used again", "src/wire/json_reader.cc",
           "    document.parser_.reset();  // it takes itself for larger than it is\n", "", ("http:hostile",)),
    Mutant("the port is offered to everyone", "src/http/server.cc",
           "if (!local && !options.beyond_loopback) {", "if (!local && false) {", ("http_test", "http")),
]

PARTIQL = [
    Mutant("branches of a WHERE may overlap", "src/partiql/key_plan.cc",
           "if (same && last->range.overlaps(branch.range)) return refuse(Fault::kPartiqlOverlap);", "",
           ("partiql_test",)),
    Mutant("one branch with a partition key makes a Query of all", "src/partiql/key_plan.cc",
           "keyed_ = std::ranges::all_of(", "keyed_ = std::ranges::any_of(", ("partiql_test",)),
    Mutant("a second condition on the sort key is forgotten", "src/partiql/reads.cc",
           "const bool said = branch.sort.size() == 1;", "const bool said = true;", ("partiql_test",)),
    Mutant("an UPDATE makes an item", "src/partiql/writes.cc",
           "  rest.children.insert(rest.children.begin(), presence(key, true));\n", "", ("partiql_test",)),
    Mutant("an exponent of more than 32 bits is read as another one", "src/model/java_number.cc",
           "return digits.fits && scale", "return scale", ("model_test", "partiql_test")),
    Mutant("a chain of AND takes one in parentheses apart", "src/partiql/expression_parser.cc",
           "node.kind != kind || node.grouped", "node.kind != kind", ("partiql_test",)),
    Mutant("branches beside a negated one are read by themselves", "src/partiql/reads.cc",
           "if (negated && same.size() > 1) {", "if (false) {", ("api:partiql",)),
    Mutant("a NextToken goes on in any statement", "src/ops/execute_statement.cc",
           "  if (*said != digest) return refuse(Fault::kPartiqlTokenMismatch);\n",
           "  if (said->size() != digest.size()) return refuse(Fault::kPartiqlTokenMismatch);\n", ("api:partiql",)),
    Mutant("a DELETE with a condition fails where there is no item", "src/partiql/writes.cc",
           "    either.children.push_back(presence(key, false));\n", "", ("partiql_test",)),
]

SERIAL = [
    Mutant("what a transaction read may change before it is queued", ROCKS + "transaction.cc",
           "  if (outcome == Outcome::kRefused) changes.clear();\n",
           "  if (outcome == Outcome::kRefused) changes.clear();\n  held.release();\n", ("simulation",)),
    Mutant("nobody waits for a latch", ROCKS + "transaction.cc",
           "    co_await attempt.held.lock(attempt.stripes(), here);\n", "    (void)here;\n", ("simulation",)),
    Mutant("a later transaction does not see what is queued", ROCKS + "transaction.cc",
           "  if (newest == nullptr) status = read_record(shared_.store, key, tier, stored);\n",
           "  if (pending) newest = nullptr;\n"
           "  if (newest == nullptr) status = read_record(shared_.store, key, tier, stored);\n", ("simulation",)),
    Mutant("a refusal does not wait for what it saw", ROCKS + "transaction.cc",
           "const bool queues = must_wait || !commit.is_barrier();",
           "static_cast<void>(must_wait);\n  const bool queues = !commit.is_barrier();", ("simulation",)),
    Mutant("a reader is shown what is queued", ROCKS + "newest.cc",
           "  if (at->second.pending) return ticket = kNoTicket, nullptr;\n",
           "  if (at->second.pending) return ticket = kNoTicket, at->second.newest;\n", ("simulation",)),
    Mutant("several keys are read one after the other", ROCKS + "reads.cc",
           "  if (keys.size() != 1) return read_records(store, keys, tier, records);\n  records.resize(1);\n",
           "  if (keys.size() != 1) {\n"
           "    std::vector<std::optional<Record>> one;\n"
           "    for (size_t i = 0; i < keys.size(); ++i) {\n"
           "      if (Status status = read_newest(store, newest, keys.subspan(i, 1), tier, one); !status.ok()) "
           "return status;\n"
           "      records.push_back(std::move(one[0]));\n"
           "    }\n"
           "    return Status::OK();\n"
           "  }\n  records.resize(1);\n", ("simulation",)),
    Mutant("TransactGetItems reads item by item", "src/table/transact.cc",
           "  auto read = co_await database.engine().read(plan.keys);\n"
           "  if (!read.ok()) co_return std::move(read).error();\n  TransactGetOutcome outcome;\n",
           "  Result<std::vector<std::optional<Record>>> read = std::vector<std::optional<Record>>();\n"
           "  for (const Key& key : plan.keys) {\n"
           "    auto one = co_await database.engine().read(std::span(&key, 1));\n"
           "    if (!one.ok()) co_return std::move(one).error();\n"
           "    read->push_back(std::move((*one)[0]));\n    co_await GiveWay();\n  }\n"
           "  TransactGetOutcome outcome;\n", ("simulation",)),
    Mutant("a token is not looked at", "src/table/transact.cc",
           "if (with_token && !token_is_new(request, found.back(), now_ms, attempt)) {",
           "if (with_token && !token_is_new(request, nullptr, now_ms, attempt)) {", ("simulation",)),
    Mutant("a transaction has one record in the stream", ROCKS + "transaction.cc",
           "  std::ranges::move(changes.appends(), std::back_inserter(commit.appends));\n",
           "  if (!changes.appends().empty()) commit.appends.push_back(std::move(changes.appends().front()));\n",
           ("simulation",)),
]

GRAPH, GRAPHS, SEARCH = "src/table/vector_graph.cc", "src/table/vector_graphs.cc", "src/table/vector_search.cc"
GRAPH_TEST = ("table_test:VectorGraphTest.*",)
GRAPHS_TEST = ("table_test:VectorGraphsTest.*",)
SEARCH_TEST = ("table_test:VectorSearchTest.*",)

VECTORS = [
    Mutant("a write of a vector is not named in the log", "src/table/rows.cc",
           "    if (index_.vector) name_in_log(moved, changes);\n", "", GRAPHS_TEST),
    Mutant("a row that leaves a vector index is not named in the log", "src/table/rows.cc",
           "    if (old_.key && moved) changes.append(topic, old_.key->bytes);\n", "    (void)moved;\n", GRAPHS_TEST),
    Mutant("a graph does not mind that the log went on without it", GRAPHS,
           "  followed.lost = page.trimmed > page.after;\n", "", GRAPHS_TEST),
    Mutant("a vector log is trimmed without saying so before", "src/table/vector_log.cc",
           "      changes.put(key, encoded(upto));\n", "", GRAPHS_TEST),
    Mutant("a graph is asked before it has read on", GRAPHS,
           "    if (newest && !lost) {\n", "    if (!lost) {\n", GRAPHS_TEST),
    Mutant("what changes while a graph is made is not in it", GRAPHS,
           "  PARTITA_TRY(followed.position, wait_for(engine_.log_end("
           "vector_topic(collection.table_id, collection.index.id))));\n"
           "  storage::Range range = collection.rows;\n",
           "  followed.position.bytes.fill(0xff);\n  storage::Range range = collection.rows;\n", GRAPHS_TEST),
    Mutant("graphs are not bounded as they grow", GRAPHS,
           "if (followed.dropped || bytes_ + more > most_bytes_) return false;", "if (followed.dropped) return false;",
           GRAPHS_TEST),
    Mutant("graphs are not bounded when they are made", GRAPHS,
           "  if (bytes_ + bytes > most_bytes_) {\n", "  if (bytes_ + bytes < bytes_) {\n", GRAPHS_TEST),
    Mutant("a search with a filter asks the graph", SEARCH,
           "  if (!plan.filtered.empty()) co_return outcome;\n", "", GRAPHS_TEST),
    Mutant("a row is answered that the condition does not allow any more", SEARCH,
           "      PARTITA_CO_TRY(const bool wanted, passes(plan, row));\n      if (!wanted) continue;\n      Scored one;\n",
           "      Scored one;\n", SEARCH_TEST),
    Mutant("nobody comes in the place of a row that is gone", SEARCH,
           "constexpr size_t kBeyond = 10;", "constexpr size_t kBeyond = 0;", SEARCH_TEST),
    Mutant("the cosine counts how long a vector is", GRAPH,
           "      for (float& one : made) one = static_cast<float>(one / length);\n", "      (void)length;\n", GRAPH_TEST),
    Mutant("equal vectors have places of their own", GRAPH,
           "    const std::optional<size_t> known = parts_->find(vector);\n",
           "    const std::optional<size_t> known;\n", GRAPH_TEST),
    Mutant("a place that is taken again is not found", GRAPH,
           "      if (graph.isMarkedDeleted(static_cast<hnswlib::tableint>(place))) graph.unmarkDelete(place);\n", "",
           GRAPH_TEST),
    Mutant("any walk is wide enough", GRAPH,
           "if (recall(samples, width) >= kGoodRecall) return width;",
           "if (recall(samples, width) >= 0) return width;", GRAPH_TEST),
    Mutant("the log of a dropped vector index stays", "src/table/upkeep_jobs.cc",
           "  PARTITA_CO_TRY_VOID(co_await forget_vector_log(engine_, job.table_id, job.index_id));\n", "", GRAPHS_TEST),
    Mutant("how far a log was trimmed outlives its table", "src/table/upkeep_jobs.cc",
           "expiry_rows(job.table_id), trimmed_rows(job.table_id)}) {", "expiry_rows(job.table_id)}) {", GRAPHS_TEST),
]

MUTANTS = STORE + TABLES + OPERATIONS + SOCKETS + PARTIQL + SERIAL + VECTORS
