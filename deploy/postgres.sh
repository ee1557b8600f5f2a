#!/usr/bin/env bash
# Starts one of two PostgreSQL servers, a primary and its synchronous standby. The role is determined at the start. Two
# primaries would both take writes, so the script never guesses: without its peer, a server neither creates a new
# database nor continues as primary, unless POSTGRES_ALONE names it.
#
# Failover is the administrator's decision too. Stop the primary for good, then run on the standby, as postgres:
#   pg_ctl promote
#   psql -c "ALTER SYSTEM SET synchronous_standby_names = ''" -c "SELECT pg_reload_conf()"
# Without the second command, no write is acknowledged until there is a standby again. Once the other server is the
# standby, undo it with ALTER SYSTEM RESET.
#
#   POSTGRES_NAME      this server's host name
#   POSTGRES_PEER      the peer's host name
#   POSTGRES_ALONE     the host name of the server that may start or continue without its peer. Set it for the very first
#                      start and when the peer is lost for good; remove it afterwards
#   POSTGRES_PASSWORD  of the roles `partita`, `replicator` and `postgres`
#   PGDATA, PGPORT     as for PostgreSQL; PGDATA is a separate directory on persistent storage
set -euo pipefail
export PGPASSWORD="$POSTGRES_PASSWORD" PGCONNECT_TIMEOUT=3
port="${PGPORT:-5432}"
made="$PGDATA.new" # Renamed once it is complete, so an interrupted start begins again.

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

# Single-user mode: no other connection is possible, and no commit waits for a standby that does not exist yet.
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
  # Here and not on the command line, so that ALTER SYSTEM can override it.
  echo "synchronous_standby_names = 'standby'" >>"$made/postgresql.conf"
  mv "$made" "$PGDATA"
}

peer="$(role_of "$POSTGRES_PEER")"
alone=no
[[ "${POSTGRES_ALONE:-}" != "$POSTGRES_NAME" ]] || alone=yes
if [[ -s "$PGDATA/PG_VERSION" && -e "$PGDATA/standby.signal" ]]; then
  true # It remains a standby until it is promoted.
elif [[ -s "$PGDATA/PG_VERSION" && "$peer" == primary ]]; then
  # It was the primary, and its peer was promoted since: its newest writes may never have been acknowledged.
  echo "$POSTGRES_PEER is the primary: remove the data here to make this server its standby." >&2
  exit 1
elif [[ -s "$PGDATA/PG_VERSION" ]]; then
  # The peer may have been promoted meanwhile. Without it no write would be acknowledged anyway.
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
