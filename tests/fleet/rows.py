"""A host's rows in the fleet's database, held against its history: for scripts/fleet-test."""
import sys
import time


def text(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


def close(a, b):
    if a == b:
        return True
    try:
        return abs(float(a) - float(b)) <= 1e-9 * max(1.0, abs(float(a)))
    except ValueError:
        return False


MICROSECONDS = "CAST(round(extract(epoch FROM {0}) * 1000000) AS bigint)"
RUN = ("id, source_id, owner, job, state, framework, network, architecture, host, device, devices, started_at, ended_at,"
       " iteration, max_iterations, first_iteration, startup / 1e9, snapshot_time / 1e9, snapshots, stalls, message")
FLEET_RUN = ("run_id, source_id, owner, job, state, framework, network, architecture, host, device, devices,"
             f" {MICROSECONDS.format('started_at')}, {MICROSECONDS.format('ended_at')}, iteration, max_iterations,"
             " first_iteration, startup_seconds, snapshot_seconds, snapshots, stalls, message")


def differences(host, machine=None, only=""):
    """What of a host's rows is not as its history has it: (lost, doubled or left over, different)."""
    key = f"host_id = '{machine or host.machine}'"
    where = f" WHERE {only}" if only else ""
    # An older schema, and an older daemon's history, have no columns for energy and memory.
    fleet_has = host.server.sql("SELECT 1 FROM information_schema.columns WHERE table_name = 'phases'"
                                " AND column_name = 'joules'")
    host_has = host.history("SELECT 1 FROM pragma_table_info('run_phases') WHERE name = 'joules'")
    costs = ", joules, peak_bytes" if fleet_has and host_has else ""
    sides = {
        "runs": (f"SELECT {RUN} FROM runs{where}", f"SELECT {FLEET_RUN} FROM runs WHERE {key}", 1),
        "phases": ("SELECT run_id, phase, batch_size, samples_per_iteration, iterations, duration / 1e9,"
                   f" segments{costs} FROM run_phases{where.replace('id', 'run_id')}",
                   "SELECT run_id, phase, batch_size, samples_per_iteration, iterations, seconds,"
                   f" segments{costs} FROM phases WHERE {key}", 2),
        "predictions": ("SELECT run_id, kind, at_fraction, made_at, seconds, actual, error_percent FROM predictions"
                        f"{where.replace('id', 'run_id')}",
                        f"SELECT run_id, kind, at_fraction, {MICROSECONDS.format('made_at')}, seconds, actual_seconds,"
                        f" error_percent FROM predictions WHERE {key}", 3),
        "architectures": ("SELECT architecture, position, name, type, parameters, shapes, operations FROM layers",
                          "SELECT architecture, position, name, type, parameters, shapes, operations FROM architectures"
                          f" WHERE {key}", 2),
    }
    lost = extra = other = 0
    for local_sql, fleet_sql, width in sides.values():
        local = {tuple(map(text, row[:width])): list(map(text, row[width:])) for row in host.history(local_sql)}
        rows = host.server.sql(fleet_sql)
        fleet = {tuple(text(float(c)) if "." in c else c for c in row[:width]): row[width:] for row in rows}
        local = {tuple(text(float(c)) if "." in c else c for c in k): v for k, v in local.items()}
        lost += len(local.keys() - fleet.keys())
        extra += len(fleet.keys() - local.keys()) + len(rows) - len(fleet)
        for each in local.keys() & fleet.keys():
            if not all(map(close, local[each], fleet[each])):
                other += 1
                print(f"{host.name}: {each}: {local[each]} is {fleet[each]}", file=sys.stderr)
    return lost, extra, other


def minutes_differ(host, first, count):
    """The minutes of the imported trace, against the daemon's own answer."""
    start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(first))
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(first + 60 * count))
    answer = host.ask(f"/v1/series/gpu.power?from={start}&to={end}&step=60")
    local = sum(len(series["samples"]) for series in answer["series"])
    fleet = host.server.sql(f"SELECT count(*), count(DISTINCT minute) FROM series_minutes WHERE host_id = '{host.machine}'"
                            " AND series = 'gpu.power'")[0]
    return (local, local) != (int(fleet[0]), int(fleet[1])) or local != count
