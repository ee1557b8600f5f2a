// Namespaces: named databases in one store, isolated from each other and from the store's own database, whose name is
// empty. Their keys and topics follow all those of the store's own database: docs/formats/keys.md.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"

namespace partita::table {

inline constexpr size_t kMaxNamespaceBytes = 64;

// The prefixes of a database's keys, its topics, and the keys of its snapshots (snapshots.h). The first two are empty
// for the store's own database.
std::string rows_of_namespace(std::string_view name);
std::string topics_of_namespace(std::string_view name);
std::string aside_of_namespace(std::string_view name);
// A key of a row without the first of these. Those of snapshots stay as they are.
std::string_view key_in_database(std::string_view key);
// The first key behind the store's own database, and whether a topic is not one of its own.
inline constexpr std::string_view kBesideDatabase = "\xff\xff\xff\xff";
bool is_topic_beside(std::string_view topic);
// The snapshots of all databases; the last range of the key space.
storage::Range all_aside();

// Letters, digits, '_', '-' and '.', 1 to kMaxNamespaceBytes of them.
bool is_namespace_name(std::string_view name);

// Precondition of all: is_namespace_name(name).

// The engine to open the database on. The store outlives it.
std::unique_ptr<storage::Engine> namespace_of(storage::Engine& store, std::string_view name);
// Whether it has any rows.
Task<Result<bool>> namespace_exists(storage::Engine& store, std::string name);
// Erases it and its snapshots, in several transactions. It must not be in use. Its attribute lists stay readable in all
// namespaces.
Task<Result<void>> drop_namespace(storage::Engine& store, std::string name);

// Names of the databases with snapshots, in byte order.
Task<Result<std::vector<std::string>>> namespaces_with_aside(storage::Engine& store);

// Names of namespaces with rows, after `after`, in byte order: at most `most`.
Task<Result<std::vector<std::string>>> namespaces(storage::Engine& store, std::string after, size_t most);

}  // namespace partita::table
