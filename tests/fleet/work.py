"""What hosts do while their histories are carried, how it is held against the fleet's rows, and the account of it:
for the parts of scripts/fleet-test."""
import json
import pathlib
import time

from cluster import DEADLINE, wait_until
from rows import differences

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FEWEST = 4  # runs that a host keeps, whatever happens
LOGS = sorted((ROOT / "examples/caffe").glob("*.log"))


def trace(first, minutes):
    """What nvidia-smi writes every ten seconds."""
    lines = ["timestamp, index, uuid, utilization.gpu [%], power.draw [W]"]
    for i in range(6 * minutes):
        at = time.strftime("%Y/%m/%d %H:%M:%S.000", time.gmtime(first + 10 * i))
        lines.append(f"{at}, 0, GPU-11111111-2222-3333-4444-555555555555, {i % 100} %, {100 + i % 50}.25 W")
    return "\n".join(lines) + "\n"


class Logs:
    """Real logs that appear piece by piece in a host's folder."""

    def __init__(self, host, originals, chance):
        self.files = [(original.read_bytes(), host.logs / original.name) for original in originals]
        self.at, self.chance = [0] * len(self.files), chance

    def write(self):
        open_files = [i for i, (content, _) in enumerate(self.files) if self.at[i] < len(content)]
        if not open_files:
            return False
        i = self.chance.choice(open_files)
        content, path = self.files[i]
        piece = content[self.at[i]:self.at[i] + self.chance.choice([500, 3000, 9000])]
        with open(path, "ab") as file:
            file.write(piece)
        self.at[i] += len(piece)
        return True


def disturb(host, chance):
    """What people do to a history while it is carried away."""
    ids = host.run_ids()
    if not ids:
        return
    run, deed = chance.choice(ids), chance.random()
    if deed < 0.5:
        host.ask(f"/v1/runs/{run}/labels", "POST", json.dumps({"user": chance.choice(["anna", "ben", ""])}),
                 may_fail=True)
    elif deed < 0.55 and len(ids) > FEWEST:
        host.ask(f"/v1/runs/{run}", "DELETE", may_fail=True)  # not one that is running
    elif 0.55 <= deed < 0.7:
        source = host.history(f"SELECT source_id FROM runs WHERE id = {run}")
        if source:
            host.ask(f"/v1/sources/{source[0][0]}/reread", "POST", "", may_fail=True)


def keep_busy(host, logs, chance, deeds=12):
    """Enough changes for several transactions of an exporter."""
    for _ in range(deeds):
        logs.write()
        disturb(host, chance)


def settle(host, deadline=DEADLINE):
    """Until the daemon has read all there is, and the exporter has carried it."""
    newest = "SELECT seq FROM sqlite_sequence WHERE name = 'changes'"
    carried = f"SELECT up_to FROM hosts WHERE host_id = '{host.machine}' AND sweep_at IS NULL"
    ends = {str(path): path.read_bytes().rfind(b"\n") + 1 for path in host.logs.glob("*.log")}  # of whole lines
    wait_until(f"{host.name} has read its logs", lambda: all(
        ends.get(path, offset) <= offset
        for path, offset in host.history("SELECT path, offset FROM sources WHERE NOT gone AND kind = 'file'")))
    wait_until(f"{host.name} is carried", lambda: [[str(host.history(newest)[0][0])]] == host.server.try_sql(
        carried, "fleet"), deadline)


class Account:
    """Each promise that was put to the test, with what was lost and what doubled."""

    def __init__(self):
        self.lines, self.begun = [], time.monotonic()

    def compare(self, hosts, promise):
        """Once all is carried: each host's rows against its history."""
        found = [0, 0, 0]
        for host in hosts:
            settle(host)
            found = [a + b for a, b in zip(found, differences(host))]
        rows = hosts[0].server.sql("SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM phases WHERE segments > 0),"
                                   " (SELECT count(*) FROM series_minutes)")[0]
        self.take(promise, *found, f"of {rows[0]} runs, {rows[1]} measured phases, {rows[2]} minutes")

    def take(self, promise, lost=0, doubled=0, different=0, of=""):
        """`doubled`: there twice, or left over. Ends the test where one of them is not 0."""
        line = f"{lost:>4} {doubled:>7} {different:>9}  {promise}" + (f" ({of})" if of else "")
        print(line, flush=True)
        self.lines.append(line)
        if lost or doubled or different:
            raise SystemExit(f"fleet-test: the rows are not those of the histories: {promise}")

    def end(self, seed):
        print(f"\nfleet-test --seed {seed}: {len(self.lines)} promises kept in {time.monotonic() - self.begun:.0f} s\n"
              "lost doubled different  promise")
        print("\n".join(self.lines), flush=True)
