"""A daemon that is told to stop while logs are read again, forgotten and reloaded stops, and has them whole at the next
start: these stop following and begin it again, as its own stop does."""
import http.client
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from daemon_process import Daemon, UnixConnection, wait_for  # noqa: E402

STOPS = 12
ASKERS = 4


def ask_until_it_is_gone(path, first):
    """Changes of all kinds, one after another; how many were answered 200."""
    done = 0
    for turn in range(first, 100_000):
        try:
            connection = UnixConnection(path)
            connection.request("GET", "/v1/sources")
            source = json.loads(connection.getresponse().read())["sources"][0]["id"]
            target = f"/v1/sources/{source}/reread" if turn % 3 else "/v1/reload"
            connection.request("POST", target)
            answer = connection.getresponse()
            answer.read()
            done += answer.status == 200
            changed.set()
        except (OSError, http.client.HTTPException, KeyError, IndexError):
            return done
    return done


with tempfile.TemporaryDirectory() as folder:
    log = pathlib.Path(folder) / "lenet.log"
    shutil.copy(ROOT / "examples/caffe/lenet_b64_i500_tb100_ti50.log", log)
    wall_seconds = None
    for _ in range(STOPS):
        changed = threading.Event()
        with Daemon(sys.argv[1], folder, [f"{folder}/*.log"]) as daemon:
            wait_for("the log is read", lambda: [run["state"] for run in daemon.ask("/v1/runs")["runs"]] == ["finished"])
            run = daemon.ask("/v1/runs")["runs"][0]
            wall_seconds = wall_seconds or run["wall_seconds"]
            assert run["wall_seconds"] == wall_seconds, run
            askers = [threading.Thread(target=ask_until_it_is_gone, args=(f"{folder}/sock", i)) for i in range(ASKERS)]
            for asker in askers:
                asker.start()
            assert changed.wait(120)
            daemon.process.terminate()
            try:
                assert daemon.process.wait(timeout=120) == 0
            except subprocess.TimeoutExpired:
                daemon.process.kill()
                raise
            for asker in askers:
                asker.join()
print(f"stopped {STOPS} times amid changes")
