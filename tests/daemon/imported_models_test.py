"""Who imports a log can ask about it within seconds, however long the interval of the refits is."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from daemon_process import Daemon, wait_for  # noqa: E402

BUILD = sys.argv[1]
LOGS = [ROOT / "examples/caffe/lenet_b128_i400_tb100_ti50.log", *sorted((ROOT / "examples/caffe").glob("cifar10*.log"))[:1]]


def answers(daemon, network):
    return "seconds" in daemon.ask(f"/v1/estimate?network={network}&phase=train&batch_size=128&iterations=1000")


with tempfile.TemporaryDirectory() as folder:
    daemon = Daemon(BUILD, folder, [f"{folder}/*.log"])
    config = pathlib.Path(folder) / "etad.toml"
    config.write_text(config.read_text() + '[refit]\ninterval = "1h"\n')
    with daemon:
        wait_for("the first refit", lambda: daemon.ask("/v1/health").get("last_refit"))
        for log in LOGS:
            subprocess.run([f"{BUILD}/etactl", "--socket", f"{folder}/sock", "import", log], check=True,
                           stdout=subprocess.DEVNULL)
            network = daemon.ask("/v1/runs")["runs"][0]["network"]
            wait_for(f"an estimate of {network}", lambda: answers(daemon, network))
print("what was imported is answered, each time anew")
