#!/usr/bin/env bash
# One of two PostgreSQL servers that copy each other: the primary, and a synchronous standby of it. Which one it is, is
# found out at the start. Failing over is somebody's decision: end the primary for good, then on the standby
#   pg_ctl promote
#   psql -c "ALTER SYSTEM SET synchronous_standby_names = ''" -c "SELECT pg_reload_conf()"
# since until there is a standby again nothing would be acknowledged. Once the other follows, ALTER SYSTEM RESET it.
#
#   POSTGRES_NAME      its own host name
#   POSTGRES_PEER      the other's
#   POSTGRES_FIRST     the host name of the one that begins, when neither has data
#   POSTGRES_PASSWORD  of the roles `partita` and `replicator`
#   PGDATA, PGPORT     as PostgreSQL knows them
set -euo pipefail
export PGPASSWORD="$POSTGRES_PASSWORD" PGCONNECT_TIMEOUT=3
port="${PGPORT:-5432}"

# Prints "primary" or "standby", or nothing when it does not answer.
role_of() {
  psql -h "$1" -p "${POSTGRES_PEER_PORT:-$port}" -U replicator -d postgres -AtXc \
    "SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'primary' END" 2>/dev/null || true
}

follow() {
  pg_basebackup -D "$PGDATA" -h "$POSTGRES_PEER" -p "${POSTGRES_PEER_PORT:-$port}" -U replicator -X stream -c fast
  printf '%s\n' "primary_conninfo = 'host=$POSTGRES_PEER port=${POSTGRES_PEER_PORT:-$port} user=replicator password=$POSTGRES_PASSWORD application_name=standby'" \
    >>"$PGDATA/postgresql.auto.conf"
  touch "$PGDATA/standby.signal"
}

begin() {
  initdb -U partita -A scram-sha-256 -E UTF8 --locale=C --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") -D "$PGDATA" >/dev/null
  {
    echo "host replication replicator all scram-sha-256"
    echo "host all all all scram-sha-256"
  } >>"$PGDATA/pg_hba.conf"
  # As a single user nobody else can come, and nobody waits for a standby that is not there yet.
  postgres --single -D "$PGDATA" postgres >/dev/null <<SQL
CREATE ROLE replicator REPLICATION LOGIN PASSWORD '$POSTGRES_PASSWORD'
SQL
  postgres --single -D "$PGDATA" postgres >/dev/null <<SQL
CREATE DATABASE partita OWNER partita
SQL
  # Here, and not on the command line, so that ALTER SYSTEM has the last word.
  echo "synchronous_standby_names = 'standby'" >>"$PGDATA/postgresql.conf"
}

if [[ -s "$PGDATA/PG_VERSION" ]]; then
  # It was the primary, and the other was promoted since: what it has may never have been acknowledged.
  if [[ ! -e "$PGDATA/standby.signal" && "$(role_of "$POSTGRES_PEER")" == primary ]]; then
    echo "$POSTGRES_PEER is the primary: remove the data here, and this becomes its standby." >&2
    exit 1
  fi
elif [[ -n "$(role_of "$POSTGRES_PEER")" ]]; then
  follow
elif [[ "$POSTGRES_NAME" == "$POSTGRES_FIRST" ]]; then
  begin
else
  echo "Waiting for $POSTGRES_PEER." >&2
  sleep 2
  exit 1
fi
chmod 700 "$PGDATA"
exec postgres -D "$PGDATA" -c "listen_addresses=${POSTGRES_LISTEN:-*}" -c "port=$port" \
  -c wal_retrieve_retry_interval=500ms -c max_connections=100 "$@"
