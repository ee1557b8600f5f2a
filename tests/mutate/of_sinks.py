"""Mistakes in what carries tables to search engines."""

from mutant import Mutant

CARRIAGE = "src/sinks/carriage.cc"
MAKER = "src/table/rows/sink_maker.cc"

SINKS = [
    Mutant("a sink does not hear of deletions", MAKER,
           "if (before.stored == after.stored) return;", "if (before.stored == after.stored || !after.exists()) return;",
           ("sinks_test:*FillsThenFollows*",)),
    Mutant("a sink hears of what changes nothing", MAKER,
           "  if (before.stored == after.stored) return;\n", "  (void)before, (void)after;\n",
           ("sinks_test:*SendsNothingIfNothingChanged*",)),
    Mutant("a sink's log is trimmed before the answers", CARRIAGE,
           "    auto delivered = co_await deliver();\n",
           "    progress_.delivered = batch_->delivered;\n    changed_ = true;\n"
           "    PARTITA_CO_TRY_VOID(co_await store(run));\n    auto delivered = co_await deliver();\n",
           ("sinks_test:*CutOff*",)),
    Mutant("what the other end puts off is forgotten", CARRIAGE,
           "  batch_->keys = std::move(sent.later);\n", "  batch_->keys.clear();\n", ("sinks_test:*CutOff*:Storm*",)),
    Mutant("what changes during a fill is not sent", CARRIAGE,
           "  progress_.filling = false;\n  changed_ = true;\n",
           "  progress_.filling = false;\n  changed_ = true;\n"
           "  PARTITA_CO_TRY(progress_.delivered, co_await backlog_.ends());\n", ("sinks_test:Storm*:*CutOff*",)),
    Mutant("all documents have one version", "src/sinks/sender.cc",
           "std::max<uint64_t>(storage::leading_number(end), 1);", "1; (void)end;",
           ("sinks_test:*ALateRequestChangesNothing*",)),
    Mutant("a store that was restored is not noticed", CARRIAGE,
           "    if (is_ahead(versions, *first_ends_)) {", "    if (false) {", ("sinks_test:*WhereTheStoreIsOlder*",)),
    Mutant("a fill takes the index of an abandoned future", CARRIAGE,
           "    if (*exists) {", "    if (false) {", ("sinks_test:*AFillTakesNoIndexOfAnAbandonedFuture*",)),
    Mutant("a server that cannot connect keeps the sink", CARRIAGE,
           "  co_return end == StepEnd::kMore ? StepEnd::kStopped : end;", "  co_return end;",
           ("sinks_test:*AServerThatCannotConnect*",)),
    Mutant("what another server noted at the other end is lost", CARRIAGE,
           "    if (written) return {};\n", "    return {};\n", ("sinks_test:*AMarkIsNeverLowered*",)),
    Mutant("the index of another store's sink is taken over", "src/sinks/search_destination.cc",
           "&& owner != settings_.id)", "&& owner.empty())", ("sinks_test:*TakesNoNameThatIsInUse*",)),
    Mutant("a proxy's 404 is the search engine's", "src/sinks/search_client.cc",
           "reply.status == expected && (reply.status != 404 || is_absence(reply.body));",
           "reply.status == expected; (void)is_absence;", ("sinks_test:*TakesTheWordOfNoProxy*",)),
    Mutant("an item that is always refused holds up the others", "src/sinks/search_sender.cc",
           "    batch.outcomes[at].fate = Fate::kRejected;\n", "", ("sinks_test:*RejectsInTheEnd*",)),
    Mutant("an item is blamed for a moment of the search engine", "src/sinks/search_sender.cc",
           "if (probes || reply.status == 500) {", "if (probes && reply.status == 0) {",
           ("sinks_test:*BlamesNoItemForAMoment*",)),
]
