"""A PostgreSQL server in a folder of its own, and hosts that carry their histories into it: for scripts/fleet-test
and scripts/bench."""
import glob
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from daemon_process import UnixConnection  # noqa: E402

DEADLINE = 180


def rules_of(build):
    """The rules that belong to the daemon of a build: an older one may not know what today's rules say."""
    cache = pathlib.Path(build) / "CMakeCache.txt"
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    theirs = pathlib.Path(home[1] if home else ROOT) / "etc/rules.d"
    return theirs if theirs.exists() else ROOT / "etc/rules.d"


def wait_until(what, condition, deadline=DEADLINE):
    end = time.monotonic() + deadline
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"fleet-test: after {deadline} s still not: {what}")
        time.sleep(0.02)


class Server:
    """A PostgreSQL cluster of its own, reached through a socket in its folder. Runs as an unprivileged user, as
    PostgreSQL insists."""

    @staticmethod
    def installed():
        return bool(glob.glob("/usr/lib/postgresql/*/bin/postgres"))

    def __init__(self, folder):
        self.folder, self.data, self.sockets, self.process = folder, folder / "data", folder / "s", None
        self.bin = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.user = "postgres"
        self.sockets.mkdir(parents=True)
        if os.getuid() == 0:
            shutil.chown(folder, self.user)
            shutil.chown(self.sockets, self.user)
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"listen_addresses = ''\nunix_socket_directories = '{self.sockets}'\nlog_min_messages = panic\n"
                       "max_connections = 1100\nrestart_after_crash = off\n")

    @classmethod
    def replica_of(cls, primary, folder):
        """A standby that streams from the primary, not yet started."""
        self = cls.__new__(cls)
        self.folder, self.data, self.sockets, self.process = folder, folder / "data", folder / "s", None
        self.bin, self.user = primary.bin, primary.user
        self.sockets.mkdir(parents=True)
        if os.getuid() == 0:
            shutil.chown(folder, self.user)
            shutil.chown(self.sockets, self.user)
        self.run("pg_basebackup", "-d", primary.url(database="postgres") + " application_name=replica", "-D", self.data,
                 "-X", "stream", "-c", "fast", "-R", "--no-sync")
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"unix_socket_directories = '{self.sockets}'\n")
        return self

    def promote(self):
        self.run("pg_ctl", "promote", "-w", "-D", self.data)

    def as_user(self, command):
        return ["setpriv", "--reuid", self.user, "--regid", self.user, "--init-groups", *command] \
            if os.getuid() == 0 else command

    def run(self, program, *arguments):
        subprocess.run(self.as_user([str(self.bin / program), *map(str, arguments)]), check=True,
                       stdout=subprocess.DEVNULL, cwd="/")

    def launch(self):
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(self.as_user([str(self.bin / "postgres"), "-D", str(self.data)]),
                                            stdout=log, stderr=log, cwd="/", start_new_session=True)

    def start(self):
        """It gives up where what the system has for servers is still held by one that was killed: begun again."""
        self.launch()

        def answers():
            if self.process.poll() is not None:
                self.launch()
            return self.try_sql("SELECT 1") == [["1"]]

        wait_until("the server answers", answers)

    def make_fleet(self):
        """The fleet's database with its roles, without tables."""
        self.sql("CREATE DATABASE fleet", "postgres")
        self.sql("CREATE ROLE etad_writer; CREATE ROLE etad_reader; CREATE ROLE etad_models;"
                 " CREATE ROLE exporter LOGIN IN ROLE etad_writer; CREATE ROLE analyst LOGIN IN ROLE etad_reader;"
                 " CREATE ROLE asker LOGIN IN ROLE etad_reader, etad_models")

    def migration(self, build):
        """The command that makes its tables."""
        owner = self.folder / "owner.toml"
        owner.write_text(f'database = "{self.url()}"\n')
        return [build / "etad-export", "--config", owner, "--migrate"]

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self):
        if self.process and self.process.poll() is None:
            self.kill()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)

    def url(self, user="postgres", database="fleet"):
        return f"host={self.sockets} user={user} dbname={database}"

    def try_sql(self, sql, database="postgres"):
        done = subprocess.run([self.bin / "psql", self.url(database=database), "-X", "-q", "-A", "-t", "-F", "\x1f", "-v",
                               "ON_ERROR_STOP=1", "-c", sql], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        return [line.split("\x1f") for line in done.stdout.splitlines()]

    def sql(self, sql, database="fleet"):
        rows = self.try_sql(sql, database)
        if rows is None:
            raise SystemExit(f"fleet-test: the server refused: {sql[:200]}")
        return rows


class Host:
    """A daemon with its history, and the exporter beside it."""

    def __init__(self, build, folder, name, server):
        self.build, self.folder, self.name, self.machine = build, folder, name, f"machine-{name}"
        self.logs = folder / "logs"
        self.logs.mkdir(parents=True)
        self.server, self.daemon, self.exporter, self.kills = server, None, None, 0
        self.database = None  # how the exporter reaches the server, where that is not as everybody does
        self.configure()

    def configure(self, extra=""):
        (self.folder / "etad.toml").write_text(
            f'host = "{self.name}"\n[storage]\npath = "{self.folder}/history.db"\nmachine = "{self.machine}"\n'
            f'[socket]\npath = "{self.folder}/sock"\n[rules]\npath = "{rules_of(self.build)}"\n'
            f'[follow]\npoll = 0.05\nscan = 0.2\n[[source]]\npaths = ["{self.logs}/*.log"]\n')
        (self.folder / "export.toml").write_text(
            f'database = "{self.database or self.server.url("exporter")}"\nhistory = "{self.folder}/history.db"\nhost = "{self.name}"\n'
            f'metrics = "{self.folder}/export.prom"\ninterval = 1\nbatch = 7\nseries = ["gpu."]\n{extra}')

    def start_daemon(self):
        with open(self.folder / "etad.log", "ab") as log:
            self.daemon = subprocess.Popen([self.build / "etad", "--config", self.folder / "etad.toml"], stderr=log)
        wait_until(f"the daemon of {self.name} answers", self.answers)

    def answers(self):
        try:
            return self.ask("/v1/health") is not None
        except (OSError, http.client.HTTPException):
            return False

    def stop_daemon(self):
        self.daemon.send_signal(signal.SIGTERM)
        if self.daemon.wait(timeout=120) != 0:
            raise SystemExit(f"fleet-test: the daemon of {self.name} failed; see {self.folder}/etad.log")

    def ask(self, path, method="GET", body=None, may_fail=False):
        connection = UnixConnection(str(self.folder / "sock"))
        connection.request(method, path, body)
        response = connection.getresponse()
        text = response.read()
        if response.status >= 400 and not may_fail:
            raise SystemExit(f"fleet-test: {method} {path}: {text[:300]}")
        return json.loads(text) if text else {}

    def bring(self, log):
        """Imports a log as one of this host's own."""
        subprocess.run([self.build / "etactl", "--socket", self.folder / "sock", "import", "--host", self.name, log],
                       check=True, stdout=subprocess.DEVNULL)

    def start_exporter(self):
        with open(self.folder / "export.log", "ab") as log:
            self.exporter = subprocess.Popen([self.build / "etad-export", "--config", self.folder / "export.toml"],
                                             stderr=log)

    def kill_exporter(self):
        self.exporter.kill()
        self.exporter.wait()
        self.kills += 1

    def export_once(self, check=True):
        done = subprocess.run([self.build / "etad-export", "--config", self.folder / "export.toml", "--once"],
                              stderr=subprocess.PIPE, text=True, check=False)
        if check and done.returncode != 0:
            raise SystemExit(f"fleet-test: the exporter of {self.name}: {done.stderr}")
        return done

    def metric(self, name, default=None):
        """What the exporter last said of itself."""
        file = self.folder / "export.prom"
        for line in file.read_text().splitlines() if file.exists() else []:
            if line.startswith(f"etad_export_{name} "):
                return float(line.split()[1])
        if default is None:
            raise SystemExit(f"fleet-test: the exporter of {self.name} does not tell {name}")
        return default

    def history(self, sql):
        connection = sqlite3.connect(f"file:{self.folder}/history.db?mode=ro", uri=True)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def run_ids(self):
        return [row[0] for row in self.history("SELECT id FROM runs ORDER BY id")]
