// The tables and functions of a store, as SQL. The functions do in one round trip what has to be done in one.
#pragma once

namespace partita::postgres {

// Values are stored as they come: they are compressed already or small. Rows keep room beside them, so that a new
// version finds it on the same page and leaves the index alone.
inline constexpr char kTablesSql[] = R"sql(
CREATE TABLE IF NOT EXISTS partita_meta (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  format int NOT NULL,
  revision int NOT NULL,
  floor bigint NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS partita_kv (
  p bytea NOT NULL,
  d bytea NOT NULL,
  r bytea NOT NULL,
  ver bigint NOT NULL,
  v bytea NOT NULL,
  PRIMARY KEY (p, d)) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE partita_kv ALTER v SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS partita_topic (
  t bytea PRIMARY KEY,
  last bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS partita_log (
  t bytea NOT NULL,
  n bigint NOT NULL,
  entry bytea NOT NULL,
  PRIMARY KEY (t, n));
ALTER TABLE partita_log ALTER entry SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS partita_mark (
  slot bytea PRIMARY KEY,
  seq bigint NOT NULL DEFAULT 0,
  fenced boolean NOT NULL DEFAULT false,
  at timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 30);
)sql";

// One commit. Rows come sorted by key, so that two commits never wait for each other in a ring. What is only compared
// is locked without waiting, for the same reason. `want`: how many rows have to be as assumed: updated, deleted,
// shared, inserted or held, and blindly put.
inline constexpr char kCommitSql[] = R"sql(
CREATE OR REPLACE FUNCTION partita_append(ts bytea[], ns bigint[], es int[], os bigint[], vs bytea[])
RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  n bigint;
BEGIN
  INSERT INTO partita_topic (t, last)
    SELECT a.t, (SELECT floor FROM partita_meta) FROM unnest(ts) WITH ORDINALITY AS a(t, i)
    WHERE NOT EXISTS (SELECT 1 FROM partita_topic o WHERE o.t = a.t) ORDER BY a.i ON CONFLICT DO NOTHING;
  UPDATE partita_topic o SET last = o.last + a.n FROM unnest(ts, ns) AS a(t, n) WHERE o.t = a.t;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n <> cardinality(ts) THEN RETURN false; END IF;
  INSERT INTO partita_log (t, n, entry)
    SELECT o.t, o.last - ns[a.e] + a.o, a.v FROM unnest(es, os, vs) AS a(e, o, v)
    JOIN partita_topic o ON o.t = ts[a.e];
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION partita_commit(slot_ bytea, seq_ bigint, kinds int, want bigint[], ps bytea[], rs bytea[],
  ks int[], olds bigint[], vers bigint[], vs bytea[], ts bytea[], ns bigint[], es int[], os bigint[], ents bytea[])
RETURNS int LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  ds bytea[] := rs;
  n bigint := 0;
  blind bigint := 0;
  erased bigint[] := '{}';
BEGIN
  IF kinds & 1024 <> 0 THEN
    ds := ARRAY(SELECT CASE WHEN a.r = ''::bytea THEN a.r ELSE sha256(a.r) END
                FROM unnest(rs) WITH ORDINALITY AS a(r, i) ORDER BY a.i);
  END IF;
  UPDATE partita_mark SET seq = seq + 1, at = now() WHERE slot = slot_ AND seq = seq_ AND NOT fenced;
  IF NOT FOUND THEN RAISE SQLSTATE 'PT002'; END IF;
  IF kinds & 4 <> 0 THEN
    PERFORM 1 FROM unnest(ps, ds, ks, olds) AS a(p, d, k, old)
      JOIN partita_kv kv ON kv.p = a.p AND kv.d = a.d AND kv.ver = a.old WHERE a.k = 4 FOR SHARE OF kv NOWAIT;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n <> want[3] THEN RAISE SQLSTATE 'PT001'; END IF;
  END IF;
  IF kinds & 33 <> 0 AND kinds & 66 <> 0 THEN
    PERFORM 1 FROM unnest(ps, ds, ks) WITH ORDINALITY AS a(p, d, k, i)
      JOIN partita_kv kv ON kv.p = a.p AND kv.d = a.d WHERE a.k & 99 <> 0 ORDER BY a.i FOR UPDATE OF kv;
  END IF;
  IF kinds & 33 <> 0 THEN
    WITH done AS (
      UPDATE partita_kv kv SET ver = a.ver, v = a.v
      FROM unnest(ps, ds, ks, olds, vers, vs) AS a(p, d, k, old, ver, v)
      WHERE a.k & 33 <> 0 AND kv.p = a.p AND kv.d = a.d AND (a.k = 32 OR kv.ver = a.old) RETURNING a.k)
    SELECT count(*) FILTER (WHERE k = 1), count(*) FILTER (WHERE k = 32) INTO n, blind FROM done;
    IF n <> want[1] THEN RAISE SQLSTATE 'PT001'; END IF;
  END IF;
  IF kinds & 66 <> 0 THEN
    WITH done AS (
      DELETE FROM partita_kv kv USING unnest(ps, ds, ks, olds) WITH ORDINALITY AS a(p, d, k, old, i)
      WHERE a.k & 66 <> 0 AND kv.p = a.p AND kv.d = a.d AND (a.k = 64 OR kv.ver = a.old) RETURNING a.k, a.i)
    SELECT count(*) FILTER (WHERE k = 2), coalesce(array_agg(i) FILTER (WHERE k = 64), '{}') INTO n, erased FROM done;
    IF n <> want[2] THEN RAISE SQLSTATE 'PT001'; END IF;
  END IF;
  IF kinds & 24 <> 0 OR blind < want[5] OR cardinality(erased) < want[6] THEN
    INSERT INTO partita_kv (p, d, r, ver, v)
      SELECT a.p, a.d, a.r, a.ver, coalesce(a.v, ''::bytea)
      FROM unnest(ps, ds, rs, ks, vers, vs) WITH ORDINALITY AS a(p, d, r, k, ver, v, i)
      WHERE a.k & 24 <> 0
        OR (a.k = 32 AND NOT EXISTS (SELECT 1 FROM partita_kv kv WHERE kv.p = a.p AND kv.d = a.d))
        OR (a.k = 64 AND a.i <> ALL (erased))
      ORDER BY a.i ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n <> want[4] + want[5] - blind + want[6] - cardinality(erased) THEN RAISE SQLSTATE 'PT001'; END IF;
  END IF;
  IF kinds & 80 <> 0 THEN
    DELETE FROM partita_kv kv USING unnest(ps, ds, ks) AS a(p, d, k) WHERE a.k & 80 <> 0 AND kv.p = a.p AND kv.d = a.d;
  END IF;
  IF cardinality(ts) > 0 AND NOT partita_append(ts, ns, es, os, ents) THEN RAISE SQLSTATE 'PT001'; END IF;
  RETURN 0;
EXCEPTION
  WHEN SQLSTATE 'PT002' THEN RETURN 2;
  WHEN SQLSTATE 'PT001' OR lock_not_available OR deadlock_detected OR serialization_failure THEN RETURN 1;
END $$;
)sql";

// Both ends of a range are a head and a tail. Rows of one head are in the order of their tails only when they are
// sorted, which only long keys are.
inline constexpr char kRangesSql[] = R"sql(
CREATE OR REPLACE FUNCTION partita_tails(head bytea, lo bytea, lor bytea, hi bytea, hir bytea, descending boolean)
RETURNS SETOF partita_kv LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  IF descending THEN
    RETURN QUERY SELECT * FROM partita_kv kv WHERE kv.p = head AND kv.d <> ''::bytea
      AND (kv.p > lo OR kv.r >= lor) AND (kv.p < hi OR kv.r < hir) ORDER BY kv.r DESC;
  ELSE
    RETURN QUERY SELECT * FROM partita_kv kv WHERE kv.p = head AND kv.d <> ''::bytea
      AND (kv.p > lo OR kv.r >= lor) AND (kv.p < hi OR kv.r < hir) ORDER BY kv.r;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION partita_scan(lo bytea, lor bytea, hi bytea, hir bytea, descending boolean, most bigint,
  most_bytes bigint)
RETURNS TABLE (kp bytea, kr bytea, kver bigint, kv bytea) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  rows refcursor;
  x partita_kv;
  y partita_kv;
  head bytea;  -- whose long keys were returned
  n bigint := 0;
  bytes bigint := 0;
BEGIN
  IF descending THEN
    OPEN rows NO SCROLL FOR SELECT * FROM partita_kv k WHERE k.p >= lo AND k.p <= hi
      AND (k.p > lo OR k.r >= lor) AND (k.p < hi OR k.r < hir) ORDER BY k.p DESC, k.d DESC;
  ELSE
    OPEN rows NO SCROLL FOR SELECT * FROM partita_kv k WHERE k.p >= lo AND k.p <= hi
      AND (k.p > lo OR k.r >= lor) AND (k.p < hi OR k.r < hir) ORDER BY k.p, k.d;
  END IF;
  LOOP
    FETCH rows INTO x;
    EXIT WHEN NOT FOUND;
    IF x.d = ''::bytea THEN
      IF n >= most OR (n > 0 AND bytes >= most_bytes) THEN
        kp := NULL; kr := NULL; kver := NULL; kv := NULL;
        RETURN NEXT;
        RETURN;
      END IF;
      n := n + 1;
      bytes := bytes + octet_length(x.p) + octet_length(x.v);
      kp := x.p; kr := x.r; kver := x.ver; kv := x.v;
      RETURN NEXT;
    ELSIF head IS DISTINCT FROM x.p THEN
      head := x.p;
      FOR y IN SELECT * FROM partita_tails(head, lo, lor, hi, hir, descending) LOOP
        IF n >= most OR (n > 0 AND bytes >= most_bytes) THEN
          kp := NULL; kr := NULL; kver := NULL; kv := NULL;
          RETURN NEXT;
          RETURN;
        END IF;
        n := n + 1;
        bytes := bytes + octet_length(y.p) + octet_length(y.r) + octet_length(y.v);
        kp := y.p; kr := y.r; kver := y.ver; kv := y.v;
        RETURN NEXT;
      END LOOP;
    END IF;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION partita_erase(lo bytea, lor bytea, hi bytea, hir bytea, most bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  n bigint;
BEGIN
  WITH gone AS (
    SELECT k.p, k.d FROM partita_kv k WHERE k.p >= lo AND k.p <= hi
      AND (k.p > lo OR k.r >= lor) AND (k.p < hi OR k.r < hir) ORDER BY k.p, k.d LIMIT most FOR UPDATE)
  DELETE FROM partita_kv kv USING gone WHERE kv.p = gone.p AND kv.d = gone.d;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

CREATE OR REPLACE FUNCTION partita_size(lo bytea, lor bytea, hi bytea, hir bytea)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  n bigint;
  bytes bigint;
  plan json;
BEGIN
  SELECT count(*), coalesce(sum(octet_length(s.p) + octet_length(s.r) + octet_length(s.v) + 60), 0) INTO n, bytes
    FROM (SELECT k.p, k.r, k.v FROM partita_kv k WHERE k.p >= lo AND k.p <= hi
          AND (k.p > lo OR k.r >= lor) AND (k.p < hi OR k.r < hir) ORDER BY k.p, k.d LIMIT 2000) s;
  IF n < 2000 THEN RETURN bytes; END IF;
  EXECUTE format('EXPLAIN (FORMAT JSON) SELECT 1 FROM partita_kv WHERE p >= %L::bytea AND p <= %L::bytea', lo, hi)
    INTO plan;
  RETURN bytes / n * greatest((plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint, n);
END $$;
)sql";

inline constexpr char kLogSql[] = R"sql(
CREATE OR REPLACE FUNCTION partita_read_log(topic bytea, behind bigint, most bigint, most_bytes bigint)
RETURNS TABLE (en bigint, ee bytea) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  n bigint := 0;
  bytes bigint := 0;
BEGIN
  FOR en, ee IN SELECT l.n, l.entry FROM partita_log l WHERE l.t = topic AND l.n > behind ORDER BY l.n LIMIT most LOOP
    EXIT WHEN n > 0 AND bytes >= most_bytes;
    n := n + 1;
    bytes := bytes + octet_length(ee);
    RETURN NEXT;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION partita_forget(topic bytea)
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  newest bigint;
BEGIN
  DELETE FROM partita_topic WHERE t = topic RETURNING last INTO newest;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE partita_meta SET floor = greatest(floor, newest);
  DELETE FROM partita_log WHERE t = topic;
END $$;
)sql";

}  // namespace partita::postgres
