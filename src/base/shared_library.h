// Names of shared libraries that are loaded on first use.
#pragma once

// PARTITA_SHARED_LIBRARY("libpq", "5"): the file name that dlopen() finds, "libpq.so.5" or, on macOS, "libpq.5.dylib".
// PARTITA_UNVERSIONED_LIBRARY("libfdb_c") is for libraries without a version in their name.
#if defined(__APPLE__)
#define PARTITA_SHARED_LIBRARY(name, version) name "." version ".dylib"
#define PARTITA_UNVERSIONED_LIBRARY(name) name ".dylib"
#else
#define PARTITA_SHARED_LIBRARY(name, version) name ".so." version
#define PARTITA_UNVERSIONED_LIBRARY(name) name ".so"
#endif
