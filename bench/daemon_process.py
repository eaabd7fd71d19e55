"""A daemon to measure: started on a folder of its own, asked over its socket."""
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=120)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Asker:
    """Asks over one connection and reads the body as it is: what a client makes of it should not count as the daemon's."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(120)
        self.sock.connect(path)

    def __call__(self, target):
        self.sock.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = bytearray()
        while (end := head.find(b"\r\n\r\n")) < 0:
            head += self._more()
        length = int(re.search(rb"\r\ncontent-length: (\d+)", head[:end], re.IGNORECASE)[1])
        body = head[end + 4:]
        while len(body) < length:
            body += self._more()
        return bytes(body)

    def _more(self):
        bytes_read = self.sock.recv(1 << 16)
        if not bytes_read:
            raise ConnectionError("the daemon closed the connection")
        return bytes_read


def wait_for(what, condition):
    """Until it holds; `what` is said where it does not within two minutes."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


class Daemon:
    def __init__(self, build, folder, patterns, prefix=(), rules=ROOT / "etc/rules.d"):
        self.folder = pathlib.Path(folder)
        sources = "".join(f'[[source]]\npaths = ["{pattern}"]\n' for pattern in patterns)
        (self.folder / "etad.toml").write_text(
            f'[storage]\npath = "{folder}/history.db"\n[socket]\npath = "{folder}/sock"\n'
            f'[rules]\npath = "{rules}"\n{sources}')
        self.command = [*prefix, str(pathlib.Path(build) / "etad"), "--config", f"{folder}/etad.toml"]
        self.process = self.connection = None

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stderr=open(self.folder / "log", "wb"))
        while True:
            try:
                self.ask("/v1")
                return self
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit((self.folder / "log").read_text())
                time.sleep(0.01)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def ask(self, path):
        kept = self.connection is not None
        if not kept:
            self.connection = UnixConnection(f"{self.folder}/sock")
        try:
            self.connection.request("GET", path)
            return json.loads(self.connection.getresponse().read())
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            if not kept:
                raise
        return self.ask(path)  # the daemon closes what is quiet for long

    def asker(self):
        return Asker(f"{self.folder}/sock")

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mib(self, key="VmRSS"):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) / 1024
        return 0.0

    def forget_peak(self):
        """VmHWM counts from here on."""
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
