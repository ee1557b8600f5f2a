// The tables of a store and the functions of its ranges and logs, as SQL. That of commits is in commit_sql.h.
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

// A page of a range, in the order that stands for <ORDER>: ASC or DESC, which is part of its name too. Both ends of a
// range are a head and a tail. Rows of one head are in the order of their tails only when they are sorted, which only
// long keys are. A row of nothing stands for those beyond the page.
inline constexpr char kPageSql[] = R"sql(
CREATE OR REPLACE FUNCTION partita_page_<ORDER>(lo bytea, lor bytea, hi bytea, hir bytea, most bigint,
  most_bytes bigint)
RETURNS SETOF partita_kv LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  x partita_kv;
  y partita_kv;
  head bytea;  -- whose long keys were returned
  n bigint := 0;
  bytes bigint := 0;
BEGIN
  FOR x IN SELECT * FROM partita_kv k WHERE k.p >= lo AND k.p <= hi
    AND (k.p > lo OR k.r >= lor) AND (k.p < hi OR k.r < hir) ORDER BY k.p <ORDER>, k.d <ORDER> LOOP
    IF x.d = ''::bytea THEN
      IF n >= most OR (n > 0 AND bytes >= most_bytes) THEN
        x := NULL;
        RETURN NEXT x;
        RETURN;
      END IF;
      n := n + 1;
      bytes := bytes + octet_length(x.p) + octet_length(x.v);
      RETURN NEXT x;
    ELSIF head IS DISTINCT FROM x.p THEN
      head := x.p;
      FOR y IN SELECT * FROM partita_kv k WHERE k.p = head AND k.d <> ''::bytea
        AND (k.p > lo OR k.r >= lor) AND (k.p < hi OR k.r < hir) ORDER BY k.r <ORDER> LOOP
        IF n >= most OR (n > 0 AND bytes >= most_bytes) THEN
          y := NULL;
          RETURN NEXT y;
          RETURN;
        END IF;
        n := n + 1;
        bytes := bytes + octet_length(y.p) + octet_length(y.r) + octet_length(y.v);
        RETURN NEXT y;
      END LOOP;
    END IF;
  END LOOP;
END $$;
)sql";

inline constexpr char kRangesSql[] = R"sql(
CREATE OR REPLACE FUNCTION partita_erase(lo bytea, lor bytea, hi bytea, hir bytea, most bigint, most_bytes bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  n bigint;
BEGIN
  WITH first AS (
    SELECT k.p, k.d, octet_length(k.v) AS bytes FROM partita_kv k WHERE k.p >= lo AND k.p <= hi
      AND (k.p > lo OR k.r >= lor) AND (k.p < hi OR k.r < hir) ORDER BY k.p, k.d LIMIT most FOR UPDATE),
  gone AS (SELECT p, d, sum(bytes) OVER (ORDER BY p, d) - bytes AS before FROM first)
  DELETE FROM partita_kv kv USING gone
    WHERE gone.before < most_bytes AND kv.p BETWEEN gone.p AND gone.p AND kv.d = gone.d;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

-- Volatile, because no other function may EXPLAIN.
CREATE OR REPLACE FUNCTION partita_size(lo bytea, lor bytea, hi bytea, hir bytea)
RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
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

// A log is read row by row: one statement with a window over the sizes was up to seven times as slow where the bytes
// end a page, since it sizes all rows up to `most`, and faster only for pages of ten.
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

CREATE OR REPLACE FUNCTION partita_trim(topic bytea, upto bigint, most bigint, most_bytes bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  stop bigint;
  n bigint;
BEGIN
  SELECT max(s.n) INTO stop FROM (
    SELECT l.n, sum(octet_length(l.entry)) OVER (ORDER BY l.n) - octet_length(l.entry) AS before
    FROM (SELECT n, entry FROM partita_log WHERE t = topic AND n <= upto ORDER BY n LIMIT most) l) s
    WHERE s.before < most_bytes;
  DELETE FROM partita_log l WHERE l.t = topic AND l.n <= stop;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

CREATE OR REPLACE FUNCTION partita_forget(topic bytea)
RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  newest bigint;
BEGIN
  PERFORM 1 FROM partita_meta FOR UPDATE;
  DELETE FROM partita_topic WHERE t = topic RETURNING last INTO newest;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE partita_meta SET floor = greatest(floor, newest);
  DELETE FROM partita_log WHERE t = topic;
END $$;
)sql";

}  // namespace partita::postgres
