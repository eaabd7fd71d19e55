#!/usr/bin/env python3
"""What `etactl --fleet` answers, held against a daemon's answers from the same history; of energy and memory; of runs
that were followed and scored; of a host or a device that never ran a network; and what it says when it can't.

    tests/fleet/answers_test.py BUILD

Exit status 77 where PostgreSQL is not installed.
"""
import datetime
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/fleet"))
from cluster import Host, Server, wait_until  # noqa: E402
from rows import differences  # noqa: E402

LOGS = sorted((ROOT / "examples/caffe").glob("*.log"))
NOT_THE_SAME = {"id", "model", "model_id", "run", "run_id", "source_id", "fitted_at", "made_at", "updated_at"}
NETWORKS = {"resnet": 1, "alexnet": 0.3, "vgg": 3, "lstm": 0.7}  # how long an iteration takes, relatively
problems = []


def check(what, holds, detail=""):
    print(f"{'ok    ' if holds else 'FAILED'} {what}{'' if holds else ': ' + str(detail)}", flush=True)
    if not holds:
        problems.append(what)


def etactl(host, *arguments, **environment):
    return subprocess.run([host.build / "etactl", *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def fleet(host, *question, user="asker"):
    """The answer and, where there is none, why."""
    done = etactl(host, "--fleet", host.server.url(user), "--json", *question, ETAD_FLEET_REFIT="0")
    return json.loads(done.stdout) if done.returncode == 0 else done.stdout + done.stderr


def locally(host, *question):
    done = etactl(host, "--socket", host.folder / "sock", "--json", *question)
    return json.loads(done.stdout) if done.returncode == 0 else done.stdout + done.stderr


def comparable(answer):
    """Without ids, which a fleet has of its own, and the instants of fits."""
    if isinstance(answer, dict):
        return {name: comparable(value) for name, value in answer.items() if name not in NOT_THE_SAME}
    return [comparable(each) for each in answer] if isinstance(answer, list) else answer


def first_difference(one, other, within=0.0, path=""):
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        found = [first_difference(one[name], other[name], within, f"{path}.{name}") for name in one]
        return next(filter(None, found), "")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return next(filter(None, (first_difference(*each, within, f"{path}[]") for each in zip(one, other))), "")
    if isinstance(one, float) and isinstance(other, float) and abs(one - other) <= within * abs(one):
        return ""
    return "" if one == other else f"{path}: {str(one)[:300]} is {str(other)[:300]}"


def the_same(host, *question, within=0.0):
    mine, theirs = locally(host, *question), fleet(host, *question)
    found = first_difference(comparable(mine), comparable(theirs), within)
    check(f"{' '.join(map(str, question))}: as the host's own daemon", not found and not isinstance(mine, str), found or mine)


def table(network, device, factor, host="gpu1", times=1):
    """Measurements with what they cost: seconds, energy and memory grow with the batch size. `times` five runs."""
    lines = ["network,framework,device,host,phase,batch_size,iterations,seconds,energy_joules,peak_memory_bytes,run"]
    for size, number, part in itertools.product((8, 16, 32, 64, 128), range(times), range(3)):
        seconds = factor * (0.5 + 0.02 * size) * (1 + 0.004 * part)
        lines.append(f"{network},pytorch,{device},{host},train,{size},100,{seconds:.6g},{seconds * 250:.6g},"
                     f"{1e9 + 4e7 * size:.6g},{size + 1000 * number}")
    return "\n".join(lines) + "\n"


def as_of_now(log):
    """Its lines as if the run ended this minute: what is long past is not foretold."""
    stamp = re.compile(rb"^([IWE])(\d{8} \d\d:\d\d:\d\d)", re.M)

    def at(text):
        return datetime.datetime.strptime(text.decode(), "%Y%m%d %H:%M:%S")
    content = log.read_bytes()
    shift = datetime.datetime.now().replace(microsecond=0) - at(stamp.findall(content)[-1][1])
    return stamp.sub(lambda found: found[1] + (at(found[2]) + shift).strftime("%Y%m%d %H:%M:%S").encode(), content)


def follow(host, log):
    """The log as a training writes it: piece by piece, so that its end is foretold while it runs."""
    lines, path = as_of_now(log).splitlines(keepends=True), host.logs / f"followed-{log.name}"
    begins = next(i for i, line in enumerate(lines) if b"Iteration 0," in line)
    first = 0
    for part in (0, 0.12, 1):
        last = begins + round((len(lines) - begins) * part)
        with open(path, "ab") as file:
            file.write(b"".join(lines[first:last]))
        first = last
        if part == 0:
            wait_until("the run is watched", lambda: "EVENT=begun" in (host.folder / "etad.log").read_text())
        elif part < 1:
            wait_until("the run's end is foretold", lambda: len(host.history(
                "SELECT 1 FROM predictions")) >= 2, 20)


def bring(host):
    with open(host.folder / "etad.toml", "a") as config:
        config.write('[refit]\ninterval = 1\n')
    host.start_daemon()
    for log in LOGS[:4] + LOGS[5:]:
        host.bring(log)
    for device, speed in (("V100", 1), ("A100", 0.5)):
        for network, factor in NETWORKS.items():
            host.ask(f"/v1/imports?name=/{network}-{device}.csv", "POST", table(network, device, factor * speed))
    host.ask("/v1/refit", "POST", "")
    follow(host, LOGS[4])
    wait_until("the followed run is scored", lambda: host.history(
        "SELECT count(*) FROM predictions WHERE error_percent IS NOT NULL")[0][0] > 0)
    # What was fitted as the runs came was judged by fewer of them: all anew, as the fleet does it.
    host.stop_daemon()
    subprocess.run(["sqlite3", host.folder / "history.db", "UPDATE refit_progress SET version = 0;"
                    " DELETE FROM estimator_records"], check=True)
    host.start_daemon()
    host.ask("/v1/refit", "POST", "")
    host.export_once()


def one_history(host):
    lost, extra, other = differences(host)
    check("the rows are those of the history, with energy and memory", (lost, extra, other) == (0, 0, 0),
          (lost, extra, other))
    costs = host.server.sql("SELECT count(*) FROM phases WHERE joules > 0 AND peak_bytes > 0")
    check("energy and memory are carried", int(costs[0][0]) >= 15, costs)
    # A run's id begins with its host's number, and which runs an estimator is tested on depends on their ids.
    host.server.sql("UPDATE hosts SET number = 0")
    train = ("--phase", "train", "--iterations", 1000)
    # How the run that just ended went tells of the next minutes, by the second less; of the machine's other runs too.
    the_same(host, "estimate", "LeNet", "--batch-size", 64, *train, within=0.1)
    the_same(host, "estimate", "LeNet", "--batch-size", 100, *train, within=0.1)
    the_same(host, "estimate", "CIFAR10_quick", "--batch-size", 32, "--phase", "test", "--iterations", 50, within=0.01)
    over = sorted(run["ended_at"] for run in locally(host, "runs", "--all", "--limit", 100)["runs"]
                  if run["network"] == "LeNet" and run["ended_at"])
    the_same(host, "estimate", "LeNet", "--batch-size", 64, "--at", over[len(over) // 2], *train, within=0.1)
    for quantity in ("energy", "memory"):
        the_same(host, "estimate", "resnet", "--device", "V100", "--batch-size", 48, "--quantity", quantity, *train)
        the_same(host, "estimators", "--quantity", quantity)
    the_same(host, "what-if", "resnet", "--device", "V100", "--vary", "batch-size", *train)
    the_same(host, "what-if", "LeNet", "--vary", "batch-size", *train, within=0.1)
    the_same(host, "next", "resnet", "--device", "V100")
    the_same(host, "estimators")
    the_same(host, "networks")
    the_same(host, "accuracy")
    accuracy = fleet(host, "accuracy")
    check("a followed run was scored", accuracy["overall"] and accuracy["overall"][0]["predictions"] == 2, accuracy)
    runs = comparable(locally(host, "runs", "--all", "--limit", 100)["runs"])
    of_fleet = comparable(fleet(host, "runs", "--all", "--limit", 100)["runs"])

    def ordered(rows):
        return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))
    found = first_difference(ordered(runs), ordered(of_fleet))
    check(f"runs: the same {len(runs)} as the host's own daemon", not found, found)


def another_host(build, folder, server, first):
    """A network that ran on one host alone, asked for a host with another device that never ran it."""
    other = Host(build, folder / "gpu2", "gpu2", server)
    other.start_daemon()
    # Of this host nothing is known but other networks, which took half as long again on its device.
    for network, factor in NETWORKS.items():
        if network != "vgg":
            other.ask(f"/v1/imports?name=/{network}.csv", "POST", table(network, "P100", 1.5 * factor, "gpu2"))
    other.ask("/v1/refit", "POST", "")
    other.export_once()
    question = ("estimate", "vgg", "--host", "gpu2", "--phase", "train", "--batch-size", 32, "--iterations", 100)
    answer, truth = fleet(first, *question), 1.5 * NETWORKS["vgg"] * (0.5 + 0.02 * 32)
    check("a network of gpu1 is answered for gpu2 and its device", isinstance(answer, dict) and answer["host"] == "gpu2" and
          answer["device"] == "P100" and answer["lower"] < truth < answer["upper"] and
          abs(answer["seconds"] / truth - 1) < 0.25, f"{answer}, truth {truth}")
    check("gpu2's own history says nothing of it", isinstance(locally(other, *question), str))
    other.stop_daemon()
    if isinstance(answer, dict):
        print(f"vgg on gpu2's P100, where it never ran: {answer['seconds']:.4g} s ({answer['lower']:.4g} to"
              f" {answer['upper']:.4g}); the table it is of says {truth:.4g} s")


def forged(build, folder, server, first):
    """Logs of another host that say they are of gpu1, by a user of the same uid: however many there are, and whichever
    host's number is lower, what came first counts."""
    question = ("estimate", "honest", "--host", "gpu1", "--device", "V100", "--phase", "train", "--batch-size", 32,
                "--iterations", 100)
    first.ask("/v1/imports?name=/honest.csv", "POST", table("honest", "V100", 1))
    first.export_once()
    # Which runs an estimator is tested on depends on their ids, and so on their host's number: that of afterwards.
    server.sql(f"UPDATE hosts SET number = 2 WHERE host_id = '{first.machine}'; UPDATE model_progress SET version = 0")
    before = fleet(first, *question)
    other = Host(build, folder / "gpu3", "gpu3", server)
    other.start_daemon()
    other.stop_daemon()
    subprocess.run(["sqlite3", other.folder / "history.db", "DELETE FROM sqlite_sequence WHERE name = 'runs';"
                    " INSERT INTO sqlite_sequence VALUES ('runs', 4194300)"], check=True)
    other.start_daemon()
    for times in (12, 180):
        other.ask(f"/v1/imports?name=/forged-{times}.csv", "POST", table("honest", "V100", 8, "gpu1", times))
        other.export_once()
        for number in (1, 3):
            server.sql(f"UPDATE hosts SET number = {number} WHERE host_id = '{other.machine}';"
                       " UPDATE model_progress SET version = 0")
            after = fleet(first, *question)
            check(f"{5 * times} runs forged on another host, of number {number}, move nothing",
                  isinstance(after, dict) and abs(after["seconds"] / before["seconds"] - 1) < 0.01, (before, after))
    ids = [run["id"] for run in fleet(first, "runs", "--all", "--limit", 1000)["runs"]]
    check("runs of a history that had millions have ids of their own, and are found by them",
          len(ids) == len(set(ids)) and fleet(first, "runs", max(ids))["id"] == max(ids), max(ids))
    other.stop_daemon()
    server.sql(f"UPDATE hosts SET number = 0 WHERE host_id = '{first.machine}'")


def who_came_first(host):
    """Two users of one host whose runs of one network contradict each other: the history's places say who speaks,
    whatever the runs' numbers."""
    question = ("estimate", "early", "--device", "V100", "--phase", "train", "--batch-size", 32, "--iterations", 100)
    seconds = {}
    for name, factor in (("one", 1), ("other", 8)):
        host.ask(f"/v1/imports?name=/early-{name}.csv", "POST", table("early", "V100", factor))
        host.export_once()
        seconds[name] = factor * (0.5 + 0.02 * 32)
        host.server.sql(f"UPDATE runs SET owner = {4242 + factor} WHERE network = 'early' AND"
                        " coalesce(owner, 0) NOT IN (4243, 4250)")  # neither is the asker, to whom his own runs speak
    for first in seconds:
        host.server.sql("UPDATE phases p SET place = CASE WHEN r.owner ="
                        f" {4243 if first == 'one' else 4250} THEN 1 ELSE 2 END FROM runs r WHERE"
                        " r.host_id = p.host_id AND r.run_id = p.run_id AND r.network = 'early';"
                        " UPDATE model_progress SET version = 0")
        answer = fleet(host, *question)
        check(f"of two users of one host the {first} speaks whose place is the first", isinstance(answer, dict) and
              abs(answer["seconds"] / seconds[first] - 1) < 0.1, (answer, seconds))


def any_row(host):
    """What a host may write into its own rows, by its own role: the others are answered as before."""
    question = ("estimate", "resnet", "--device", "V100", "--phase", "train", "--batch-size", 32, "--iterations", 100)
    before = fleet(host, *question)
    host.server.sql("; ".join(
        f"CREATE TEMP TABLE one AS SELECT * FROM {table} WHERE host_id = (SELECT min(host_id) FROM hosts"
        f" WHERE name = '{host.name}'); UPDATE one SET host_id = 'hostile'{', number = 77' if table == 'hosts' else ''};"
        f" INSERT INTO {table} SELECT * FROM one; DROP TABLE one" for table in ("hosts", "runs", "phases", "predictions")))

    def as_exporter(sql):
        return subprocess.run([host.server.bin / "psql", host.server.url("exporter"), "-X", "-q", "-v", "ON_ERROR_STOP=1",
                               "-c", sql], capture_output=True, text=True, check=False)
    done = as_exporter("UPDATE runs SET first_at = '2000-01-01' WHERE host_id = 'hostile'")
    check("when a run was first there is not the exporters' to say", "permission denied" in done.stderr, done)
    for row in ("runs SET started_at = 'infinity', ended_at = '-infinity'", "runs SET source_id = 9223372036854775807",
                "phases SET windows = '\\x0102', segments = 9000000000000000000", "hosts SET number = 1099511627776",
                "predictions SET made_at = 'infinity'"):
        done = as_exporter(f"UPDATE {row} WHERE host_id = 'hostile'")
        check(f"the exporter may: {row}", done.returncode == 0, done)
        as_exporter("UPDATE phases SET digest = digest + 1 WHERE host_id = 'hostile'")
        answer = fleet(host, *question)
        check("others are answered all the same", isinstance(answer, dict) and
              abs(answer["seconds"] / before["seconds"] - 1) < 0.05, answer)
        for list_of in (("networks",), ("runs", "--all"), ("accuracy",)):
            check(f"and {list_of[0]} are listed", isinstance(fleet(host, *list_of), dict), fleet(host, *list_of))
    for table in ("hosts", "runs", "phases", "predictions"):
        host.server.sql(f"DELETE FROM {table} WHERE host_id = 'hostile'")


def amid_a_fit(host):
    """An etad-fleet that stays answers which networks there are while it fits, or waits for its turn to."""
    socket = host.folder / "stays.sock"
    stays = subprocess.Popen([host.build / "etad-fleet", "--database", host.server.url("asker"), "--socket", socket,
                              "--refit", "1"], stdout=subprocess.DEVNULL)
    fits = None
    try:
        wait_until("it answers", lambda: etactl(host, "--socket", socket, "networks").returncode == 0)
        fits = subprocess.Popen([host.server.bin / "psql", host.server.url(), "-X", "-q", "-c",
                                 "SELECT pg_advisory_lock(1702125925); SELECT pg_sleep(600)"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until("another holds the turn", lambda: host.server.sql(
            "SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'advisory'"
            " AND l.granted AND a.wait_event = 'PgSleep'"))
        host.server.sql("UPDATE model_progress SET version = 0")  # nothing that could be used until it is fitted
        wait_until("it waits for its turn", lambda: host.server.sql(
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))
        command = [host.build / "etactl", "--socket", socket, "networks"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).returncode
        except subprocess.TimeoutExpired as waited:
            done = waited
        check("networks are told while a fit goes on", done == 0, done)
    finally:
        stays.kill()
        stays.wait()
        host.server.sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        if fits:
            fits.wait()
    fleet(host, "networks")  # so that there is something again that all can use


def generation(server):
    return int(server.sql("SELECT generation FROM model_progress")[0][0])


def change(host, number):
    """Something that makes what is kept old."""
    host.ask(f"/v1/imports?name=/more-{number}.csv", "POST", table("resnet", "V100", 1 + number / 100))
    host.export_once()


def many_at_once(host, count=20):
    """All who ask find the models old: one fits them, the others answer by what there is."""
    change(host, 1)
    before = generation(host.server)

    def ask_all():
        command = [host.build / "etactl", "--fleet", host.server.url("asker"), "--json", "networks"]
        several = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    env={**os.environ, "ETAD_FLEET_REFIT": "0"}) for _ in range(count)]
        answered = [each.communicate(timeout=120) for each in several]
        return [said for each, (_, said) in zip(several, answered) if each.returncode == 0]

    fits = subprocess.Popen([host.server.bin / "psql", host.server.url(), "-X", "-q", "-c",
                             "SELECT pg_advisory_lock(1702125925); SELECT pg_sleep(600)"], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    try:
        wait_until("another holds the turn", lambda: host.server.sql(
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"))
        wait_until("what is known has an age that is told", lambda: host.server.sql(
            "SELECT 1 FROM model_progress WHERE looked_at < current_timestamp - interval '1 second'"))
        said = ask_all()
        check(f"{count} that ask while another fits are answered at once, and told of what age",
              len(said) == count and all("another process is fitting" in each for each in said), said)
        check("none of them fitted", generation(host.server) == before)
    finally:
        host.server.sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        fits.wait()
    said = ask_all()
    check(f"of {count} who ask at once one fits, and all are answered",
          len(said) == count and generation(host.server) == before + 1, (said, generation(host.server), before))


def killed_amid(host, chance, times=6):
    """Who fits is killed at any instant: what was kept stays, and the next one does the work."""
    before = fleet(host, "networks")
    for number in range(times):
        change(host, 2 + number)
        fits = subprocess.Popen([host.build / "etad-fleet", "--database", host.server.url("asker"), "--refit", "0",
                                 "--socket", host.folder / "killed.sock"], stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.02, 1.2))
        fits.kill()
        fits.wait()
    change(host, 2 + times)  # the last of them may have been done before it was killed
    host.server.sql("UPDATE models SET generation = generation + 1 WHERE network = 'LeNet'")  # kept, and not yet told
    kept = generation(host.server)
    after = fleet(host, "networks")
    check(f"after {times} kills of who fits the next one answers", isinstance(after, dict) and isinstance(before, dict), after)
    check("it has fitted what was left", generation(host.server) == kept + 1, generation(host.server))
    held = host.server.sql("SELECT count(*) FROM models m, model_progress p WHERE m.generation > p.generation")
    check("nothing is left of those who were killed", held == [["0"]], held)
    fleet(host, "networks")
    check("and nothing is fitted twice", generation(host.server) == kept + 1)


def profiles(host):
    """A service of libpq's configuration file."""
    services, passwords = host.folder / "services.conf", host.folder / "pgpass"
    where = dict(each.split("=") for each in host.server.url("asker").split())
    services.write_text("[lab]\n" + "\n".join(f"{name}={value}" for name, value in where.items()) + "\n")
    passwords.write_text("")
    done = etactl(host, "--fleet", "lab", "--json", "networks", PGSERVICEFILE=str(services))
    check("a profile in a configuration file names the database", done.returncode == 0 and "LeNet" in done.stdout,
          done.stderr)
    by_uri = etactl(host, "--fleet", f"postgresql://asker@/fleet?host={host.server.sockets}", "--json", "networks")
    check("a URI names the database", by_uri.returncode == 0 and "LeNet" in by_uri.stdout, by_uri.stderr)
    unknown = etactl(host, "--fleet", "labb", "networks", PGSERVICEFILE=str(services))
    check("a profile that there is not", unknown.returncode != 0 and '"labb"' in unknown.stderr and
          "pg_service.conf" in unknown.stderr, unknown.stderr)


def refusals(host):
    server = host.server

    def refused(what, words, url, **environment):
        done = etactl(host, "--fleet", url, "networks", **environment)
        check(f"refused with its reason: {what}", done.returncode != 0 and not done.stdout and
              all(word in done.stderr for word in words), done.stdout + done.stderr)

    refused("no server", ["No such file", "runs"], f"host={host.folder} dbname=fleet")
    refused("nothing listens", ["refused", "runs"], "host=127.0.0.1 port=1 dbname=fleet")
    refused("no such database", ["does not exist"], server.url(database="nothing"))
    refused("no such role", ["nobody", "does not exist"], server.url("nobody"))
    server.sql("CREATE DATABASE empty", "postgres")
    refused("no tables", ["--migrate"], server.url(database="empty"))
    server.sql("CREATE ROLE stranger LOGIN", "postgres")
    refused("no rights", ["permission denied", "etad_reader"], server.url("stranger"))
    owner = host.folder / "old.toml"
    owner.write_text(f'database = "{server.url(database="empty")}"\n')
    subprocess.run([host.build / "etad-export", "--config", owner, "--migrate", "--to", "3"], check=True,
                   stdout=subprocess.DEVNULL)
    refused("an older schema", ["schema 3", "--migrate"], server.url(database="empty"))
    newest = "INSERT INTO schema_versions SELECT max(version) + 1, {}, current_timestamp FROM schema_versions"
    server.sql(newest.format(1))
    check("a newer schema that only adds is read", isinstance(fleet(host, "networks"), dict))
    server.sql(newest.format(99))
    refused("a newer schema that breaks", ["newer etad-export"], server.url("asker"))
    server.sql("DELETE FROM schema_versions WHERE oldest_exporter = 99")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not Server.installed():
        print("answers_test: PostgreSQL is not installed: apt-get install postgresql")
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="etad-fleet-"))
    folder.chmod(0o755)
    server, hosts = Server(folder / "pg"), []
    try:
        server.start()
        server.sql("CREATE DATABASE fleet", "postgres")
        server.sql("CREATE ROLE etad_writer; CREATE ROLE etad_reader; CREATE ROLE etad_models;"
                   " CREATE ROLE exporter LOGIN IN ROLE etad_writer; CREATE ROLE analyst LOGIN IN ROLE etad_reader;"
                   " CREATE ROLE asker LOGIN IN ROLE etad_reader, etad_models")
        owner = folder / "owner.toml"
        owner.write_text(f'database = "{server.url()}"\n')
        subprocess.run([build / "etad-export", "--config", owner, "--migrate"], check=True, stdout=subprocess.DEVNULL)
        hosts.append(Host(build, folder / "gpu1", "gpu1", server))
        bring(hosts[0])
        one_history(hosts[0])
        another_host(build, folder, server, hosts[0])
        forged(build, folder, server, hosts[0])
        who_came_first(hosts[0])
        any_row(hosts[0])
        amid_a_fit(hosts[0])
        many_at_once(hosts[0])
        killed_amid(hosts[0], random.Random(1))
        profiles(hosts[0])
        refusals(hosts[0])
        hosts[0].stop_daemon()
    finally:
        for host in hosts:
            if host.daemon and host.daemon.poll() is None:
                host.daemon.kill()
                host.daemon.wait()
        server.stop()
        if "--keep" in sys.argv:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder)
    print(f"{len(problems)} failed" if problems else "all passed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
