-- A history as schema version 1 wrote it: two sources, a run each (the second labelled), one model.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO sources VALUES(1,'/var/log/caffe/lenet.log','file','caffe','8:1:42:5d1c',1000,'','',0,0,0,0,0,0,0,0,'',NULL,0,0,X'747261636b6572');
INSERT INTO sources VALUES(2,'/var/log/caffe/unnamed.log','file','caffe','',1000,'','',0,0,0,0,0,0,0,0,'',NULL,0,0,X'747261636b6572');
CREATE TABLE finished_files (
  identity TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO finished_files VALUES('8:1:41:77aa','/var/log/caffe/lenet.log.1',1,1700000000000000);
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
INSERT INTO runs VALUES(1,1,0,'train','running','caffe','LeNet','9c1d7a52','gpu1','Tesla K80',1,1700000000000000,NULL,'{"max_iter":"10000","type":"SGD"}',NULL,NULL,NULL,NULL,0,0,0,0,'',1700000000000000);
INSERT INTO runs VALUES(2,2,0,'train','running','caffe','MyNet','9c1d7a52','gpu1','Tesla K80',1,1700000000000000,NULL,'{"max_iter":"10000","type":"SGD"}',NULL,NULL,NULL,NULL,0,0,0,0,'',1700000000000000);
CREATE TABLE run_labels (
  run_id INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  labels TEXT NOT NULL,
  said TEXT NOT NULL
) STRICT;
INSERT INTO run_labels VALUES(2,'{"network":"MyNet"}','{"device":"Tesla K80","devices":"1","framework":"caffe","host":"gpu1","network":""}');
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
INSERT INTO datasets VALUES(1,'LeNet','9c1d7a52','caffe','gpu1','Tesla K80',1,'train',1);
INSERT INTO datasets VALUES(2,'','9c1d7a52','caffe','gpu1','Tesla K80',1,'train',2);
INSERT INTO datasets VALUES(3,'MyNet','9c1d7a52','caffe','gpu1','Tesla K80',1,'train',2);
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
INSERT INTO run_phases VALUES(1,'test',NULL,NULL,NULL,0,0,0);
INSERT INTO run_phases VALUES(1,'train',1,64,64,300,15003000000,3);
INSERT INTO run_phases VALUES(2,'test',NULL,NULL,NULL,0,0,0);
INSERT INTO run_phases VALUES(2,'train',3,NULL,NULL,200,10001000000,2);
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
INSERT INTO run_windows VALUES(1,1,'train',3,1,3,X'1ac801800180ade2048080f281838985061ed00fa09c011ed00fd08c01');
INSERT INTO run_windows VALUES(2,2,'train',2,1,2,X'1ac801800180ade2048080f281838985061ed00fa09c01');
CREATE TABLE segment_chunks (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  first_index INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (run_id, first_index)
) STRICT;
INSERT INTO segment_chunks VALUES(1,1,0,3,X'1ac801800180ade2048080f281838985061ed00fa09c011ed00fd08c01');
INSERT INTO segment_chunks VALUES(2,2,0,2,X'1ac801800180ade2048080f281838985061ed00fa09c01');
CREATE TABLE point_chunks (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  first_index INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (run_id, first_index)
) STRICT;
INSERT INTO point_chunks VALUES(1,1,0,3,X'078080f281838985060000003f06c801a0c9e3040000003f07000000003f');
INSERT INTO point_chunks VALUES(2,2,0,2,X'078080f281838985060000003f06c801a0c9e3040000003f');
CREATE TABLE totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  segments INTEGER NOT NULL,
  points INTEGER NOT NULL
) STRICT;
INSERT INTO totals VALUES(1,5,5);
CREATE TABLE layers (
  architecture TEXT NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  parameters TEXT NOT NULL,
  shapes TEXT NOT NULL,
  PRIMARY KEY (architecture, position)
) STRICT, WITHOUT ROWID;
INSERT INTO layers VALUES('9c1d7a52',0,'conv1','Convolution','num_output=20','20 24 24');
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
INSERT INTO models VALUES(1,1,1700000000000000,'{"basis": "n*c1"}');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('sources',2);
INSERT INTO sqlite_sequence VALUES('runs',2);
INSERT INTO sqlite_sequence VALUES('models',1);
CREATE INDEX sources_pending ON sources (id) WHERE pending;
CREATE INDEX finished_files_source ON finished_files (source_id);
CREATE INDEX runs_state ON runs (state);
CREATE INDEX runs_network ON runs (network);
CREATE INDEX datasets_generation ON datasets (generation);
CREATE INDEX run_phases_dataset ON run_phases (dataset_id, run_id) WHERE dataset_id IS NOT NULL;
COMMIT;
PRAGMA application_id = 0x65746164;
PRAGMA user_version = 1;
