"""A daemon that starts where its history can only be read answers, and writes once it can, without a restart."""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from daemon_process import Daemon, wait_for  # noqa: E402

NOBODY = 65534
BUILD = sys.argv[1]
# For root permissions mean nothing.
as_nobody = [] if os.geteuid() else ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
if as_nobody and subprocess.run([*as_nobody, "test", "-x", f"{BUILD}/etad"]).returncode:
    print("skipped: nobody may not run the daemon here")
    sys.exit()


def runs(daemon):
    try:
        return daemon.ask("/v1/runs")["runs"]
    except OSError:
        return []  # its socket is away for a moment, as over a restart


def own(*paths):
    for path in paths:
        if as_nobody:
            os.chown(path, NOBODY, NOBODY)


# Without closing it, which would take the files beside it away.
LEFT = """
import os, sqlite3, sys
history = sqlite3.connect(sys.argv[1])
columns = [row[1] for row in history.execute("PRAGMA table_info(sources)") if row[1] != "id"]
history.execute("CREATE TEMP TABLE one AS SELECT * FROM sources")
history.execute("UPDATE one SET path = 'left.log', kind = 'import', pending = 1")
history.execute(f"INSERT INTO sources ({','.join(columns)}) SELECT {','.join(columns)} FROM one")
history.commit()
os._exit(0)
"""



def left(path):
    return sqlite3.connect(path).execute("SELECT count(*) FROM sources WHERE pending").fetchone()[0]


with tempfile.TemporaryDirectory() as name:
    folder, history = pathlib.Path(name), pathlib.Path(name) / "history"
    history.mkdir()
    own(folder, history)
    log = (ROOT / "examples/caffe/lenet_b128_i400_tb100_ti50.log").read_text()
    (folder / "one.log").write_text(log)
    daemon = Daemon(BUILD, name, [f"{name}/*.log"], prefix=as_nobody)
    text = (folder / "etad.toml").read_text()
    (folder / "etad.toml").write_text(text.replace(f"{name}/history.db", f"{history}/history.db"))
    with daemon:
        wait_for("a first run", lambda: len(daemon.ask("/v1/runs")["runs"]) == 1)
    # And what an import left that broke off with its daemon.
    subprocess.run([sys.executable, "-c", LEFT, history / "history.db"], check=True)
    own(*history.iterdir())
    for file in history.iterdir():
        file.chmod(0o400)
    history.chmod(0o500)
    with daemon:
        (folder / "two.log").write_text(log)
        wait_for("degraded", lambda: daemon.ask("/v1/health")["status"] == "degraded")
        assert len(daemon.ask("/v1/runs")["runs"]) == 1
        process = daemon.process.pid
        history.chmod(0o700)
        for file in history.iterdir():
            file.chmod(0o600)
        wait_for("the second run", lambda: len(runs(daemon)) == 2)
        wait_for("what was left has gone", lambda: left(history / "history.db") == 0)
        wait_for("ok", lambda: daemon.ask("/v1/health")["status"] == "ok")
        assert daemon.process.poll() is None and daemon.process.pid == process
print("a history that could only be read at the start is written once it can be")
