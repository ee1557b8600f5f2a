"""PutItem, GetItem and Query on a store in PostgreSQL beside the same database driven directly by pgbench.

    bench/postgres.py [--rounds N] [--seconds S] [--build DIR]

Both have 64 connections, as many items of the same sizes, prepared statements and a PostgreSQL that flushes each
commit; they take turns. Database, server and client share all cores of the machine. Needs postgresql-15 and a built
`partita` and `load`. Prints a table for docs/engines/postgres.md.
"""

import re
import subprocess
import sys

import beside
import servers
import workload

sys.path.insert(0, str(servers.ROOT / "tests" / "support"))  # before this file, which has the same name
from postgres import programs, running_postgres  # noqa: E402

CONNECTIONS = 64
ITEM_BYTES, LINE_BYTES = 300, 1024
LINES = workload.COLLECTIONS * workload.COLLECTION_ITEMS

TABLES = f"""
CREATE TABLE direct (p bytea PRIMARY KEY, ver bigint NOT NULL, v bytea NOT NULL) WITH (fillfactor = 85);
CREATE TABLE lines (LIKE direct INCLUDING ALL);
ALTER TABLE direct ALTER v SET STORAGE EXTERNAL;
ALTER TABLE lines ALTER v SET STORAGE EXTERNAL;
INSERT INTO direct SELECT int4send(n), 0, decode(repeat(md5(n::text), 20), 'hex')
  FROM generate_series(0, {workload.ITEMS - 1}) AS n;
UPDATE direct SET v = substr(v, 1, {ITEM_BYTES});
INSERT INTO lines SELECT int4send(n), 0, substr(decode(repeat(md5(n::text), 70), 'hex'), 1, {LINE_BYTES})
  FROM generate_series(0, {LINES - 1}) AS n;
VACUUM ANALYZE;
"""

PUT = f"""\\set n random(0, {workload.ITEMS - 1})
INSERT INTO direct VALUES (int4send(:n), :n, '\\x{"61" * ITEM_BYTES}')
  ON CONFLICT (p) DO UPDATE SET ver = excluded.ver, v = excluded.v;
"""
GET = f"""\\set n random(0, {workload.ITEMS - 1})
SELECT ver, v FROM direct WHERE p = int4send(:n);
"""
QUERY = f"""\\set n random(0, {workload.COLLECTIONS - 1})
SELECT p, ver, v FROM lines WHERE p >= int4send(:n * {workload.COLLECTION_ITEMS})
  AND p < int4send((:n + 1) * {workload.COLLECTION_ITEMS}) ORDER BY p;
"""
DIRECTLY = {
    "PutItem": ("an upsert of one row", PUT),
    "GetItem": ("a select of one row", GET),
    "Query": (f"a select of {workload.COLLECTION_ITEMS} rows", QUERY),
}


def pgbench(postgres, script, seconds):
    """Transactions a second."""
    command = [programs() / "pgbench", "-n", "-M", "prepared", "-c", str(CONNECTIONS), "-T", str(seconds)]
    ran = subprocess.run([*command, "-f", script, postgres.url], capture_output=True, text=True, check=True)
    return float(re.search(r"tps = ([0-9.]+)", ran.stdout).group(1))


def main():
    arguments = beside.parser(__doc__).parse_args()
    with running_postgres(durable=True) as postgres:
        subprocess.run([programs() / "psql", "-q", "-d", postgres.url], input=TABLES, text=True, check=True)

        def directly(what, sql):
            script = postgres.directory / f"{what}.sql"
            script.write_text(sql)
            return lambda: pgbench(postgres, script, arguments.seconds)

        measured = {what: directly(what, sql) for what, (_, sql) in DIRECTLY.items()}
        found = beside.measure(arguments, postgres.url, CONNECTIONS, measured)
    print(beside.table(found, {what: instead for what, (instead, _) in DIRECTLY.items()}))


if __name__ == "__main__":
    main()
