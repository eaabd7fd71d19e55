"""Other programs that read logs, as far as they are installed here: how long each takes for a whole file, and rsyslog
for a single line."""
import contextlib
import pathlib
import shutil
import subprocess
import tempfile
import time

ONE_CORE = ["taskset", "-c", "0"]

MTAIL = r"""gauge iteration
gauge seconds
/solver.cpp:\d+\] Iteration (?P<at>\d+) \((?P<rate>\S+) iter\/s, (?P<took>[\d.]+)s\/\d+ iters\), loss = (?P<loss>\S+)/ {
  iteration = $at
  seconds = $took
}
"""

RSYSLOG = """module(load="imfile")
global(workDirectory="{folder}" parser.escapeControlCharactersOnReceive="off")
template(name="line" type="string" string="%msg%\\n")
input(type="imfile" file="{log}" tag="training")
action(type="omfile" file="{folder}/out" template="line")
"""

FLUENT_BIT = """[SERVICE]
    parsers_file {folder}/parsers
[INPUT]
    name tail
    path {log}
    read_from_head on
    exit_on_eof on
[FILTER]
    name parser
    match *
    key_name log
    parser caffe
[OUTPUT]
    name null
    match *
"""
FLUENT_BIT_PARSERS = r"""[PARSER]
    name caffe
    format regex
    regex solver.cpp:\d+\] Iteration (?<at>\d+) \((?<rate>\S+) iter/s, (?<took>[\d.]+)s/\d+ iters\), loss = (?<loss>\S+)
"""


def seconds_of(command):
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def size_of(path):
    return path.stat().st_size if path.exists() else 0


@contextlib.contextmanager
def rsyslog(folder, log, prefix=()):
    """Copies the log's lines to the file that is given back, as long as it runs."""
    (folder / "rsyslog.conf").write_text(RSYSLOG.format(folder=folder, log=log))
    process = subprocess.Popen([*prefix, shutil.which("rsyslogd"), "-n", "-f", folder / "rsyslog.conf", "-i", folder / "pid"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield folder / "out"
    finally:
        process.terminate()
        process.wait()


def whole_file(log):
    """Names, and the seconds that they take for this one, on one core."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if shutil.which("mtail"):
            (folder / "caffe.mtail").write_text(MTAIL)
            yield "mtail, one pattern", seconds_of([*ONE_CORE, "mtail", "--one_shot", f"--progs={folder}",
                                                    f"--logs={log}", f"--log_dir={folder}"])
        if shutil.which("fluent-bit"):
            (folder / "parsers").write_text(FLUENT_BIT_PARSERS)
            (folder / "fluent-bit.conf").write_text(FLUENT_BIT.format(folder=folder, log=log))
            yield "fluent-bit, one pattern", seconds_of([*ONE_CORE, "fluent-bit", "-q", "-c", folder / "fluent-bit.conf"])
        if shutil.which("rsyslogd"):
            begun = time.perf_counter()
            with rsyslog(folder, log, ONE_CORE) as copy:
                while size_of(copy) < log.stat().st_size:
                    time.sleep(0.02)
                yield "rsyslog, lines to a file", time.perf_counter() - begun


def line_by_line(log, append, lines):
    """Milliseconds from a line's being appended to its being in rsyslog's file, sorted; none where it isn't installed."""
    if not shutil.which("rsyslogd"):
        return []
    delays = []
    with tempfile.TemporaryDirectory() as name, rsyslog(pathlib.Path(name), log) as copy:
        while size_of(copy) < log.stat().st_size:
            time.sleep(0.01)
        for _ in range(lines):
            before = size_of(copy)
            begun = time.perf_counter()
            append()
            while size_of(copy) == before:
                pass
            delays.append((time.perf_counter() - begun) * 1000)
            time.sleep(0.02)
    return sorted(delays)
