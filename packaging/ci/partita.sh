#!/bin/sh
# Installs Partita from a release and starts it, for a job of continuous integration. Prints what later steps need, each
# line NAME=VALUE, among them AWS_ENDPOINT_URL_DYNAMODB. Credentials that are set stay. It reads:
#
#   PARTITA_FROM      the URL of the folder with the release's files
#   PARTITA_VERSION   such as 0.1.0
#   PARTITA_SHA256    of the archive (default: what SHA256SUMS in that folder says)
#   PARTITA_OPTIONS   of `partita serve`, separated by blanks (default: --in-memory)
#   PARTITA_PORT      (default: 8000; 0 takes a free one)
set -euf

die() {
  printf 'partita.sh: %s\n' "$*" >&2
  exit 1
}
fetch() { curl -fsSL --retry 3 -o "$folder/$1" "$from/$1" || die "$from/$1 could not be fetched."; }
said() { printf '%s=%s\n' "$1" "$2"; }

[ -n "${PARTITA_VERSION:-}" ] || die "PARTITA_VERSION is not set."
[ -n "${PARTITA_FROM:-}" ] || die "PARTITA_FROM is not set: it names the folder with the release's files."
from="${PARTITA_FROM%/}"
# What is printed has one value a line, and later steps take it over.
for value in "${AWS_REGION:-}" "${RUNNER_TEMP:-}" "${TMPDIR:-}"; do
  [ "$(printf %s "$value" | tr -d '[:cntrl:]')" = "$value" ] || die "AWS_REGION, RUNNER_TEMP or TMPDIR has a line break."
done
command -v curl >/dev/null || die "curl is missing."
[ "$(uname -s)" = Linux ] || die "Partita runs on Linux alone. On other systems, use its container image."
case "$(uname -m)" in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) die "there is no Partita for $(uname -m)." ;;
esac

folder="$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/partita-XXXXXX")"
archive="partita-$PARTITA_VERSION-linux-$architecture.tar.gz"
fetch "$archive"
sum="${PARTITA_SHA256:-}"
if [ -z "$sum" ]; then
  fetch SHA256SUMS
  sum="$(awk -v name="$archive" '$2 == name { print $1 }' "$folder/SHA256SUMS")"
  [ -n "$sum" ] || die "SHA256SUMS has no line for $archive."
fi
[ "$(sha256sum "$folder/$archive" | cut -d ' ' -f 1)" = "$sum" ] || die "$archive is not what its SHA-256 says: $sum."
tar -xzf "$folder/$archive" -C "$folder" || die "$archive could not be unpacked."

program="$folder/partita-$PARTITA_VERSION/partita"
log="$folder/log"
: >"$folder/ready"
# shellcheck disable=SC2086 # several options
nohup "$program" serve --listen "127.0.0.1:${PARTITA_PORT:-8000}" ${PARTITA_OPTIONS---in-memory} \
  </dev/null >"$folder/ready" 2>"$log" &
server=$!
left=300
until endpoint="$(sed -n 's/.* is serving DynamoDB on \([^ ,]*\).*/\1/p' "$folder/ready")" && [ -n "$endpoint" ]; do
  kill -0 "$server" 2>/dev/null || die "the server ended: $(cat "$log")"
  left=$((left - 1))
  if [ "$left" = 0 ]; then
    kill "$server"
    die "the server is not ready after 30 s: $(cat "$log")"
  fi
  sleep 0.1
done

said PARTITA_ENDPOINT "$endpoint"
said PARTITA_PROGRAM "$program"
said PARTITA_PID "$server"
said PARTITA_LOG "$log"
said AWS_ENDPOINT_URL_DYNAMODB "$endpoint"
said AWS_ENDPOINT_URL_DYNAMODB_STREAMS "$endpoint"
if [ -z "${AWS_ACCESS_KEY_ID:-}" ]; then
  said AWS_ACCESS_KEY_ID local
  said AWS_SECRET_ACCESS_KEY local
fi
[ -n "${AWS_REGION:-}" ] || said AWS_REGION us-east-1
[ -n "${AWS_DEFAULT_REGION:-}" ] || said AWS_DEFAULT_REGION "${AWS_REGION:-us-east-1}"
