"""Mistakes in attribute lists, and in calls of protocols that are not JSON."""

from mutant import Mutant

LISTS = "src/table/catalog/attribute_lists.cc"
SERVICE = "src/ops/service.cc"


def of_lists(test):
    return ("table_test:AttributeListsTest." + test,)


def of_calls(test):
    return ("ops_test:CallCodecTest." + test,)


DAX_CALLS = [
    Mutant("an attribute list gets the id of another", LISTS,
           "} else if (found[i]->names == one.names) {", "} else if (found[i] != nullptr) {", of_lists("TheSecondList*")),
    Mutant("an attribute list replaces one of another server", LISTS,
           "  for (const Pending& one : lists) compare.push_back({attribute_list_key(one.id), std::nullopt});\n", "", of_lists("TwoServers*")),
    Mutant("attribute lists in memory are not bounded", LISTS,
           "while (bytes_ > cache_bytes_) {", "while (false) {", of_lists("MemoryIs*")),
    Mutant("the attribute list used last is forgotten first", LISTS,
           "  lists_.splice(lists_.begin(), lists_, found->second);\n", "", of_lists("MemoryIs*")),
    Mutant("attribute lists have no second copy", LISTS,
           "put_twice(attribute_list_key(one.id), attribute_list_row(one.names), changes);",
           "changes.put(attribute_list_key(one.id), attribute_list_row(one.names));", ("table_test:RepairTest.RestoresThe*",)),
    Mutant("a rollback forgets attribute lists", "src/table/maintenance/snapshots.cc",
           "second_copy(accounts).bytes, lists.bytes,", "second_copy(accounts).bytes, accounts.bytes,",
           ("table_test:*SnapshotsTest.IdsUsers*",)),
    Mutant("the id of an attribute list can be computed backwards", "src/model/attribute_list.cc",
           "  append_u64(both, hash64(bytes));\n", "", ("model_test:AttributeListTest.*",)),
    Mutant("any service's signature is taken for DAX", SERVICE,
           "if (caller->signed_for != auth::SignedFor::kDax && caller->signed_for != auth::SignedFor::kAny) {",
           "if (caller == nullptr) {", of_calls("CallersMust*")),
    Mutant("rates do not hold for calls without JSON", SERVICE,
           "  PARTITA_CO_TRY_VOID(parts_->admission.enter(call, *caller));\n", "", of_calls("RatesHold*")),
    Mutant("a codec may fetch for ever", SERVICE,
           "if (++fetches > kMostFetches) {", "if (++fetches < 0) {", of_calls("NoCallFetches*")),
    Mutant("a codec that yields keeps the thread", SERVICE,
           "      co_await budget.yield();\n", "      static_cast<void>(budget);\n", of_calls("FetchesAndYields*")),
    Mutant("a failed encoding is a success", SERVICE,
           "      done = std::move(encoded).error();\n", "", of_calls("AFailedFetch*")),
]
