// The SQL of each step of the fleet's schema. A released step is never edited: databases exist that took it. Only
// what PostgreSQL, Citus, CockroachDB and YugabyteDB have in common: no extensions, no sequences, no partitions.
// Later steps only add columns (that may be NULL or have a default) and tables, so that older exporters go on.
#pragma once

namespace etad::fleet {

inline constexpr const char* kStep1 = R"sql(
CREATE TABLE hosts (
  host_id text NOT NULL,
  number bigint NOT NULL,
  name text NOT NULL,
  start_token text NOT NULL,
  up_to bigint NOT NULL,
  generation bigint NOT NULL,
  sweep_at bigint,
  session text NOT NULL,
  exporter_schema bigint NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (host_id)
);
CREATE UNIQUE INDEX hosts_number ON hosts (number);

CREATE TABLE runs (
  host_id text NOT NULL,
  run_id bigint NOT NULL,
  source_id bigint NOT NULL,
  source text NOT NULL,
  source_kind text NOT NULL,
  owner bigint,
  job text NOT NULL,
  state text NOT NULL,
  framework text NOT NULL,
  network text NOT NULL,
  architecture text NOT NULL,
  host text NOT NULL,
  device text NOT NULL,
  devices bigint NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  settings jsonb NOT NULL,
  iteration bigint,
  max_iterations bigint,
  first_iteration bigint,
  startup_seconds double precision,
  snapshot_seconds double precision NOT NULL,
  snapshots bigint NOT NULL,
  stalls bigint NOT NULL,
  loss_is_nan boolean NOT NULL,
  message text NOT NULL,
  updated_at timestamptz,
  generation bigint NOT NULL,
  PRIMARY KEY (host_id, run_id)
);
CREATE INDEX runs_network ON runs (network, architecture);
CREATE INDEX runs_started ON runs (started_at);

CREATE TABLE phases (
  host_id text NOT NULL,
  run_id bigint NOT NULL,
  phase text NOT NULL,
  batch_size bigint,
  samples_per_iteration bigint,
  iterations bigint NOT NULL,
  seconds double precision NOT NULL,
  segments bigint NOT NULL,
  window_count bigint NOT NULL,
  windows bytea NOT NULL,
  digest bigint NOT NULL,
  generation bigint NOT NULL,
  PRIMARY KEY (host_id, run_id, phase)
);

CREATE TABLE predictions (
  host_id text NOT NULL,
  run_id bigint NOT NULL,
  kind text NOT NULL,
  at_fraction double precision NOT NULL,
  made_at timestamptz NOT NULL,
  elapsed_seconds double precision NOT NULL,
  seconds double precision NOT NULL,
  lower_seconds double precision NOT NULL,
  upper_seconds double precision NOT NULL,
  confidence double precision NOT NULL,
  basis text NOT NULL,
  actual_seconds double precision,
  error_percent double precision,
  covered boolean,
  generation bigint NOT NULL,
  PRIMARY KEY (host_id, run_id, kind, at_fraction)
);

CREATE TABLE architectures (
  host_id text NOT NULL,
  architecture text NOT NULL,
  position bigint NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  parameters text NOT NULL,
  shapes text NOT NULL,
  operations double precision,
  backward_operations double precision,
  weights double precision,
  inputs double precision,
  outputs double precision,
  copies double precision,
  lowered double precision,
  generation bigint NOT NULL,
  PRIMARY KEY (host_id, architecture, position)
);
CREATE INDEX architectures_architecture ON architectures (architecture);

CREATE TABLE series_minutes (
  host_id text NOT NULL,
  series text NOT NULL,
  labels text NOT NULL,
  minute timestamptz NOT NULL,
  unit text NOT NULL,
  samples bigint NOT NULL,
  minimum double precision NOT NULL,
  mean double precision NOT NULL,
  maximum double precision NOT NULL,
  generation bigint NOT NULL,
  PRIMARY KEY (host_id, series, labels, minute)
);

CREATE TABLE models (
  network text NOT NULL,
  architecture text NOT NULL,
  framework text NOT NULL,
  host text NOT NULL,
  device text NOT NULL,
  devices bigint NOT NULL,
  phase text NOT NULL,
  model_id bigint NOT NULL,
  fitted_at timestamptz NOT NULL,
  digest text NOT NULL,
  generation bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (network, architecture, framework, host, device, devices, phase)
);

CREATE TABLE model_progress (
  id bigint NOT NULL,
  version bigint NOT NULL,
  generation bigint NOT NULL,
  PRIMARY KEY (id)
);

CREATE VIEW networks AS
  SELECT host_id, network, architecture, count(*) AS runs, min(started_at) AS first_seen,
    max(coalesce(ended_at, started_at)) AS last_seen
  FROM runs WHERE network <> '' OR architecture <> '' GROUP BY host_id, network, architecture;
)sql";

// Version 2: what a run's users said of it, how far behind each host is, and the view for reports.
inline constexpr const char* kStep2 = R"sql(
ALTER TABLE runs ADD COLUMN labels jsonb;
ALTER TABLE hosts ADD COLUMN exporter text;
ALTER TABLE hosts ADD COLUMN waiting bigint;

CREATE VIEW training_runs AS
  SELECT coalesce(nullif(r.host, ''), h.name) AS host, r.network, r.architecture, r.framework, r.device, r.devices,
    r.state, r.started_at, r.ended_at, p.phase, p.samples_per_iteration, p.iterations, p.seconds,
    CASE WHEN p.iterations > 0 THEN p.seconds / p.iterations END AS seconds_per_iteration,
    CASE WHEN p.seconds > 0 THEN p.samples_per_iteration * p.iterations / p.seconds END AS samples_per_second,
    r.labels, r.settings, r.host_id, r.run_id
  FROM runs r JOIN hosts h ON h.host_id = r.host_id
    JOIN phases p ON p.host_id = r.host_id AND p.run_id = r.run_id AND p.segments > 0;
)sql";

// Version 3: what all runs have taught is kept beside the models, so that a question need not read the runs; and a
// model's runs are found without those of other hosts.
inline constexpr const char* kStep3 = R"sql(
CREATE TABLE learnt (
  part bigint NOT NULL,
  generation bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (part)
);
ALTER TABLE model_progress ADD COLUMN looked_at timestamptz;

CREATE INDEX runs_model ON runs (network, architecture, host, host_id);
DROP INDEX runs_network;
CREATE INDEX architectures_on_host ON architectures (architecture, host_id);
DROP INDEX architectures_architecture;
CREATE INDEX hosts_name ON hosts (name);
)sql";

// Version 4: what a run's training or testing cost beside time.
inline constexpr const char* kStep4 = R"sql(
ALTER TABLE phases ADD COLUMN joules double precision;
ALTER TABLE phases ADD COLUMN peak_bytes double precision;

CREATE OR REPLACE VIEW training_runs AS
  SELECT coalesce(nullif(r.host, ''), h.name) AS host, r.network, r.architecture, r.framework, r.device, r.devices,
    r.state, r.started_at, r.ended_at, p.phase, p.samples_per_iteration, p.iterations, p.seconds,
    CASE WHEN p.iterations > 0 THEN p.seconds / p.iterations END AS seconds_per_iteration,
    CASE WHEN p.seconds > 0 THEN p.samples_per_iteration * p.iterations / p.seconds END AS samples_per_second,
    r.labels, r.settings, r.host_id, r.run_id, p.joules, p.peak_bytes
  FROM runs r JOIN hosts h ON h.host_id = r.host_id
    JOIN phases p ON p.host_id = r.host_id AND p.run_id = r.run_id AND p.segments > 0;
)sql";

// Version 5: when a run's row was first there, by the database's clock, which exporters do not write: who was there
// first must not hang on what a log says. What was fitted before owners were told by their host is fitted anew. Hosts'
// numbers are smaller, so that a host has room for more runs.
inline constexpr const char* kStep5 = R"sql(
ALTER TABLE runs ADD COLUMN first_at timestamptz DEFAULT current_timestamp;
UPDATE model_progress SET version = 0;
UPDATE hosts SET number = -1 - number;
UPDATE hosts SET number = each.place FROM
  (SELECT host_id, row_number() OVER (ORDER BY host_id) AS place FROM hosts) AS each WHERE each.host_id = hosts.host_id;
)sql";

// Version 6: the place of a run's owner among those of its host's runs of the same model (the history's dataset_owners);
// and when a host's layers of an architecture were first there.
inline constexpr const char* kStep6 = R"sql(
ALTER TABLE phases ADD COLUMN place bigint;
ALTER TABLE architectures ADD COLUMN first_at timestamptz DEFAULT current_timestamp;
UPDATE architectures SET first_at = each.first_at FROM
  (SELECT host_id, architecture, min(first_at) AS first_at FROM runs GROUP BY host_id, architecture) AS each
  WHERE each.host_id = architectures.host_id AND each.architecture = architectures.architecture;
UPDATE model_progress SET version = 0;
)sql";

}  // namespace etad::fleet
