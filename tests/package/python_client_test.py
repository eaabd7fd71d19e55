#!/usr/bin/env python3
"""contrib/python/etad.py against a daemon: python_client_test.py BUILD"""
import contextlib
import io
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "contrib" / "python")]
import etad  # noqa: E402
from daemon_process import Daemon  # noqa: E402

EXAMPLES = sorted((ROOT / "examples" / "caffe").glob("*.log"))

NET = """name: "Deep"
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 32 dim: 32 } } }
layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 48 kernel_size: 5 } }
layer { name: "f" type: "InnerProduct" bottom: "c" top: "f" inner_product_param { num_output: 10 } }
"""


def raises(kind, what):
    try:
        what()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def check_examples(client):
    """Those of the module's own text: each indented paragraph, run in order."""
    names = {"client": client}
    found = [textwrap.dedent(each) for each in re.findall(r"(?:^    .*\n)+", etad.__doc__.replace("\n\n    for", "\n    for"), re.M)]
    assert len(found) == 3, found
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for example in found:
            exec(example, names)
    assert printed.getvalue().strip(), "the examples print nothing"
    shell = re.search(r"`(python3 etad\.py [^`]*)`", etad.__doc__)[1]
    asked = subprocess.run([sys.executable, *shell.split()[1:]], cwd=ROOT / "contrib" / "python", capture_output=True, text=True, check=False)
    assert asked.returncode == 0 and '"seconds"' in asked.stdout, asked.stderr


def check(client, folder):
    answer = client.estimate("LeNet", phase="train", batch_size=48, iterations=5000)
    assert 0 < answer.lower < answer.seconds < answer.upper, answer
    assert answer.body["network"] == "LeNet" and answer.extrapolates == ()
    wide = client.estimate("LeNet", phase="train", batch_size=48, iterations=5000, confidence=0.99)
    assert wide.upper > answer.upper
    total = client.estimate("LeNet", phase="total", batch_size=64, iterations=1000, test_interval=500,
                            test_iterations=100, test_batch_size=100)
    assert {part["phase"] for part in total.body["parts"]} >= {"train", "test"}
    memory = client.cost("memory", "LeNet", phase="train", batch_size=48, iterations=5000)
    assert memory.unit == "B" and 0 < memory.lower < memory.value < memory.upper, memory
    energy = raises(etad.Problem, lambda: client.cost("energy", "LeNet", phase="train", batch_size=48, iterations=5000))
    assert energy.status == 404 and energy.body["title"] == "Never measured", energy.body

    problem = raises(etad.Problem, lambda: client.estimate("lenett", phase="train", iterations=1))
    assert problem.status == 404 and "LeNet" in problem.candidates, problem.body
    assert raises(etad.Problem, lambda: client.get("/v1/estimate", network="LeNet")).status == 400

    never_ran = client.estimate(net=NET, phase="train", batch_size=64, iterations=1000)
    assert never_ran.body["kind"] == "network" and never_ran.body["network"] == "Deep", never_ran.body
    assert never_ran.lower < never_ran.seconds < never_ran.upper
    assert raises(etad.Problem, lambda: client.estimate(net="hello", phase="train", iterations=1)).status == 422

    assert len(list(client.runs(limit=2))) == len(EXAMPLES), "all pages of a list"
    assert all(run["network"] == "LeNet" for run in client.runs(network="LeNet"))
    newest = next(iter(client.runs()))
    assert client.run(newest["id"])["id"] == newest["id"]
    assert {each["network"] for each in client.networks()} == {"LeNet", "CIFAR10_quick"}
    assert all(each["network"] == "LeNet" for each in client.models(network="LeNet"))
    assert "overall" in client.accuracy()
    rows = client.what_if("LeNet", vary="batch_size", values=[16, 64])["rows"]
    assert [row["batch_size"] for row in rows] == [16, 64]
    rows = client.what_if(like=newest["id"], vary="batch_size", values=[16, 64], epochs=1, samples_per_epoch=6400)["rows"]
    assert [row["iterations"] for row in rows] == [400, 100]
    alike = client.estimate(like=newest["id"], epochs=2, samples_per_epoch=60_000)
    assert alike.body["phase"] == "total" and alike.body["network"] == newest["network"]
    assert {each["name"] for each in client.estimators()} >= {"end_to_end", "effects"}
    assert client.openapi()["openapi"].startswith("3.1.")
    planned = client.next_runs("LeNet", budget=7200, limit=2)
    assert 0 < len(planned) <= 2 and sum(run["seconds"] for run in planned) <= 7200, planned
    assert all(run["half_width_after_percent"] < run["half_width_before_percent"] for run in planned)
    assert client.label(newest["id"], gpus="0")["labels"] == {"gpus": "0"}

    seen = []
    thread = threading.Thread(target=lambda: seen.append(next(client.watch())), daemon=True)
    thread.start()
    thread.join(20)
    assert seen and "state" in seen[0]

    asked = subprocess.run([sys.executable, etad.__file__, "estimate", "LeNet", "phase=train", "batch_size=48", "iterations=10",
                            f"socket={folder}/sock"], capture_output=True, text=True, check=False)
    assert asked.returncode == 0 and '"seconds"' in asked.stdout, asked.stderr


def check_default_socket(listening, own):
    """The user's own daemon's, where one answers: in the runtime folder, or where there is none the state's."""
    (own / "etad").mkdir(parents=True)
    link = own / "etad" / "etad.sock"
    link.symlink_to(listening)
    assert etad.default_socket({"XDG_RUNTIME_DIR": str(own)}) == str(link)
    if not os.path.isdir(f"/run/user/{os.getuid()}"):
        assert etad.default_socket({"XDG_STATE_HOME": str(own)}) == str(link)
        assert etad.default_socket({"XDG_STATE_HOME": "own", "HOME": "/nonexistent"}) == "/run/etad/etad.sock"
    link.unlink()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(link))
    assert etad.default_socket({"XDG_RUNTIME_DIR": str(own)}) == "/run/etad/etad.sock", "nobody listens there"


def main():
    build = pathlib.Path(sys.argv[1])
    assert etad.default_socket({"ETAD_SOCKET": "/x"}) == "/x"
    assert etad.default_socket({"XDG_RUNTIME_DIR": "/nonexistent"}) == "/run/etad/etad.sock"
    raises(etad.NoDaemon, lambda: etad.Client("/nonexistent/sock").get("/v1"))
    with tempfile.TemporaryDirectory() as folder, Daemon(build, folder, []):
        check_default_socket(f"{folder}/sock", pathlib.Path(folder) / "own")
        etactl = [str(build / "etactl"), "--socket", f"{folder}/sock"]
        subprocess.run([*etactl, "import", *map(str, EXAMPLES)], check=True, capture_output=True)
        subprocess.run([*etactl, "refit"], check=True, capture_output=True)
        check(etad.Client(f"{folder}/sock"), folder)
        only_tests = ROOT / "tests" / "data" / "caffe" / "test_cifar10_quick_b100_n50.log"
        subprocess.run([*etactl, "import", only_tests], check=True, capture_output=True)
        client = etad.Client(f"{folder}/sock")
        alike = client.estimate(like=next(run["id"] for run in client.runs() if run["job"] == "test"))
        assert alike.body["phase"] == "test" and alike.body["iterations"] == 50, alike.body
        os.environ["ETAD_SOCKET"] = f"{folder}/sock"
        check_examples(etad.Client())
    print("python_client_test: all is well")


if __name__ == "__main__":
    main()
