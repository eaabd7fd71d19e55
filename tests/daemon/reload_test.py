"""A reload while the rule files are away, as while a package is replaced, leaves those in force: a line that nobody
understands then would not be read again. A log that no pattern finds after a reload is said not to be followed. A
configuration that was not there at the start is read. Whoever waits for a change of the history keeps nobody from
answering the watchdog. A hang-up while the daemon starts ends nothing, and what was changed meanwhile is read."""
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from daemon_process import Daemon, UnixConnection, wait_for  # noqa: E402


def reload(folder):
    connection = UnixConnection(f"{folder}/sock")
    connection.request("POST", "/v1/reload")
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


with tempfile.TemporaryDirectory() as folder:
    rules, away = pathlib.Path(folder) / "rules", pathlib.Path(folder) / "away"
    rules.mkdir()
    text = (ROOT / "etc/rules.d/caffe.toml").read_text()
    (rules / "caffe.toml").write_text(text)
    with Daemon(sys.argv[1], folder, [f"{folder}/*.log"], rules=rules):
        rules.rename(away)
        status, problem = reload(folder)
        assert status == 422 and "no rule files" in problem["detail"], (status, problem)
        away.rename(rules)
        status, answer = reload(folder)
        assert status == 200 and answer == {"reloaded": True, "after_restart": []}, (status, answer)
print("a reload without rule files was refused")

with tempfile.TemporaryDirectory() as folder:
    log, config = pathlib.Path(folder) / "train.log", pathlib.Path(folder) / "etad.toml"
    log.write_text("a line\n")
    with Daemon(sys.argv[1], folder, [f"{folder}/*.log"]) as daemon:
        def state():
            return [source["state"] for source in daemon.ask("/v1/sources")["sources"]]

        wait_for("the log is followed", lambda: state() == ["following"])
        with_it = config.read_text()
        for text, expected in [(with_it.replace("*.log", "*.other"), "not followed: no pattern finds it"),
                               (with_it, "following")]:
            config.write_text(text)
            status, answer = reload(folder)
            assert status == 200, answer
            wait_for(expected, lambda: state() == [expected])
        # What waits for a restart is not in force before.
        config.write_text('host = "other"\n' + with_it)
        status, answer = reload(folder)
        assert (status, answer["after_restart"]) == (200, ["host"]), (status, answer)
        sample = (ROOT / "tests/data/caffe/lenet_b16_i800_tb10_ti40.log").read_text()
        (pathlib.Path(folder) / "new.log").write_text(sample)
        wait_for("the new log's runs", lambda: daemon.ask("/v1/runs")["runs"])
        assert daemon.ask("/v1/runs")["runs"][0]["host"] != "other", daemon.ask("/v1/runs")["runs"]
print("a log that no pattern finds any more was not said to be followed")

with tempfile.TemporaryDirectory() as folder:
    config, path = pathlib.Path(folder) / ".config/etad/etad.toml", pathlib.Path(folder) / "etad/etad.sock"
    environment = {"HOME": folder, "XDG_RUNTIME_DIR": folder, "PATH": os.environ["PATH"]}
    daemon = subprocess.Popen([f"{sys.argv[1]}/etad", "--user"], env=environment, stderr=subprocess.DEVNULL)

    def ask(method, target):
        connection = UnixConnection(str(path))
        connection.request(method, target)
        return json.loads(connection.getresponse().read())

    try:
        wait_for("it listens", path.exists)
        config.parent.mkdir(parents=True)
        config.write_text(f"[[source]]\npaths = ['{folder}/*.log']\n")
        (pathlib.Path(folder) / "train.log").write_text("a line\n")
        ask("POST", "/v1/reload")
        wait_for("the log is followed", lambda: ask("GET", "/v1/sources")["sources"])
    finally:
        daemon.kill()
        daemon.wait()
print("a configuration that was written after the start was read")

with tempfile.TemporaryDirectory() as folder:
    def ask(method, target):
        connection = UnixConnection(f"{folder}/sock")
        connection.request(method, target, body=b"a line\n" if target == "/v1/imports" else None)
        connection.getresponse().read()

    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(f"{folder}/notify")
    manager.settimeout(120)
    prefix = ["env", f"NOTIFY_SOCKET={folder}/notify", "WATCHDOG_USEC=600000"]
    with Daemon(sys.argv[1], folder, [f"{folder}/*.log"], prefix) as daemon:
        threads = pathlib.Path(f"/proc/{daemon.process.pid}/task")
        before = len(list(threads.iterdir()))
        other = sqlite3.connect(f"{folder}/history.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")  # as a change that takes its time: the daemon waits for five seconds
        askers = [threading.Thread(target=ask, args=("DELETE", "/v1/owners/4711"))]
        askers[0].start()
        wait_for("following has stopped for it", lambda: len(list(threads.iterdir())) < before)
        askers.append(threading.Thread(target=ask, args=("POST", "/v1/imports")))
        askers[1].start()
        daemon.process.send_signal(signal.SIGHUP)
        while not (said := manager.recv(4096)).startswith(b"RELOADING=1"):
            pass
        for _ in range(3):
            said = manager.recv(4096)
            assert said.startswith(b"WATCHDOG=1"), said
        other.execute("ROLLBACK")
        while not (said := manager.recv(4096)).startswith(b"READY=1"):
            pass
        for asker in askers:
            asker.join()
print("the watchdog was answered while a reload waited for a change of the history")

with tempfile.TemporaryDirectory() as folder:
    config, path = pathlib.Path(folder) / ".config/etad/etad.toml", pathlib.Path(folder) / "etad/etad.sock"
    config.parent.mkdir(parents=True)
    config.write_text("# a long one, which takes its time to understand\n" * 250_000)
    daemon = subprocess.Popen([f"{sys.argv[1]}/etad", "--user"], stderr=subprocess.DEVNULL,
                              env={"HOME": folder, "XDG_RUNTIME_DIR": folder, "PATH": os.environ["PATH"]})

    def bytes_read():
        return int(pathlib.Path(f"/proc/{daemon.pid}/io").read_text().split()[1])

    def sources():
        connection = UnixConnection(str(path))
        connection.request("GET", "/v1/sources")
        return json.loads(connection.getresponse().read())["sources"]

    try:
        while daemon.poll() is None and bytes_read() < config.stat().st_size:
            pass
        config.write_text(f"[[source]]\npaths = ['{folder}/*.log']\n")
        (pathlib.Path(folder) / "train.log").write_text("a line\n")
        daemon.send_signal(signal.SIGHUP)
        wait_for("it listens", path.exists)
        wait_for("the log is followed", sources)
    finally:
        daemon.kill()
        daemon.wait()
print("a hang-up during the start was a reload")
