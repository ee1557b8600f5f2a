// Databases beside the one that a store is for: each is all that a database is, under a name, and none sees another.
// Their keys and topics lie behind all that the store's own database may ever hold: docs/formats/keys.md.
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

// Where they are: what keys begin with, and topics, and the keys of what is kept beside a database (snapshots.h). The
// first two are empty of the store's own database, whose name is empty.
std::string rows_of_namespace(std::string_view name);
std::string topics_of_namespace(std::string_view name);
std::string aside_of_namespace(std::string_view name);
// The first key that is not of the store's own database, and whether a topic is none of its.
inline constexpr std::string_view kBesideDatabase = "\xff\xff\xff\xff";
bool is_topic_beside(std::string_view topic);
// What is kept beside all databases; no key is behind it.
storage::Range all_aside();

// Letters, digits, '_', '-' and '.', 1 to kMaxNamespaceBytes of them.
bool is_namespace_name(std::string_view name);

// Precondition of all: is_namespace_name(name).

// What a database is opened on. The store outlives it.
std::unique_ptr<storage::Engine> namespace_of(storage::Engine& store, std::string_view name);
// Whether it holds anything.
Task<Result<bool>> namespace_exists(storage::Engine& store, std::string name);
// Erases it and its snapshots, not atomically with anything: nobody has it open, nor opens it meanwhile.
Task<Result<void>> drop_namespace(storage::Engine& store, std::string name);

// Names of those beside which anything is kept, in byte order; that of the store's own database is empty.
Task<Result<std::vector<std::string>>> namespaces_with_aside(storage::Engine& store);

// Names of those that hold anything, behind `after`, in byte order: at most `most`.
Task<Result<std::vector<std::string>>> namespaces(storage::Engine& store, std::string after, size_t most);

}  // namespace partita::table
