"""Measurements that others published, as runs that etad-rivals reads: one file a cut.

Each table is as its publishers have it, columns selected and renamed. A table that is not there is left out. Cuts are
made by hashes of names, so that they are the same on every machine and nobody chose them.
"""
import csv
import hashlib
import pathlib
import re

OURS = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "measurements"
MOST_SAMPLES = 256
PLACEMENTS = 60  # of a draw
FEWEST_SIZES = 4


def number_of(name):
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)


def halves(rows, name_of):
    """Two cuts: each row goes where the hash of its name says."""
    return [[row for row in rows if number_of(name_of(row)) % 2 == half] for half in (0, 1)]


def draws(rows, name_of, size, number):
    """Cuts of so many names each, disjoint, in the order of the names' hashes."""
    names = sorted({name_of(row) for row in rows}, key=number_of)
    chosen = [set(names[i * size:(i + 1) * size]) for i in range(number)]
    return [[row for row in rows if name_of(row) in names] for names in chosen]


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, skipinitialspace=True))


# NVIDIA/DeepLearningExamples, READMEs' tables of inference by batch size: table, other ("name=value; ..."), batch_size,
# column, quantity (latency_ms or throughput), value; beside it table, readme, section.
MEASURED = re.compile(r"latenc|throughput|speedup|%|^l?a?t?e?n?c?y?$", re.I)


def device_of(section):
    """One GPU of the section's; None: there are several."""
    number = re.search(r"\((\d+)\s*x", section)
    model = re.findall(r"A100 \d+G|A100|V100 \d+G|V100|A30|A10|T4", section)
    return model[-1] if model and (not number or number[1] == "1") else None


def settings_of(other):
    parts = (part.strip().partition("=") for part in other.split("; "))
    said = {name.strip(): value.strip() for name, _, value in parts}
    return {name: value for name, value in said.items() if value and not MEASURED.search(name)}


def project_of(readme):
    return readme.removesuffix("/README.md")


def precision_of(*texts):
    found = re.search(r"TF32|FP32|FP16|mixed", " ".join(texts), re.I)
    return found[0].upper() if found else ""


def latency_rows(values, tables):
    order = {}  # tables of one section, by their order in it
    for table in tables:
        place = order.setdefault((table["readme"], table["section"]), [])
        place.append(table["table"])
    of = {table["table"]: table for table in tables}
    points = {}
    for row in values:
        table = of[row["table"]]
        device = device_of(table["section"])
        samples = float(row["batch_size"])
        if not device or not re.search("inference|TRT", table["section"], re.I) or samples > MOST_SAMPLES:
            continue
        settings = settings_of(row["other"])
        value = float(row["value"])
        names = [project_of(table["readme"]), settings.pop("model", ""), *re.findall("Base|Large", table["section"])]
        point = {"network": ":".join(filter(None, names)), "phase": "test", "batch_size": samples, "device": device,
                 "iterations": 1, "setting.table": order[table["readme"], table["section"]].index(row["table"]),
                 "setting.precision": precision_of(settings.pop("precision", ""), row["column"], table["section"])}
        point.update({f"setting.{name.replace(' ', '_')}": value for name, value in settings.items()})
        latency = row["quantity"] == "latency_ms"
        if value > 0 and (latency or str(point) not in points):  # the mean latency, where there is one
            points[str(point)] = point | {"seconds": value / 1000 if latency else samples / value}
    return list(points.values())


def latencies(folder):
    rows = latency_rows(read(folder / "by_batch_size.csv"), read(folder / "by_batch_size_tables.csv"))
    return halves(rows, lambda row: row["network"].partition(":")[0])


# Pollux (petuum/adaptdl) and Sia (siasosp23/artifacts): cluster, network, placement (a digit a node: its GPUs), nodes,
# devices, local_batch, step_s.
def steps(folder):
    rows = [{"network": row["network"], "phase": "train", "device": row["cluster"], "nodes": row["nodes"],
             "devices": row["devices"], "batch_size": float(row["local_batch"]) * float(row["devices"]),
             "iterations": 1, "setting.placement": row["placement"], "seconds": float(row["step_s"])}
            for row in read(folder / "step_times_by_placement.csv")]

    def placement(row):
        return "/".join([row["device"], row["network"], row["setting.placement"]])

    sizes = {}
    for row in rows:
        sizes.setdefault(placement(row), set()).add(row["batch_size"])
    rows = [row for row in rows if len(sizes[placement(row)]) >= FEWEST_SIZES]
    return draws(rows, placement, PLACEMENTS, 2)


# LambdaColdStorage/lambda-tensorflow-benchmark and Northern-Data-AG/ND-tensorflow-benchmark: machine, model, batch_dev,
# gpus, precision, mode, variables, data, gpu_name, total_ips.
def machine_rows(folder):
    return [{"network": row["model"], "phase": "train" if row["mode"] == "train" else "test", "device": row["gpu_name"],
             "host": row["machine"], "framework": "tensorflow", "devices": row["gpus"],
             "batch_size": float(row["batch_dev"]) * float(row["gpus"]), "iterations": 1,
             "setting.precision": row["precision"], "setting.variables": row["variables"],
             "seconds": float(row["batch_dev"]) * float(row["gpus"]) / float(row["total_ips"])}
            for row in read(folder / "tf_cnn_machines.csv") if row["data"] == "syn"]


def machines(folder):
    return halves(machine_rows(folder), lambda row: row["host"])


def all_machines(folder):
    return [machine_rows(folder)]


# ml-energy/zeus, the trace of NSDI 2023: dataset, network, batch_size, optimizer, power_limit, time_per_epoch (s),
# average_power (W). An epoch is of one number of samples per network, which scales all its runs alike.
def energy_rows(path):
    out = []
    for row in read(path):
        seconds = float(row["time_per_epoch"]) * float(row["batch_size"]) / 50000
        out.append({"network": "/".join([row["dataset"], row["network"]]), "phase": "train", "device": path.stem,
                    "batch_size": row["batch_size"], "iterations": 1, "setting.optimizer": row["optimizer"],
                    "setting.power_limit": row["power_limit"], "seconds": seconds,
                    "energy_joules": seconds * float(row["average_power"])})
    return out


def energy(folder):
    cuts = [halves(energy_rows(folder / f"energy_{gpu}.csv"), lambda row: row["network"] + row["setting.optimizer"])
            for gpu in ("v100", "rtx6000")]
    return [half for cut in cuts for half in cut]


def all_energy(folder):
    return [energy_rows(folder / f"energy_{gpu}.csv") for gpu in ("v100", "rtx6000")]


# CDECatapult/ml-performance-prediction: VGG-16's forward pass on a V100 by batch size.
def memory(folder):
    return [[{"network": row["operation"], "phase": "test", "batch_size": row["batchsize"], "device": "V100",
              "iterations": 1, "peak_memory_bytes": float(row["memory use (MB)"]) * 1e6}
             for row in read(folder / "memory_vgg16_fw.csv")]]


# dividiti/ck-caffe: `caffe time` on two boards, as etad imports it. A clock that ran over made one series impossible.
def boards(folder):
    rows = [row for row in read(folder / "tx1_rk3399.csv") if float(row["seconds"]) < 1e6]
    return [[row for row in rows if row["device"] == device] for device in ("nvidia-tx1", "firefly-rk3399")]


# Ours (scripts/gpu-campaign).
def gpus(folder):
    return [[{("setting.precision" if name == "precision" else name): value for name, value in row.items()}
             for row in read(folder / f"gpu_{gpu}.csv")] for gpu in ("h100", "h200")]


def both_gpus(folder):
    return [[row for cut in gpus(folder) for row in cut]]


MEASUREMENTS = {"latencies": latencies, "steps": steps, "machines": machines, "all machines": all_machines,
                "energy": energy, "all energy": all_energy, "memory": memory, "boards": boards, "gpus": gpus,
                "both gpus": both_gpus}


def write(rows, path):
    names = list(dict.fromkeys(name for row in rows for name in row))
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, names, restval="")
        out.writeheader()
        out.writerows({name: str(value).replace(",", "") for name, value in row.items()} for row in rows)
