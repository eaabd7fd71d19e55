// The SQL of the schema's first ten steps, as schema_steps.h has that of the later ones.
#pragma once

namespace etad::schema {

// Version 1: sources, runs and what was measured of them, datasets and models.
inline constexpr const char* kStep1 = R"sql(
CREATE TABLE sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  format TEXT NOT NULL,
  identity TEXT NOT NULL,
  offset INTEGER NOT NULL,
  marker TEXT NOT NULL,
  head TEXT NOT NULL,
  size INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  matched INTEGER NOT NULL,
  unmatched INTEGER NOT NULL,
  truncated INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  skipped_bytes INTEGER NOT NULL,
  lost_bytes INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  read_at INTEGER,
  gone INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  tracker_state BLOB NOT NULL
) STRICT;
CREATE INDEX sources_pending ON sources (id) WHERE pending;

CREATE TABLE finished_files (
  identity TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX finished_files_source ON finished_files (source_id);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  job TEXT NOT NULL CHECK (job IN ('train', 'test', 'time')),
  state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'stopped', 'failed', 'lost')),
  framework TEXT NOT NULL,
  network TEXT NOT NULL,
  architecture TEXT NOT NULL,
  host TEXT NOT NULL,
  device TEXT NOT NULL,
  devices INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  settings TEXT NOT NULL,
  iteration INTEGER,
  max_iterations INTEGER,
  first_iteration INTEGER,
  startup INTEGER,
  snapshot_time INTEGER NOT NULL,
  snapshots INTEGER NOT NULL,
  stalls INTEGER NOT NULL,
  loss_is_nan INTEGER NOT NULL,
  message TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (source_id, ordinal)
) STRICT;
CREATE INDEX runs_state ON runs (state);
CREATE INDEX runs_network ON runs (network);

CREATE TABLE run_labels (
  run_id INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  labels TEXT NOT NULL,
  said TEXT NOT NULL
) STRICT;

CREATE TABLE datasets (
  id INTEGER PRIMARY KEY,
  network TEXT NOT NULL,
  architecture TEXT NOT NULL,
  framework TEXT NOT NULL,
  host TEXT NOT NULL,
  device TEXT NOT NULL,
  devices INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('train', 'test')),
  generation INTEGER NOT NULL,
  UNIQUE (network, architecture, framework, host, device, devices, phase)
) STRICT;
CREATE INDEX datasets_generation ON datasets (generation);

CREATE TABLE run_phases (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  phase TEXT NOT NULL CHECK (phase IN ('train', 'test')),
  dataset_id INTEGER REFERENCES datasets,
  batch_size INTEGER,
  samples_per_iteration INTEGER,
  iterations INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  segments INTEGER NOT NULL,
  PRIMARY KEY (run_id, phase)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_phases_dataset ON run_phases (dataset_id, run_id) WHERE dataset_id IS NOT NULL;

CREATE TABLE run_windows (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  phase TEXT NOT NULL CHECK (phase IN ('train', 'test')),
  seen INTEGER NOT NULL,
  stride INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (run_id, phase)
) STRICT;

CREATE TABLE segment_chunks (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  first_index INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (run_id, first_index)
) STRICT;

CREATE TABLE point_chunks (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  first_index INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (run_id, first_index)
) STRICT;

CREATE TABLE totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  segments INTEGER NOT NULL,
  points INTEGER NOT NULL
) STRICT;
INSERT INTO totals VALUES (1, 0, 0);

CREATE TABLE layers (
  architecture TEXT NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  parameters TEXT NOT NULL,
  shapes TEXT NOT NULL,
  PRIMARY KEY (architecture, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE layer_times (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  position INTEGER NOT NULL,
  layer TEXT NOT NULL,
  forward INTEGER NOT NULL,
  backward INTEGER NOT NULL,
  PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE models (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  dataset_id INTEGER NOT NULL UNIQUE REFERENCES datasets,
  fitted_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
)sql";

// Version 2: the track record.
inline constexpr const char* kStep2 = R"sql(
CREATE TABLE predictions (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('total', 'remaining')),
  at_fraction REAL NOT NULL,
  made_at INTEGER NOT NULL,
  elapsed REAL NOT NULL,
  seconds REAL NOT NULL,
  lower REAL NOT NULL,
  upper REAL NOT NULL,
  confidence REAL NOT NULL,
  model_id INTEGER,
  basis TEXT NOT NULL,
  actual REAL,
  error_percent REAL,
  covered INTEGER,
  PRIMARY KEY (run_id, kind, at_fraction)
) STRICT, WITHOUT ROWID;
)sql";

// Version 3: monitoring traces.
inline constexpr const char* kStep3 = R"sql(
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  labels TEXT NOT NULL,
  unit TEXT NOT NULL,
  first_at INTEGER,
  last_at INTEGER,
  samples INTEGER NOT NULL,
  UNIQUE (name, labels)
) STRICT;

CREATE TABLE recent_samples (
  id INTEGER PRIMARY KEY,
  series_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  value REAL
) STRICT;

CREATE TABLE sample_chunks (
  id INTEGER PRIMARY KEY,
  series_id INTEGER NOT NULL,
  start_at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX sample_chunks_series ON sample_chunks (series_id, start_at);

CREATE TABLE rollups (
  series_id INTEGER NOT NULL,
  tier INTEGER NOT NULL CHECK (tier IN (60, 3600)),
  start_at INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (series_id, tier, start_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE pending_samples (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  series_id INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX pending_samples_source ON pending_samples (source_id);
)sql";

// Version 4: what the history knows of a path, asked for every file that is seen for the first time.
inline constexpr const char* kStep4 = R"sql(
CREATE INDEX sources_path ON sources (path);
)sql";

// Version 5: what each layer costs for one sample (parsers/network/costs.h); NULL: not known.
inline constexpr const char* kStep5 = R"sql(
ALTER TABLE layers ADD COLUMN operations REAL;
ALTER TABLE layers ADD COLUMN backward_operations REAL;
ALTER TABLE layers ADD COLUMN weights REAL;
ALTER TABLE layers ADD COLUMN inputs REAL;
ALTER TABLE layers ADD COLUMN outputs REAL;
ALTER TABLE layers ADD COLUMN copies REAL;
ALTER TABLE layers ADD COLUMN lowered REAL;
)sql";

// Version 6: the rules that the sources without a format were last looked at with.
inline constexpr const char* kStep6 = R"sql(
CREATE TABLE rules_tried (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  fingerprint TEXT NOT NULL
) STRICT;
)sql";

// Version 7: a number of devices that nobody knows is 0; it was 1 before. Where neither the log nor a label named
// a device by its number, and it is not the CPU, one was as good as nothing.
inline constexpr const char* kStep7 = R"sql(
UPDATE run_labels SET said = json_set(said, '$.devices', '0')
  WHERE said ->> 'devices' = '1' AND EXISTS (SELECT 1 FROM runs r WHERE r.id = run_id AND r.device <> 'CPU'
    AND r.settings ->> 'device_index' IS NULL);
UPDATE runs SET devices = 0
  WHERE devices = 1 AND device <> 'CPU' AND settings ->> 'device_index' IS NULL
    AND NOT EXISTS (SELECT 1 FROM run_labels l WHERE l.run_id = runs.id AND l.labels ->> 'devices' IS NOT NULL);

CREATE TEMP TABLE moved AS
  SELECT p.run_id, p.phase, d.id AS old, d.network, d.architecture, d.framework, d.host, d.device,
    (SELECT max(generation) + 1 FROM datasets) AS generation
  FROM runs r CROSS JOIN run_phases p ON p.run_id = r.id CROSS JOIN datasets d ON d.id = p.dataset_id
  WHERE r.devices = 0 AND d.devices = 1;
CREATE INDEX temp.moved_run ON moved (run_id, phase);
INSERT INTO datasets (network, architecture, framework, host, device, devices, phase, generation)
  SELECT DISTINCT network, architecture, framework, host, device, 0, phase, generation FROM moved;
UPDATE datasets SET generation = (SELECT max(generation) FROM moved) WHERE id IN (SELECT old FROM moved);
UPDATE run_phases SET dataset_id = (
    SELECT d.id FROM moved m CROSS JOIN datasets d ON d.network = m.network AND d.architecture = m.architecture
      AND d.framework = m.framework AND d.host = m.host AND d.device = m.device AND d.devices = 0
      AND d.phase = m.phase
    WHERE m.run_id = run_phases.run_id AND m.phase = run_phases.phase)
  WHERE (run_id, phase) IN (SELECT run_id, phase FROM moved);
DROP TABLE moved;
)sql";

// Version 8: whose sources and runs are, so that nobody's runs crowd out another's (storage/fair_share.h).
// run_phases repeats it (-1: unknown): each owner's newest runs of a dataset are found by index.
inline constexpr const char* kStep8 = R"sql(
ALTER TABLE sources ADD COLUMN owner INTEGER;
ALTER TABLE runs ADD COLUMN owner INTEGER;
CREATE INDEX runs_owner ON runs (owner);
ALTER TABLE run_phases ADD COLUMN owner INTEGER NOT NULL DEFAULT -1;
DROP INDEX run_phases_dataset;
CREATE INDEX run_phases_dataset ON run_phases (dataset_id, owner, run_id) WHERE dataset_id IS NOT NULL;
)sql";

// Version 9: what an owner's sources may add (storage/budget_table.h): the bytes of log taken today, and what was
// refused.
inline constexpr const char* kStep9 = R"sql(
ALTER TABLE series ADD COLUMN owner INTEGER;
CREATE INDEX series_owner ON series (owner);
DROP INDEX runs_owner;
CREATE INDEX runs_owner ON runs (owner, network, architecture);
CREATE TABLE owner_days (
  owner INTEGER PRIMARY KEY,
  day INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
CREATE TABLE refused (
  owner INTEGER NOT NULL,
  what TEXT NOT NULL CHECK (what IN ('networks', 'runs', 'series', 'bytes')),
  count INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (owner, what)
) STRICT, WITHOUT ROWID;
)sql";

// Version 10: how far the models are up to date, so that a start refits nothing.
inline constexpr const char* kStep10 = R"sql(
CREATE TABLE refit_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL,
  generation INTEGER NOT NULL
) STRICT;
)sql";

}  // namespace etad::schema
