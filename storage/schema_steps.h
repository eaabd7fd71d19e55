// The SQL of each step of the schema. A released step is never edited: databases exist that took it.
#pragma once

#include "storage/schema_first_steps.h"

namespace etad::schema {

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

// Version 20: the estimators' records, which take long to make. A start reads them.
inline constexpr const char* kStep20 = R"sql(
CREATE TABLE estimator_records (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  body TEXT NOT NULL
) STRICT;
)sql";

// Version 21: runs that a user had forgotten. What their logs still say of them brings none of them back.
inline constexpr const char* kStep21 = R"sql(
CREATE TABLE forgotten_runs (
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  job TEXT NOT NULL,
  started_at INTEGER,
  iteration INTEGER,
  PRIMARY KEY (source_id, ordinal)
) STRICT, WITHOUT ROWID;
)sql";

// Version 22: in what order the owners of a dataset's runs came. Runs can't say it: those that are read again have new
// ids, and a label may bring an old one to where others have long been. And whose layers an architecture's are.
inline constexpr const char* kStep22 = R"sql(
CREATE TABLE dataset_owners (
  id INTEGER PRIMARY KEY,
  dataset_id INTEGER NOT NULL REFERENCES datasets ON DELETE CASCADE,
  owner INTEGER NOT NULL,
  UNIQUE (dataset_id, owner)
) STRICT;
INSERT INTO dataset_owners (dataset_id, owner)
  SELECT dataset_id, owner FROM run_phases WHERE dataset_id IS NOT NULL GROUP BY dataset_id, owner ORDER BY min(run_id);
-- NOT EXISTS and not OR IGNORE: what the statement says that pulls the trigger would count instead.
CREATE TRIGGER phase_joined AFTER INSERT ON run_phases BEGIN
  INSERT INTO dataset_owners (dataset_id, owner) SELECT NEW.dataset_id, NEW.owner WHERE NEW.dataset_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM dataset_owners WHERE dataset_id = NEW.dataset_id AND owner = NEW.owner);
END;
CREATE TRIGGER phase_moved AFTER UPDATE OF dataset_id, owner ON run_phases BEGIN
  INSERT INTO dataset_owners (dataset_id, owner) SELECT NEW.dataset_id, NEW.owner WHERE NEW.dataset_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM dataset_owners WHERE dataset_id = NEW.dataset_id AND owner = NEW.owner);
  DELETE FROM dataset_owners WHERE dataset_id = OLD.dataset_id AND owner = OLD.owner AND NOT EXISTS
    (SELECT 1 FROM run_phases WHERE dataset_id = OLD.dataset_id AND owner = OLD.owner);
END;
CREATE TRIGGER phase_left AFTER DELETE ON run_phases BEGIN
  DELETE FROM dataset_owners WHERE dataset_id = OLD.dataset_id AND owner = OLD.owner AND NOT EXISTS
    (SELECT 1 FROM run_phases WHERE dataset_id = OLD.dataset_id AND owner = OLD.owner);
END;

CREATE TRIGGER layer_removed AFTER DELETE ON layers BEGIN
  DELETE FROM changes WHERE kind = 'architecture' AND key = +OLD.architecture;
  INSERT INTO changes (kind, key) VALUES ('architecture', OLD.architecture);
END;
ALTER TABLE layers ADD COLUMN run_id INTEGER REFERENCES runs ON DELETE CASCADE;
CREATE INDEX layers_run ON layers (run_id);
UPDATE layers SET run_id =
  (SELECT min(id) FROM runs WHERE architecture = layers.architecture AND architecture != '');
DELETE FROM layers WHERE run_id IS NULL;
)sql";

}  // namespace etad::schema
