#!/usr/bin/env python3
"""Every panel of the Grafana dashboard, asked of a real Prometheus that scrapes a daemon with running trainings.

What Grafana would send is what is sent here: the expressions, with the dashboard's variables filled in. Exits 77
where prometheus is not installed.

  tests/package/dashboard_test.py BUILD
"""
import datetime
import http.client
import http.server
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "page")]
from daemon_process import Daemon, UnixConnection  # noqa: E402
from machine import Training  # noqa: E402

PATIENCE = 60  # seconds until a panel must have data
# Panels that say nothing while all is well.
QUIET = {"Failing parts"}


def metrics_server(path):
    """GET /metrics of the daemon's socket over TCP, for a Prometheus on this machine."""
    class Relay(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            connection = UnixConnection(path)
            connection.request("GET", "/metrics", headers={"Accept": self.headers.get("Accept", "")})
            answer = connection.getresponse()
            body = answer.read()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.getheader("Content-Type"))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def query(port, expression):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
    return json.loads(connection.getresponse().read())


def panels():
    for panel in json.loads((ROOT / "etc" / "grafana" / "etad.json").read_text())["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"].replace("$__rate_interval", "10s").replace("$instance", ".*")


def fit(daemon, runs):
    """Models of what has been read, without waiting for the daemon's own round."""
    end = time.monotonic() + PATIENCE
    while daemon.ask("/v1/health")["history"]["runs"] < runs and time.monotonic() < end:
        time.sleep(0.1)
    connection = UnixConnection(f"{daemon.folder}/sock")
    connection.request("POST", "/v1/refit")
    assert connection.getresponse().status == 200


def check(port):
    """The panels without data, asked again until there are none or the time is up; how many there are."""
    waiting, asked = list(panels()), 0
    end = time.monotonic() + PATIENCE
    asked = len(waiting)
    while waiting and time.monotonic() < end:
        left = []
        for title, expression in waiting:
            try:
                answer = query(port, expression)
            except OSError:
                answer = {"status": "starting", "data": {"result": []}}
            assert answer["status"] != "error", f"{title}: {expression}: {answer.get('error')}"
            if not answer["data"]["result"] and title not in QUIET:
                left.append((title, expression))
        waiting = left
        if waiting:
            time.sleep(0.5)
    return waiting, asked


def main():
    if not shutil.which("prometheus"):
        print("dashboard_test: prometheus is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="etad-") as folder:
        now = datetime.datetime.now()
        for i, batch in enumerate((32, 64, 128)):
            begun = now - datetime.timedelta(minutes=30 - 5 * i)
            (pathlib.Path(folder) / f"past{i}.log").write_text(Training(begun, batch=batch, step=0.01 + batch * 6e-4, seed=i).text())
        running = Training(now - datetime.timedelta(minutes=8), batch=64, iterations=20_000, seed=9)
        (pathlib.Path(folder) / "running.log").write_text(running.text(now))
        with Daemon(sys.argv[1], folder, [f"{folder}/*.log"]) as daemon:
            fit(daemon, runs=4)
            server, port = metrics_server(f"{folder}/sock"), free_port()
            (pathlib.Path(folder) / "prometheus.yml").write_text(json.dumps({
                "global": {"scrape_interval": "1s"},
                "scrape_configs": [{"job_name": "etad", "static_configs": [{"targets": [f"127.0.0.1:{server.server_port}"]}]}]}))
            prometheus = subprocess.Popen(["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
                                           f"--web.listen-address=127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
            try:
                empty, asked = check(port)
            finally:
                prometheus.terminate()
                prometheus.wait()
                server.shutdown()
    for title, expression in empty:
        print(f"dashboard_test: {title} shows nothing: {expression}")
    print(f"{asked - len(empty)} passed, {len(empty)} failed")
    return 1 if empty else 0


if __name__ == "__main__":
    sys.exit(main())
