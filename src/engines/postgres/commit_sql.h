// The function that commits, as SQL: all of it in one round trip, or nothing.
#pragma once

namespace partita::postgres {

// One commit. Rows come sorted by key, so that two commits never wait for each other in a ring. What is only compared
// is locked behind all rows, without waiting, for the same reason. `want`: how many rows have to be as assumed:
// updated, deleted, shared, inserted or held, and blindly put.
//
// Rows that many commits compare are locked in share mode without a gap, and a commit that changes one would wait for
// ever: those who share do not queue behind. They do at the advisory lock, which a commit that had to wait long takes
// for itself.
//
// Arrays are joined by BETWEEN: an equality would let the planner walk the whole index instead and look each row up in
// the array, which it prefers while the table is thought to be tiny.
inline constexpr char kCommitSql[] = R"sql(
CREATE OR REPLACE FUNCTION partita_append(ts bytea[], ns bigint[], es int[], os bigint[], vs bytea[])
RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  n bigint;
  base bigint;
BEGIN
  SELECT count(*) INTO n FROM unnest(ts) AS a(t) JOIN partita_topic o ON o.t BETWEEN a.t AND a.t;
  IF n < cardinality(ts) THEN
    -- Who forgets a topic raises the floor under this lock.
    SELECT floor INTO base FROM partita_meta FOR SHARE;
    INSERT INTO partita_topic (t, last)
      SELECT a.t, base FROM unnest(ts) WITH ORDINALITY AS a(t, i) ORDER BY a.i ON CONFLICT DO NOTHING;
  END IF;
  UPDATE partita_topic o SET last = o.last + a.n FROM unnest(ts, ns) AS a(t, n) WHERE o.t BETWEEN a.t AND a.t;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n <> cardinality(ts) THEN RETURN false; END IF;
  INSERT INTO partita_log (t, n, entry)
    SELECT o.t, o.last - ns[a.e] + a.o, a.v FROM unnest(es, os, vs) AS a(e, o, v)
    JOIN partita_topic o ON o.t BETWEEN ts[a.e] AND ts[a.e];
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
  IF kinds & 2048 <> 0 THEN
    PERFORM pg_advisory_xact_lock(7237133, hashtext(current_schema()));
  ELSIF kinds & 4 <> 0 THEN
    PERFORM pg_advisory_xact_lock_shared(7237133, hashtext(current_schema()));
  END IF;
  IF kinds & 33 <> 0 AND kinds & 66 <> 0 THEN
    PERFORM 1 FROM unnest(ps, ds, ks) WITH ORDINALITY AS a(p, d, k, i)
      JOIN partita_kv kv ON kv.p BETWEEN a.p AND a.p AND kv.d = a.d
      WHERE a.k & 99 <> 0 ORDER BY a.i FOR UPDATE OF kv;
  END IF;
  IF kinds & 33 <> 0 THEN
    WITH done AS (
      UPDATE partita_kv kv SET ver = a.ver, v = a.v
      FROM unnest(ps, ds, ks, olds, vers, vs) AS a(p, d, k, old, ver, v)
      WHERE a.k & 33 <> 0 AND kv.p BETWEEN a.p AND a.p AND kv.d = a.d AND (a.k = 32 OR kv.ver = a.old)
      RETURNING a.k)
    SELECT count(*) FILTER (WHERE k = 1), count(*) FILTER (WHERE k = 32) INTO n, blind FROM done;
    IF n <> want[1] THEN RAISE SQLSTATE 'PT001'; END IF;
  END IF;
  IF kinds & 66 <> 0 THEN
    WITH done AS (
      DELETE FROM partita_kv kv USING unnest(ps, ds, ks, olds) WITH ORDINALITY AS a(p, d, k, old, i)
      WHERE a.k & 66 <> 0 AND kv.p BETWEEN a.p AND a.p AND kv.d = a.d AND (a.k = 64 OR kv.ver = a.old)
      RETURNING a.k, a.i)
    SELECT count(*) FILTER (WHERE k = 2), coalesce(array_agg(i) FILTER (WHERE k = 64), '{}') INTO n, erased FROM done;
    IF n <> want[2] THEN RAISE SQLSTATE 'PT001'; END IF;
  END IF;
  IF kinds & 24 <> 0 OR blind < want[5] OR cardinality(erased) < want[6] THEN
    INSERT INTO partita_kv (p, d, r, ver, v)
      SELECT a.p, a.d, a.r, a.ver, coalesce(a.v, ''::bytea)
      FROM unnest(ps, ds, rs, ks, vers, vs) WITH ORDINALITY AS a(p, d, r, k, ver, v, i)
      WHERE a.k & 24 <> 0
        OR (a.k = 32 AND NOT EXISTS (SELECT 1 FROM partita_kv kv WHERE kv.p BETWEEN a.p AND a.p AND kv.d = a.d))
        OR (a.k = 64 AND a.i <> ALL (erased))
      ORDER BY a.i ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n <> want[4] + want[5] - blind + want[6] - cardinality(erased) THEN RAISE SQLSTATE 'PT001'; END IF;
  END IF;
  IF kinds & 80 <> 0 THEN
    DELETE FROM partita_kv kv USING unnest(ps, ds, ks) AS a(p, d, k)
      WHERE a.k & 80 <> 0 AND kv.p BETWEEN a.p AND a.p AND kv.d = a.d;
  END IF;
  IF kinds & 4 <> 0 THEN
    PERFORM 1 FROM unnest(ps, ds, ks, olds) AS a(p, d, k, old)
      JOIN partita_kv kv ON kv.p BETWEEN a.p AND a.p AND kv.d = a.d AND kv.ver = a.old
      WHERE a.k = 4 FOR SHARE OF kv NOWAIT;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n <> want[3] THEN RAISE SQLSTATE 'PT001'; END IF;
  END IF;
  IF cardinality(ts) > 0 AND NOT partita_append(ts, ns, es, os, ents) THEN RAISE SQLSTATE 'PT001'; END IF;
  RETURN 0;
EXCEPTION
  WHEN SQLSTATE 'PT002' THEN RETURN 2;
  WHEN SQLSTATE 'PT001' OR lock_not_available OR deadlock_detected OR serialization_failure THEN RETURN 1;
END $$;
)sql";

}  // namespace partita::postgres
