"""[command_line] with a daemon that has confined itself: its reading process sees who writes a log, goes with the
daemon, and is told of when it goes before; patterns that a reload brings to a daemon without one are told, too."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from daemon_process import Daemon, UnixConnection, wait_for  # noqa: E402

PATTERNS = "[command_line]\npatterns = ['--batch-size (?P<batch_size>\\d+)']\n"
LINE = "Epoch: [0][%d/1000]\\tTime  0.250 ( 0.260)\\tData  0.010 ( 0.012)\\tLoss 6.9e+00 (6.9e+00)\\n"
TRAINING = f"""
import sys, time
with open(sys.argv[1], "a") as log:
    for i in range(0, 1000, 10):
        log.write("{LINE}" % i)
        log.flush()
        time.sleep(0.5)
"""


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid):
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


with tempfile.TemporaryDirectory() as folder:
    daemon = Daemon(sys.argv[1], folder, [f"{folder}/*.log"])
    config, journal = pathlib.Path(folder) / "etad.toml", pathlib.Path(folder) / "log"
    plain = config.read_text()
    config.write_text(plain + PATTERNS)
    training = subprocess.Popen([sys.executable, "-c", TRAINING, f"{folder}/train.log", "--batch-size", "64"])
    try:
        with daemon:
            wait_for("the batch size of the command line", lambda: any(
                run.get("train", {}).get("batch_size") == 64 for run in daemon.ask("/v1/runs")["runs"]))
            assert "could not confine itself" not in journal.read_text()
            confined = "has no Landlock" not in journal.read_text()
            reader, = children(daemon.process.pid)
            os.kill(reader, signal.SIGKILL)
            wait_for("a word on the reading process", lambda: "command lines is gone" in journal.read_text())
            assert daemon.ask("/v1/health")["status"] == "ok"
        with daemon:
            reader, = children(daemon.process.pid)
            daemon.process.send_signal(signal.SIGTERM)
            daemon.process.wait()
            assert not is_alive(reader) and "is gone" not in journal.read_text()
        with daemon:
            reader, = children(daemon.process.pid)
            daemon.process.kill()
            wait_for("the end of the reading process", lambda: not is_alive(reader))
        config.write_text(plain)
        with daemon:
            assert not children(daemon.process.pid)
            config.write_text(plain + PATTERNS)
            connection = UnixConnection(f"{folder}/sock")
            connection.request("POST", "/v1/reload")
            assert json.loads(connection.getresponse().read())["after_restart"] == ["[command_line]"]
            assert "[command_line] has changed, which takes effect with the next start" in journal.read_text()
    finally:
        training.kill()
        training.wait()
print("command lines were read", "by a confined daemon" if confined else "(this kernel has no Landlock)")
