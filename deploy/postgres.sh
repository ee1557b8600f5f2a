#!/usr/bin/env bash
# One of two PostgreSQL servers that copy each other: the primary, and a synchronous standby of it. Which one it is, is
# found out at the start; what is not certain is for somebody to decide, since two primaries would both take writes:
# without the other it neither makes a new database nor goes on as the primary that it was, unless POSTGRES_ALONE names it.
#
# Failing over is somebody's decision too: end the primary for good, then on the standby, as postgres,
#   pg_ctl promote
#   psql -c "ALTER SYSTEM SET synchronous_standby_names = ''" -c "SELECT pg_reload_conf()"
# since until there is a standby again nothing would be acknowledged. Once the other follows, ALTER SYSTEM RESET it.
#
#   POSTGRES_NAME      its own host name
#   POSTGRES_PEER      the other's
#   POSTGRES_ALONE     the host name of the one that may begin, or go on, without the other. For the very first start, and
#                      when the other is gone for good; not to be left there
#   POSTGRES_PASSWORD  of the roles `partita`, `replicator` and `postgres`
#   PGDATA, PGPORT     as PostgreSQL knows them; PGDATA is a directory of its own in a place that stays
set -euo pipefail
export PGPASSWORD="$POSTGRES_PASSWORD" PGCONNECT_TIMEOUT=3
port="${PGPORT:-5432}"
made="$PGDATA.new" # and renamed once it is whole: who is killed while it is made begins again

# Prints "primary" or "standby", or nothing when it does not answer.
role_of() {
  psql -h "$1" -p "${POSTGRES_PEER_PORT:-$port}" -U replicator -d postgres -AtXc \
    "SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'primary' END" 2>/dev/null || true
}

wait_for_peer() {
  echo "$1" >&2
  sleep 2
  exit 1
}

# The password comes from PGPASSWORD, in the standby too.
follow() {
  rm -rf "$made"
  pg_basebackup -D "$made" -h "$POSTGRES_PEER" -p "${POSTGRES_PEER_PORT:-$port}" -U replicator -X stream -c fast
  printf '%s\n' "primary_conninfo = 'host=$POSTGRES_PEER port=${POSTGRES_PEER_PORT:-$port} user=replicator application_name=standby'" \
    >>"$made/postgresql.auto.conf"
  touch "$made/standby.signal"
  mv "$made" "$PGDATA"
}

# As a single user nobody else can come, and nobody waits for a standby that is not there yet.
run_alone() { postgres --single -j -D "$made" "$1" >/dev/null; }

begin() {
  rm -rf "$made"
  initdb -U postgres -A scram-sha-256 -E UTF8 --locale=C --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") -D "$made" >/dev/null
  {
    echo "host replication replicator all scram-sha-256"
    echo "host all all all scram-sha-256"
  } >>"$made/pg_hba.conf"
  local quoted="'${POSTGRES_PASSWORD//\'/\'\'}'"
  run_alone postgres <<<"CREATE ROLE replicator REPLICATION LOGIN PASSWORD $quoted;

CREATE ROLE partita LOGIN PASSWORD $quoted;

CREATE DATABASE partita OWNER partita;
"
  # Here, and not on the command line, so that ALTER SYSTEM has the last word.
  echo "synchronous_standby_names = 'standby'" >>"$made/postgresql.conf"
  mv "$made" "$PGDATA"
}

peer="$(role_of "$POSTGRES_PEER")"
alone=no
[[ "${POSTGRES_ALONE:-}" != "$POSTGRES_NAME" ]] || alone=yes
if [[ -s "$PGDATA/PG_VERSION" && -e "$PGDATA/standby.signal" ]]; then
  true # It stays one until somebody promotes it.
elif [[ -s "$PGDATA/PG_VERSION" && "$peer" == primary ]]; then
  # It was the primary, and the other was promoted since: what it has may never have been acknowledged.
  echo "$POSTGRES_PEER is the primary: remove the data here, and this becomes its standby." >&2
  exit 1
elif [[ -s "$PGDATA/PG_VERSION" ]]; then
  # The other may have been promoted meanwhile. Without it nothing would be acknowledged anyway.
  [[ "$peer" == standby || "$alone" == yes ]] || wait_for_peer "Waiting for $POSTGRES_PEER, which may be the primary now."
elif [[ "$peer" == primary ]]; then
  follow
elif [[ -z "$peer" && "$alone" == yes ]]; then
  begin
else
  wait_for_peer "Waiting for $POSTGRES_PEER to be the primary."
fi
chmod 700 "$PGDATA"
exec postgres -D "$PGDATA" -c "listen_addresses=${POSTGRES_LISTEN:-*}" -c "port=$port" \
  -c wal_retrieve_retry_interval=500ms -c max_connections=100 "$@"
