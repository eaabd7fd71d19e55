"""Asks etad how long neural networks take, from Python.

One file that needs the standard library only: import it where the package put it, or copy it. It speaks to the
daemon's Unix socket (docs/api.md) and keeps nothing.

    import etad
    client = etad.Client()
    answer = client.estimate("LeNet", phase="train", batch_size=64, iterations=10_000)
    print(answer.seconds, answer.lower, answer.upper)

    for run in client.runs(state="running"):
        print(run["network"], run["remaining"])

A scheduler that asks for a limit takes `answer.upper` with the confidence it wants:

    client.estimate("LeNet", phase="total", batch_size=64, iterations=10_000, test_interval=0, confidence=0.99).upper

What is as it was in a run of the history need not be said again:

    client.estimate(like=12, epochs=10, samples_per_epoch=60_000).upper

From the shell: `python3 etad.py estimate LeNet phase=train batch_size=64 iterations=10000`.
"""

from __future__ import annotations

import dataclasses
import http.client
import json
import os
import socket
import sys
import urllib.parse
from typing import Any, Iterator, Mapping, Optional, Union

__all__ = ["Client", "Estimate", "NoDaemon", "Problem", "default_socket"]

Json = dict[str, Any]
Value = Union[str, int, float, bool, None]


class NoDaemon(OSError):
    """No daemon answers at the socket, or not in time or not to the end; or it may not be opened."""


class Problem(Exception):
    """The daemon's refusal (RFC 9457): its status, and what would help."""

    def __init__(self, status: int, body: Json):
        super().__init__(str(body.get("detail") or body.get("title") or f"status {status}"))
        self.status = status
        self.title: str = str(body.get("title", ""))
        self.hint: Optional[str] = body.get("hint")
        self.candidates: list[Any] = body.get("candidates") or []
        self.body = body


@dataclasses.dataclass(frozen=True)
class Estimate:
    """How long it takes: `lower` to `upper` holds the actual time with the confidence that was asked for."""

    seconds: float
    lower: float
    upper: float
    seconds_per_iteration: Optional[float]
    samples_per_second: Optional[float]
    extrapolates: tuple[str, ...]  # the inputs that lie outside what was seen
    body: Json = dataclasses.field(repr=False)  # the whole answer

    @classmethod
    def of(cls, body: Json) -> "Estimate":
        return cls(body["seconds"], body["lower"], body["upper"], body.get("seconds_per_iteration"),
                   body.get("samples_per_second"), tuple(body.get("extrapolates") or ()), body)


@dataclasses.dataclass(frozen=True)
class Cost:
    """What it takes beside time: joules of all of it, or the peak bytes of a device."""

    value: float
    lower: float
    upper: float
    unit: str  # "J" or "B"
    body: Json = dataclasses.field(repr=False)  # the whole answer

    @classmethod
    def of(cls, body: Json) -> "Cost":
        return cls(body["value"], body["lower"], body["upper"], body["unit"], body)


def default_socket(environment: Mapping[str, str] = os.environ) -> str:
    """ETAD_SOCKET, the user's own daemon's socket where one answers, or the machine's: as etactl finds it."""
    if environment.get("ETAD_SOCKET"):
        return environment["ETAD_SOCKET"]

    def folder(variable: str, otherwise: str) -> str:  # the standard has relative ones ignored
        value = environment.get(variable, "")
        return value if value.startswith("/") else otherwise

    login = f"/run/user/{os.getuid()}"
    state = folder("XDG_STATE_HOME", folder("HOME", "") + "/.local/state")
    own = folder("XDG_RUNTIME_DIR", login if os.path.isdir(login) else state) + "/etad/etad.sock"
    try:  # a daemon that was killed leaves its socket behind
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
            asked.connect(own)
        return own
    except OSError:
        return "/run/etad/etad.sock"


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: Optional[float]):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(self._path)
        except OSError as error:
            self.sock.close()
            raise NoDaemon(error.errno, f"no daemon answers at {self._path}: {error.strerror}") from None


class Client:
    """One daemon. Each question has a connection of its own: a client may be shared between threads."""

    def __init__(self, socket_path: Optional[str] = None, timeout: float = 30.0):
        self.socket_path = socket_path or default_socket()
        self.timeout = timeout

    def get(self, path: str, **parameters: Value) -> Json:
        """The answer to GET `path`; parameters that are None are left out."""
        return self._ask("GET", _target(path, parameters))

    def openapi(self) -> Json:
        """The description of the whole API, in OpenAPI 3.1."""
        return self.get("/v1/openapi.json")

    def estimate(self, network: Optional[str] = None, *, phase: Optional[str] = None, iterations: Optional[int] = None,
                 batch_size: Optional[int] = None, settings: Optional[Mapping[str, str]] = None,
                 net: Optional[str] = None, **more: Value) -> Estimate:
        """GET /v1/estimate; `like=RUN` is a whole question, others say the phase and the iterations or epochs.

        `net` shows a network that never ran, as text: a prototxt, what Keras' model.summary() prints.
        Raises Problem: 404 where nothing is known, 409 where several deployments fit."""
        return Estimate.of(self._estimate(net, settings, network=network, phase=phase, iterations=iterations,
                                          batch_size=batch_size, **more))

    def cost(self, quantity: str, network: Optional[str] = None, *, settings: Optional[Mapping[str, str]] = None,
             net: Optional[str] = None, **more: Value) -> Cost:
        """The same question of `quantity` "energy" or "memory". Problem 404 where nobody measured that."""
        return Cost.of(self._estimate(net, settings, network=network, quantity=quantity, **more))

    def _estimate(self, net: Optional[str], settings: Optional[Mapping[str, str]], **parameters: Value) -> Json:
        parameters |= {f"setting.{name}": value for name, value in (settings or {}).items()}
        if net is not None:
            return self._post(_target("/v1/estimate", parameters), net, "text/plain; charset=utf-8")
        return self.get("/v1/estimate", **parameters)

    def what_if(self, network: Optional[str] = None, *, vary: str, values: Optional[list[Value]] = None,
                phase: Optional[str] = None, iterations: Optional[int] = None, **more: Value) -> Json:
        """GET /v1/whatif: rows of estimates, the best and the knee. Without `like=RUN`: of 1000 iterations of training."""
        listed = ",".join(map(str, values)) if values else None
        if "like" not in more:
            phase = phase or "train"
            iterations = iterations or (None if "epochs" in more else 1000)
        return self.get("/v1/whatif", network=network, vary=vary, values=listed, phase=phase, iterations=iterations, **more)

    def next_runs(self, network: Optional[str] = None, *, budget: Optional[float] = None, **more: Value) -> list[Json]:
        """GET /v1/next: the runs worth making, best first; `budget`: seconds for all of them."""
        return self.get("/v1/next", network=network, budget=budget, **more)["runs"]

    def runs(self, **filters: Value) -> Iterator[Json]:
        """All runs that fit (state, network, framework, since), the last that came first, fetched `limit` at a time."""
        return self._list("/v1/runs", "runs", filters)

    def run(self, run_id: int) -> Json:
        """One run in full: its usage, its predictions."""
        return self.get(f"/v1/runs/{run_id}")

    def networks(self) -> Iterator[Json]:
        return self._list("/v1/networks", "networks", {})

    def estimators(self, **filters: Value) -> Iterator[Json]:
        """Who answers which kind of question, and how well; `quantity` time, energy or memory."""
        return self._list("/v1/estimators", "estimators", filters)

    def models(self, **filters: Value) -> Iterator[Json]:
        return self._list("/v1/models", "models", filters)

    def accuracy(self, network: Optional[str] = None) -> Json:
        return self.get("/v1/accuracy", network=network)

    def watch(self, **filters: Value) -> Iterator[Json]:
        """Each matching run, then each that is new or has changed, for as long as the daemon lives."""
        connection = _Connection(self.socket_path, None)
        try:
            connection.request("GET", _target("/v1/runs", {**filters, "watch": True}))
            response = connection.getresponse()
            if response.status != 200:
                _object(response)
            for line in response:
                if line.strip():
                    yield json.loads(line)
        finally:
            connection.close()

    def label(self, run_id: int, **labels: Value) -> Json:
        """Says of a run what its log did not: label(7, batch_size=64); needs the right to change things."""
        return self._post(f"/v1/runs/{run_id}/labels", json.dumps(labels), "application/json")

    def _post(self, target: str, body: str, content_type: str) -> Json:
        return self._ask("POST", target, body.encode(), {"Content-Type": content_type})

    def _ask(self, method: str, target: str, body: Optional[bytes] = None, headers: Mapping[str, str] = {}) -> Json:
        connection = _Connection(self.socket_path, self.timeout)
        try:
            connection.request(method, target, body, headers)
            return _object(connection.getresponse())
        except NoDaemon:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise NoDaemon(f"the daemon at {self.socket_path} gave no answer: {error}") from None
        finally:
            connection.close()

    def _list(self, path: str, plural: str, filters: Mapping[str, Value]) -> Iterator[Json]:
        cursor: Value = None
        while True:
            page = self.get(path, **filters, cursor=cursor)
            yield from page[plural]
            cursor = page.get("next")
            if cursor is None:
                return


def _target(path: str, parameters: Mapping[str, Value]) -> str:
    given = {name: "true" if value is True else "false" if value is False else str(value)
             for name, value in parameters.items() if value is not None}
    return path + ("?" + urllib.parse.urlencode(given, quote_via=urllib.parse.quote) if given else "")


def _object(response: http.client.HTTPResponse) -> Json:
    try:
        body = json.loads(response.read())
    except ValueError:
        body = {"title": "The daemon answered with no JSON."}
    if not 200 <= response.status < 300:
        raise Problem(response.status, body if isinstance(body, dict) else {})
    return body


def _main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in ("estimate", "get"):
        print("usage: etad.py estimate NETWORK NAME=VALUE… | etad.py get PATH NAME=VALUE…", file=sys.stderr)
        return 2
    command, *rest = arguments
    parameters: dict[str, Any] = dict(each.split("=", 1) for each in rest if "=" in each)
    subject = next((each for each in rest if "=" not in each), None)
    client = Client(parameters.pop("socket", None))
    try:
        if command == "get":
            print(json.dumps(client.get(subject or "/v1", **parameters)))
        else:
            if subject:
                parameters["network"] = subject
            print(json.dumps(client.get("/v1/estimate", **parameters)))
    except Problem as problem:
        print(f"etad: {problem}" + (f" ({problem.hint})" if problem.hint else ""), file=sys.stderr)
        return 1
    except NoDaemon as error:
        print(f"etad: {error.strerror}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
