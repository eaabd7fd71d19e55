"""Who imports a log or labels a run can ask about it within seconds, however long the interval of the refits is."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from daemon_process import Daemon, wait_for  # noqa: E402

BUILD = sys.argv[1]
LOGS = [ROOT / f"examples/caffe/{name}.log" for name in ("lenet_b128_i400_tb100_ti50", "cifar10_quick_b16_i250_tb25_ti40")]

WITHOUT_A_DEVICE = "".join(f"Epoch: [0][{i}/1000]\tTime  0.250 ( 0.260)\tData  0.010 ( 0.012)\tLoss 6.9e+00 (6.9e+00)\n"
                           for i in range(0, 1000, 10))


def answers(daemon, **of):
    of = "&".join(f"{key}={value}" for key, value in of.items())
    return "seconds" in daemon.ask(f"/v1/estimate?{of}&phase=train&batch_size=128&iterations=1000")


with tempfile.TemporaryDirectory() as folder:
    def etactl(*words):
        subprocess.run([f"{BUILD}/etactl", "--socket", f"{folder}/sock", *words], check=True, stdout=subprocess.DEVNULL)

    daemon = Daemon(BUILD, folder, [f"{folder}/*.log"])
    config = pathlib.Path(folder) / "etad.toml"
    config.write_text(config.read_text() + '[refit]\ninterval = "1h"\n')
    with daemon:
        wait_for("the first refit", lambda: daemon.ask("/v1/health").get("last_refit"))
        for log in LOGS:
            etactl("import", log)
            network = daemon.ask("/v1/runs")["runs"][0]["network"]
            wait_for(f"an estimate of {network}", lambda: answers(daemon, network=network))
        log = pathlib.Path(folder) / "train.txt"
        log.write_text(WITHOUT_A_DEVICE)
        etactl("import", "--label", "network=mine", "--label", "batch_size=128", log)
        wait_for("an estimate of it", lambda: answers(daemon, network="mine"))
        etactl("label", str(daemon.ask("/v1/runs")["runs"][0]["id"]), "device=V100")
        wait_for("an estimate for its device", lambda: answers(daemon, network="mine", device="V100"))
print("what was imported and labelled is answered, each time anew")
