// The SQL of each step of the schema. A released step is never edited: databases exist that took it.
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

// Version 11: what has changed, in order, for whoever carries the history elsewhere (storage/change_reader.h). One
// row for each thing there is or was; a change gives it a new, higher `seq`. `starts` tells a history from its
// backup and from its copy on another machine.
inline constexpr const char* kStep11 = R"sql(
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('run', 'architecture', 'minutes')),
  key ANY NOT NULL,
  UNIQUE (kind, key)
) STRICT;
CREATE TABLE starts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token TEXT NOT NULL,
  machine TEXT NOT NULL,
  after_seq INTEGER NOT NULL,
  after_run INTEGER NOT NULL
) STRICT;
INSERT INTO changes (kind, key) SELECT DISTINCT 'architecture', architecture FROM layers;
INSERT INTO changes (kind, key) SELECT 'run', id FROM runs ORDER BY id;
INSERT INTO changes (kind, key)
  SELECT 'minutes', series_id || ' ' || start_at FROM rollups WHERE tier = 60 ORDER BY start_at;

CREATE TRIGGER run_added AFTER INSERT ON runs BEGIN
  INSERT INTO changes (kind, key) VALUES ('run', NEW.id);
END;
CREATE TRIGGER run_changed AFTER UPDATE ON runs BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key = NEW.id;
  INSERT INTO changes (kind, key) VALUES ('run', NEW.id);
END;
CREATE TRIGGER run_removed AFTER DELETE ON runs BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key = OLD.id;
  INSERT INTO changes (kind, key) VALUES ('run', OLD.id);
END;
CREATE TRIGGER source_changed AFTER UPDATE OF pending, path ON sources
  WHEN OLD.pending <> NEW.pending OR OLD.path <> NEW.path BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key IN (SELECT id FROM runs WHERE source_id = NEW.id);
  INSERT INTO changes (kind, key) SELECT 'run', id FROM runs WHERE source_id = NEW.id;
END;
CREATE TRIGGER prediction_added AFTER INSERT ON predictions BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key = NEW.run_id;
  INSERT INTO changes (kind, key) VALUES ('run', NEW.run_id);
END;
CREATE TRIGGER prediction_changed AFTER UPDATE ON predictions BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key = NEW.run_id;
  INSERT INTO changes (kind, key) VALUES ('run', NEW.run_id);
END;
CREATE TRIGGER layer_added AFTER INSERT ON layers BEGIN
  DELETE FROM changes WHERE kind = 'architecture' AND key = NEW.architecture;
  INSERT INTO changes (kind, key) VALUES ('architecture', NEW.architecture);
END;
CREATE TRIGGER minutes_added AFTER INSERT ON rollups WHEN NEW.tier = 60 BEGIN
  DELETE FROM changes WHERE kind = 'minutes' AND key = NEW.series_id || ' ' || NEW.start_at;
  INSERT INTO changes (kind, key) VALUES ('minutes', NEW.series_id || ' ' || NEW.start_at);
END;
CREATE TRIGGER minutes_changed AFTER UPDATE ON rollups WHEN NEW.tier = 60 BEGIN
  DELETE FROM changes WHERE kind = 'minutes' AND key = NEW.series_id || ' ' || NEW.start_at;
  INSERT INTO changes (kind, key) VALUES ('minutes', NEW.series_id || ' ' || NEW.start_at);
END;
-- What has expired is not taken back anywhere: there is nothing to say of it.
CREATE TRIGGER minutes_expired AFTER DELETE ON rollups WHEN OLD.tier = 60 BEGIN
  DELETE FROM changes WHERE kind = 'minutes' AND key = OLD.series_id || ' ' || OLD.start_at;
END;
)sql";

// Version 12: the parts of a container's line that a rotation of its file cut in two.
inline constexpr const char* kStep12 = R"sql(
ALTER TABLE sources ADD COLUMN carried BLOB NOT NULL DEFAULT x'';
)sql";

// Version 13: what a run's iterations of a phase cost beside time: the energy of all of them, and the most
// memory that a device held. From its log, or from the monitoring traces of its GPUs.
inline constexpr const char* kStep13 = R"sql(
ALTER TABLE run_phases ADD COLUMN joules REAL;
ALTER TABLE run_phases ADD COLUMN peak_bytes REAL;
)sql";

// Version 14: a network's runs are found by its name in any case.
inline constexpr const char* kStep14 = R"sql(
DROP INDEX runs_network;
CREATE INDEX runs_network ON runs (network COLLATE NOCASE);
)sql";

// Version 15: models are found by index and loaded when they are asked for. `teaches`: the deployment whose other
// models one is evidence for. All are fitted anew once, which fills the new columns; their ids stay.
inline constexpr const char* kStep15 = R"sql(
CREATE TABLE deployments (
  id INTEGER PRIMARY KEY,
  framework TEXT NOT NULL,
  host TEXT NOT NULL,
  device TEXT NOT NULL,
  devices INTEGER NOT NULL,
  UNIQUE (framework, host, device, devices)
) STRICT;
ALTER TABLE models ADD COLUMN owner INTEGER NOT NULL DEFAULT -1;
ALTER TABLE models ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE models ADD COLUMN error_percent REAL;
ALTER TABLE models ADD COLUMN teaches INTEGER REFERENCES deployments;
CREATE INDEX models_owner ON models (owner, fitted_at);
CREATE INDEX models_teaches ON models (teaches, owner, fitted_at) WHERE teaches IS NOT NULL;
CREATE INDEX datasets_network ON datasets (network COLLATE NOCASE, architecture COLLATE NOCASE);
CREATE INDEX datasets_architecture ON datasets (architecture COLLATE NOCASE);
CREATE INDEX runs_name ON runs (network, architecture);
CREATE INDEX runs_architecture ON runs (architecture) WHERE architecture != '';
CREATE INDEX datasets_unnamed ON datasets (id) WHERE device = '';
UPDATE refit_progress SET version = 0;
)sql";

// Version 16: the format of tables of measurements, and the framework of those that name none, was called "segments",
// in the parsers' saved states too. What estimators learnt under that name is learnt anew.
inline constexpr const char* kStep16 = R"sql(
UPDATE refit_progress SET version = 0 WHERE EXISTS (SELECT 1 FROM datasets WHERE framework = 'segments');
UPDATE runs SET framework = 'measurements' WHERE framework = 'segments';
UPDATE OR IGNORE datasets SET framework = 'measurements' WHERE framework = 'segments';
UPDATE OR IGNORE deployments SET framework = 'measurements' WHERE framework = 'segments';
UPDATE run_labels SET said = json_set(said, '$.framework', 'measurements')
  WHERE json_extract(said, '$.framework') = 'segments';
UPDATE sources SET format = 'measurements',
  tracker_state = CAST(replace(replace(replace(CAST(tracker_state AS TEXT),
    '"format":"segments"', '"format":"measurements"'),
    '\"framework\":\"segments\"', '\"framework\":\"measurements\"'),
    'u001fsegments\\u001f', 'u001fmeasurements\\u001f') AS BLOB)
  WHERE format = 'segments';
)sql";

// Version 17: rows of samples may be in blocks, which an older etad can't read. Those of before stay as they are.
inline constexpr const char* kStep17 = "";

// Version 18: a change is found in the list by its kind and key. A column of integers or of text imposes its affinity
// on what it is compared with, and the index of keys, which have none, could be used for the kind alone: each line of
// a log went through the changes of all runs. The plus takes the affinity away.
inline constexpr const char* kStep18 = R"sql(
DROP TRIGGER run_changed;
DROP TRIGGER run_removed;
DROP TRIGGER source_changed;
DROP TRIGGER prediction_added;
DROP TRIGGER prediction_changed;
DROP TRIGGER layer_added;
CREATE TRIGGER run_changed AFTER UPDATE ON runs BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key = +NEW.id;
  INSERT INTO changes (kind, key) VALUES ('run', NEW.id);
END;
CREATE TRIGGER run_removed AFTER DELETE ON runs BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key = +OLD.id;
  INSERT INTO changes (kind, key) VALUES ('run', OLD.id);
END;
CREATE TRIGGER source_changed AFTER UPDATE OF pending, path ON sources
  WHEN OLD.pending <> NEW.pending OR OLD.path <> NEW.path BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key IN (SELECT +id FROM runs WHERE source_id = NEW.id);
  INSERT INTO changes (kind, key) SELECT 'run', id FROM runs WHERE source_id = NEW.id;
END;
CREATE TRIGGER prediction_added AFTER INSERT ON predictions BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key = +NEW.run_id;
  INSERT INTO changes (kind, key) VALUES ('run', NEW.run_id);
END;
CREATE TRIGGER prediction_changed AFTER UPDATE ON predictions BEGIN
  DELETE FROM changes WHERE kind = 'run' AND key = +NEW.run_id;
  INSERT INTO changes (kind, key) VALUES ('run', NEW.run_id);
END;
CREATE TRIGGER layer_added AFTER INSERT ON layers BEGIN
  DELETE FROM changes WHERE kind = 'architecture' AND key = +NEW.architecture;
  INSERT INTO changes (kind, key) VALUES ('architecture', NEW.architecture);
END;
)sql";

// Version 19: no model is evidence for those of its deployment: what the machine's last runs say is told by all
// estimators together.
inline constexpr const char* kStep19 = R"sql(
DROP INDEX models_teaches;
ALTER TABLE models DROP COLUMN teaches;
DROP TABLE deployments;
)sql";

}  // namespace etad::schema
