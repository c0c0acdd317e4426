-- The cost of partitions by département: one table with the columns and indexes of `parcel` beside 20 range partitions.
-- psql -f bench/partitions.sql, on an empty PostGIS database. "user" and "system" are the server's processor time.
\set ON_ERROR_STOP 1
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE TABLE source AS
SELECT lpad((1 + c % 20)::text, 2, '0') || lpad((c / 20)::text, 3, '0') AS commune_code,
       lpad((1 + c % 20)::text, 2, '0') || lpad((c / 20)::text, 3, '0') || '000' || 'AA' || lpad(n::text, 4, '0') AS parcel_id,
       '000' AS prefix, 'A' || chr(65 + n % 26) AS section, lpad((n % 10000)::text, 4, '0') AS number,
       500 AS cadastral_area_m2, true AS is_surveyed, '2020-01-01' AS created_on, '2024-01-01' AS updated_on, false AS is_repaired,
       ST_MakeEnvelope(2 + c % 40 * 0.05 + n % 35 * 0.001, 45 + c / 40 * 0.05 + n / 35 * 0.001,
                       2.0008 + c % 40 * 0.05 + n % 35 * 0.001, 45.0008 + c / 40 * 0.05 + n / 35 * 0.001, 4326) AS geometry,
       500.0::float8 AS geometric_area_m2
FROM generate_series(0, 999) c, generate_series(0, 999) n ORDER BY 1, 2;
CREATE TABLE whole (LIKE source, PRIMARY KEY (commune_code, parcel_id));
CREATE INDEX ON whole (commune_code, section, number, prefix);
CREATE INDEX ON whole USING gist (geometry);
CREATE TABLE parted (LIKE source, PRIMARY KEY (commune_code, parcel_id)) PARTITION BY RANGE (commune_code);
SELECT format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES FROM (%L) TO (%L)', d, lpad(d::text,2,'0'), lpad((d+1)::text,2,'0')) FROM generate_series(1,20) d \gexec
CREATE INDEX ON parted (commune_code, section, number, prefix);
CREATE INDEX ON parted USING gist (geometry);
SET client_min_messages = log;
\echo load parted
SET log_statement_stats = on;
INSERT INTO parted SELECT * FROM source;
SET log_statement_stats = off;
\echo load whole
SET log_statement_stats = on;
INSERT INTO whole SELECT * FROM source;
SET log_statement_stats = off;
ANALYZE whole;
ANALYZE parted;
\echo replace a commune whole
SET log_statement_stats = on;
DELETE FROM whole WHERE commune_code = '03010';
INSERT INTO whole SELECT * FROM source WHERE commune_code = '03010';
SET log_statement_stats = off;
\echo replace a commune parted
SET log_statement_stats = on;
DELETE FROM parted WHERE commune_code = '03010';
INSERT INTO parted SELECT * FROM source WHERE commune_code = '03010';
SET log_statement_stats = off;
\echo 5000 ids whole
SET log_statement_stats = on;
DO $$ DECLARE r record; c text; BEGIN FOR i IN 1..5000 LOOP
  c := lpad((1 + i % 5)::text, 2, '0') || lpad((i % 50)::text, 3, '0');
  SELECT * INTO r FROM whole WHERE commune_code = c AND parcel_id = c || '000AA0500';
END LOOP; END $$;
SET log_statement_stats = off;
\echo 5000 boxes whole
SET log_statement_stats = on;
DO $$ DECLARE r record; b geometry; BEGIN FOR i IN 1..5000 LOOP
  b := ST_MakeEnvelope(2.2 + i % 100 * 0.001, 45.2 + i % 90 * 0.001, 2.203 + i % 100 * 0.001, 45.203 + i % 90 * 0.001, 4326);
  SELECT count(commune_code) INTO r FROM whole WHERE geometry && b;
END LOOP; END $$;
SET log_statement_stats = off;
\echo 5000 ids parted
SET log_statement_stats = on;
DO $$ DECLARE r record; c text; BEGIN FOR i IN 1..5000 LOOP
  c := lpad((1 + i % 5)::text, 2, '0') || lpad((i % 50)::text, 3, '0');
  SELECT * INTO r FROM parted WHERE commune_code = c AND parcel_id = c || '000AA0500';
END LOOP; END $$;
SET log_statement_stats = off;
\echo 5000 boxes parted
SET log_statement_stats = on;
DO $$ DECLARE r record; b geometry; BEGIN FOR i IN 1..5000 LOOP
  b := ST_MakeEnvelope(2.2 + i % 100 * 0.001, 45.2 + i % 90 * 0.001, 2.203 + i % 100 * 0.001, 45.203 + i % 90 * 0.001, 4326);
  SELECT count(commune_code) INTO r FROM parted WHERE geometry && b;
END LOOP; END $$;
SET log_statement_stats = off;
