"""What a server may answer instead of taking rows, one after the other: a part of scripts/fleet-test. Each is told in
one sentence, counted by its SQLSTATE, and costs nothing but time."""
import contextlib
import shutil
import subprocess
import time

from cluster import Host, wait_until
from rows import minutes_differ
from work import LOGS, settle, trace

# What is hard to bring about is said by a trigger: an exporter sees no difference.
SAY = """CREATE OR REPLACE FUNCTION says() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the server says {0}' USING ERRCODE = '{0}'; END $$;
CREATE OR REPLACE TRIGGER says BEFORE INSERT OR UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION says()"""
SAID = {"53100": "a full disk", "53200": "out of memory", "40001": "a transaction that can't be serialized",
        "40P01": "a deadlock", "55P03": "a lock that can't be had", "58030": "a failing disk",
        "XX000": "an internal error"}


@contextlib.contextmanager
def says(server, state):
    server.sql(SAY.format(state))
    yield
    server.sql("DROP TRIGGER says ON runs")


@contextlib.contextmanager
def changed(server, do, undo, disconnect=False):
    server.sql(do)
    if disconnect:
        server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'exporter'")
    yield
    server.sql(undo)


@contextlib.contextmanager
def locked(server):
    """By somebody who goes for lunch amid a transaction."""
    psql = subprocess.Popen([server.bin / "psql", server.url(), "-X", "-q"], stdin=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, text=True)
    psql.stdin.write("BEGIN; LOCK TABLE runs IN ACCESS EXCLUSIVE MODE;\n")
    psql.stdin.flush()
    held = "SELECT 1 FROM pg_locks WHERE relation = 'runs'::regclass AND mode = 'AccessExclusiveLock' AND granted"
    wait_until("the table is locked", lambda: server.sql(held))
    yield
    psql.communicate("ROLLBACK;\n")


@contextlib.contextmanager
def new_password(server, host):
    with changed(server, "ALTER ROLE exporter PASSWORD 'another'", "SELECT 1", disconnect=True):
        yield
    write_password(host, "another")


def write_password(host, password):
    file = host.folder / "pgpass"
    file.write_text(f"*:*:*:exporter:{password}\n")
    file.chmod(0o600)


def fault(host, account, name, reason, told, trouble, deed=None):
    """A run changes while the trouble lasts, or what `deed` does; the exporter says so, and carries it afterwards."""
    log = host.folder / "export.log"
    settle(host)
    said, counted = log.stat().st_size, host.metric(f'failures_total{{reason="{reason}"}}', 0)
    with trouble:
        if deed:
            deed()
        else:
            host.ask(f"/v1/runs/{host.run_ids()[0]}/labels", "POST", '{"user": "%s"}' % name)
        wait_until(f"the exporter counts {reason}: {name}",
                   lambda: host.metric(f'failures_total{{reason="{reason}"}}', 0) > counted)
        wait_until(f"it tells of {name}: {told}", lambda: told in log.read_text()[said:])
        if host.metric("up") != 0 or host.metric("backlog_changes") < 1:
            raise SystemExit(f"fleet-test: {name}: the metrics know nothing of it")
    account.compare([host], f"{name}: {reason}, told and tried again")


@contextlib.contextmanager
def filled(server, place):
    """The disk of one table, to its last byte."""
    server.sql("ALTER TABLE series_minutes SET TABLESPACE small")
    filler = place / "filler"
    with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    yield
    filler.unlink()


def full_disk(server, host, account, folder):
    """A real one, where this process may mount."""
    place = folder / "small"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=0777", "small", place], capture_output=True,
                      check=False).returncode != 0:
        print("no file system may be mounted here: a full disk is only said by a trigger")
        return
    try:
        subprocess.run(server.as_user(["mkdir", place / "data"]), check=True)
        server.sql(f"CREATE TABLESPACE small LOCATION '{place}/data'")
        first = int(time.time()) // 3600 * 3600 - 5 * 3600
        fault(host, account, "a disk that is really full", "53100", "No space left on device", filled(server, place),
              lambda: host.ask("/v1/imports?name=/trace.csv", "POST", trace(first, 180)))
        server.sql("ALTER TABLE series_minutes SET TABLESPACE pg_default")
        server.sql("DROP TABLESPACE small")
        if minutes_differ(host, first, 180):
            raise SystemExit("fleet-test: the minutes that found no room are not those of the history")
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def restored_database(server, host, account):
    """The whole server as it was before, by a backup of its files; the exporter lives on meanwhile."""
    settle(host)
    server.stop()
    backup = server.folder / "backup"
    subprocess.run(["cp", "-a", server.data, backup], check=True)
    server.start()
    host.ask("/v1/imports?name=/after-backup.log", "POST", LOGS[3].read_bytes())
    first = host.run_ids()[0]
    host.ask(f"/v1/runs/{first}/labels", "POST", '{"user": "after"}')
    host.ask(f"/v1/runs/{host.run_ids()[1]}", "DELETE")
    settle(host)
    count = f"SELECT count(*) FROM runs WHERE host_id = '{host.machine}'"
    user = f"SELECT labels->>'user' FROM runs WHERE host_id = '{host.machine}' AND run_id = {first}"
    if server.sql(user) != [["after"]]:
        raise SystemExit("fleet-test: a label is not in the database")
    server.kill()
    shutil.rmtree(server.data)
    backup.rename(server.data)
    server.start()
    account.compare([host], "the database restored from a backup of before a run was added, one forgotten, one labelled")
    if server.sql(user) != [["after"]] or server.sql(count) != [[str(len(host.run_ids()))]]:
        raise SystemExit("fleet-test: what a restored database lacked was not carried again")


def lost_database(options, server, host, account):
    """Gone with all its rows, and made anew, empty; the exporter lives on meanwhile."""
    server.sql("DROP DATABASE fleet WITH (FORCE)", "postgres")
    wait_until("the exporter sees that it is gone", lambda: "does not exist" in (host.folder / "export.log").read_text())
    server.sql("CREATE DATABASE fleet", "postgres")
    subprocess.run(server.migration(options.build), check=True, stdout=subprocess.DEVNULL)
    account.compare([host], "the database lost, and made anew, empty")


def test(options, folder, chance, servers, hosts, account):
    server = servers[0]
    subprocess.run(server.migration(options.build), check=True, stdout=subprocess.DEVNULL)
    server.sql("ALTER ROLE exporter PASSWORD 'first'")
    rules = server.data / "pg_hba.conf"
    rules.write_text("local all exporter scram-sha-256\n" + rules.read_text())
    server.sql("SELECT pg_reload_conf()")
    host = Host(options.build, folder / "gpu1", "gpu1", server)
    hosts.append(host)
    host.configure(f'password_file = "{host.folder}/pgpass"\ntimeout = "1s"\n')
    write_password(host, "first")
    host.start_daemon()
    for log in LOGS[:3]:
        host.bring(log)
    host.start_exporter()

    for state, name in SAID.items():
        fault(host, account, name, state, f"the server says {state}", says(server, state))
    full_disk(server, host, account, folder)
    fault(host, account, "a statement that takes too long", "57014", "canceling statement due to statement timeout",
          locked(server))
    fault(host, account, "a read-only database", "25006", "target_session_attrs=read-write",
          changed(server, "ALTER ROLE exporter SET default_transaction_read_only = on",
                  "ALTER ROLE exporter RESET default_transaction_read_only", disconnect=True))
    fault(host, account, "rights taken away", "42501", "etad_writer to an exporter",
          changed(server, "REVOKE INSERT, UPDATE ON runs FROM etad_writer", "GRANT INSERT, UPDATE ON runs TO etad_writer"))
    fault(host, account, "tables taken away", "42P01", "--migrate",
          changed(server, "ALTER TABLE runs RENAME TO away", "ALTER TABLE away RENAME TO runs"))
    fault(host, account, "no more connections", "connection", "too many connections",
          changed(server, "ALTER ROLE exporter CONNECTION LIMIT 0", "ALTER ROLE exporter CONNECTION LIMIT -1", disconnect=True))
    fault(host, account, "a login taken away", "connection", "not permitted to log in",
          changed(server, "ALTER ROLE exporter NOLOGIN", "ALTER ROLE exporter LOGIN", disconnect=True))
    fault(host, account, "a new password", "connection", "check the user and its password", new_password(server, host))
    restored_database(server, host, account)
    lost_database(options, server, host, account)
    if host.exporter.poll() is not None:
        raise SystemExit("fleet-test: the exporter is dead")
