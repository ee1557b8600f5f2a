#!/usr/bin/env bash
# fetch.sh NAME VERSION PACKAGE PACKAGE_VERSION SHA256 prints the folder of the source NAME that a Debian package is built
# from, fetched once for all builds of this user. It lies in the pool of the mirror that this machine has its packages
# from, beside the package. Fails, and says why, when it cannot be had.
set -euo pipefail

readonly NAME="$1" VERSION="$2" PACKAGE="$3" PACKAGE_VERSION="$4" SHA256="$5"
readonly APT_HELPER=/usr/lib/apt/apt-helper
readonly SOON=(-o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 -o Acquire::Retries=1 -o APT::Sandbox::User=)

fail() {
  echo "$*" >&2
  exit 1
}

[[ -n "${XDG_CACHE_HOME:-}${HOME:-}" ]] || fail "HOME is not set"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/partita"
readonly tree="$cache/$NAME-$VERSION"
if [[ ! -d "$tree" ]]; then
  command -v apt-get >/dev/null && [[ -x "$APT_HELPER" ]] || fail "there is no apt to fetch its source with"
  { mkdir -p "$cache" && work="$(mktemp -d "$cache/fetch.XXXXXX")"; } 2>/dev/null || fail "$cache cannot be written"
  trap 'rm -rf "$work"' EXIT

  lists=()
  binary_uri() { apt-get "${lists[@]}" --print-uris download "$PACKAGE=$PACKAGE_VERSION" 2>/dev/null | cut -d"'" -f2; }
  uri="$(binary_uri)" || {
    # No package index here, or an old one: one of our own needs no root.
    mkdir -p "$work/lists/partial" "$work/archives/partial"
    lists=("${SOON[@]}" -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work")
    apt-get "${lists[@]}" update >/dev/null 2>&1 || true
    uri="$(binary_uri)" || fail "no mirror of this machine has $PACKAGE $PACKAGE_VERSION"
  }
  archive="${NAME}_$VERSION.orig.tar.gz"
  said="$("$APT_HELPER" "${SOON[@]}" download-file "${uri%/*}/$archive" "$work/$archive" "SHA256:$SHA256" 2>&1)" ||
    fail "$archive could not be fetched: $(grep -m 1 -o '^  .*' <<<"$said" | sed 's/^ *//')"
  mkdir "$work/source"
  tar -xzf "$work/$archive" -C "$work/source" --strip-components=1 || fail "$archive cannot be unpacked"
  mv -T "$work/source" "$tree" 2>/dev/null || [[ -d "$tree" ]] || fail "$tree cannot be made"
fi
echo "$tree"
