#!/usr/bin/env python3
"""The tables of docs/accuracy.md: questions whose answers were hidden, asked of published measurements.

    scripts/accuracy --tables [FOLDER…] [--only WORD] [--cuts FOLDER] [--jobs N]

FOLDER holds the tables that bench/published_tables.py knows by name. What is not there is left out; the two GPUs of
tests/data/measurements are always there. The main table's rows show their cuts one after the other. The second table
is of the records that a daemon would make of each table, by kind of question.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import published_tables

OURS = ("combined", "effects", "end_to_end")
FEWEST_ASKED = 50  # of a kind of question that is shown


@dataclasses.dataclass(frozen=True)
class Question:
    asked: str
    measurements: str
    hide: str
    share: float  # at once; 0: one part after the other
    goal: str = ""
    quantity: str = "time"
    kind: str = ""  # "" for all, or a kind of question


BETWEEN, BEYOND, ONE = "left-out batch sizes", "the larger half of the sizes", "all sizes but one"
QUESTIONS = [
    Question(BETWEEN, "latencies", "size", 0.05, "4.2"),
    Question(BETWEEN + ", between others", "latencies", "size", 0.05, "4.2", kind="batch_size"),
    Question(BETWEEN, "steps", "size", 0.05, "4.5"),
    Question(BETWEEN + ", between others", "steps", "size", 0.05, "4.5", kind="batch_size"),
    Question(BETWEEN, "boards", "size", 0.2, "1.2, 1.1"),
    Question(BETWEEN, "gpus", "size", 0.1),
    Question(BETWEEN, "both gpus", "size", 0.1),
    Question(BETWEEN, "energy", "size", 0.2, "8", "energy"),
    Question(BETWEEN, "gpus", "size", 0.1, "", "energy"),
    Question(BETWEEN, "memory", "size", 0, "5", "memory"),
    Question(BETWEEN, "gpus", "size", 0.1, "", "memory"),
    Question(BEYOND, "latencies", "larger-half", 0.2, "25"),
    Question(BEYOND, "steps", "larger-half", 0.2, "15.5"),
    Question(BEYOND, "boards", "larger-half", 0.2, "2.0, 1.6"),
    Question(BEYOND, "gpus", "larger-half", 0.2),
    Question(BEYOND, "all energy", "larger-half", 0.2, "", "energy"),
    Question(BEYOND, "gpus", "larger-half", 0.2, "", "energy"),
    Question(BEYOND, "memory", "larger-half", 1, "", "memory"),
    Question(BEYOND, "gpus", "larger-half", 0.2, "", "memory"),
    Question(BEYOND, "latencies", "larger-half", 1),
    Question(BEYOND, "steps", "larger-half", 1, "15.5"),
    Question(BEYOND, "gpus", "larger-half", 1),
    Question(BEYOND, "energy", "larger-half", 1),
    Question(ONE, "latencies", "all-but-one", 0.2),
    Question(ONE, "steps", "all-but-one", 0.2),
    Question(ONE, "latencies", "all-but-one", 1),
    Question(ONE, "steps", "all-but-one", 1),
    Question("numbers of GPUs between others", "machines", "devices", 0.09, "3.3", kind="devices"),
    Question("more GPUs than 2", "machines", "few-devices", 0.2, "8.5"),
    Question("more GPUs than 2", "machines", "few-devices", 1),
    Question("a network on a machine, settings ran", "machines", "device", 0.2, "11"),
    Question("a network on the other GPU", "both gpus", "device", 0.2),
    Question("a host with all its runs", "all machines", "host", 0.1),
]


@dataclasses.dataclass
class Row:
    error: float
    held: float
    answered: int
    asked: int


def parse(text):
    """The rows of the table that etad-rivals --hide prints, by name."""
    out = {}
    for line in text.splitlines():
        found = re.match(r"\| ([^|]+) \| ([\d.]+) \| ([\d.]+) \| (\d+)/(\d+) \|", line)
        if found:
            out[found[1]] = Row(float(found[2]), float(found[3]), int(found[4]), int(found[5]))
    return out


def chosen(rows, kind=""):
    return rows.get("the chosen one" + (f", {kind}" if kind else ""))


def best_rival(rows):
    """Of the field's methods that answered at least half, the one that erred least."""
    rivals = [(row.error, name) for name, row in rows.items()
              if not name.startswith("the chosen one") and name not in OURS and 2 * row.answered >= row.asked]
    return min(rivals, default=None)


def parse_records(text):
    """Rows by kind of question and name, of the table that etad-rivals prints of a table's records."""
    lines = [line.strip(" |").split("|") for line in text.splitlines() if line.startswith("|")]
    kinds = [kind.strip() for kind in lines[0][1:]]
    out = {kind: {} for kind in kinds}
    for cells in lines[2:]:
        for kind, cell in zip(kinds, cells[1:]):
            found = re.fullmatch(r"\**([\d.]+)\** \(([\d.]+); (\d+)/(\d+)\)", cell.strip())
            if found:
                out[kind][cells[0].strip()] = Row(float(found[1]), float(found[2]), int(found[3]), int(found[4]))
    return out


def of_each(cuts, value):
    return " / ".join("" if cut is None else value(cut) for cut in cuts) if any(cuts) else ""


def errors(cuts):
    return of_each(cuts, lambda row: f"{row.error:.1f}")


def record_lines(measurements, texts):
    """What the records of each cut say of each kind of question: ours beside the best of the field's methods."""
    cuts = [parse_records(text) for text in texts]
    for kind in cuts[0]:
        rows = [cut[kind] for cut in cuts]
        if max(row["combined"].asked if "combined" in row else 0 for row in rows) < FEWEST_ASKED:
            continue
        line, effects, ours = ([row.get(name) for row in rows] for name in ("gianniti", "effects", "combined"))
        yield "| " + " | ".join([
            measurements, f"`{kind}`", of_each(ours, lambda row: str(row.asked)), errors(line),
            of_each([best_rival(row) for row in rows], lambda rival: f"`{rival[1]}` {rival[0]:.1f}"), errors(effects),
            errors(ours), of_each(ours, lambda row: f"{row.held:.0f}")]) + " |"


def named(measurements, quantity):
    """The measurements, and the quantity where they are of several and it is not the one they are there for."""
    own = {"energy": "energy", "all energy": "energy", "memory": "memory"}.get(measurements, "time")
    return measurements if quantity == own else f"{measurements}, {quantity}"


def line(question, cuts):
    """A row of the main table. `cuts`: what parse() gave for each."""
    ours = [chosen(rows, question.kind) for rows in cuts]
    if not any(ours):
        return None
    rivals = [None if question.kind else best_rival(rows) for rows in cuts]
    share = {0: "one by one", 1: "all"}.get(question.share, f"1/{round(1 / question.share)}" if question.share else "")
    cells = [question.asked, named(question.measurements, question.quantity), share,
             of_each(ours, lambda row: str(row.asked)), errors(ours), of_each(ours, lambda row: f"{row.held:.0f}"),
             of_each(rivals, lambda rival: f"`{rival[1]}` {rival[0]:.1f}"), question.goal]
    return "| " + " | ".join(cells) + " |"


HEAD = """| Question | Measurements | Hidden at once | Asked | Error % | Held % | Best rival % | Goal % |
|---|---|---|---|---|---|---|---|"""
RECORDS_HEAD = """
| Measurements | Kind | Asked | `gianniti` | Best rival | `effects` | `combined` | Held % |
|---|---|---|---|---|---|---|---|"""
RECORDS_OF = [("latencies", "time"), ("steps", "time"), ("all machines", "time"), ("boards", "time"),
              ("all energy", "energy"), ("gpus", "time"), ("gpus", "energy"), ("gpus", "memory")]


def cuts_of(measurements, folders):
    """The cuts of a published table, from the first folder that has it; none: nobody has it."""
    for folder in [*folders, published_tables.OURS]:
        try:
            return published_tables.MEASUREMENTS[measurements](folder)
        except FileNotFoundError:
            continue
    return []


def write_cuts(names, folders, into):
    """Paths of each measurements' cuts."""
    out = {}
    for name in dict.fromkeys(names):
        cuts = cuts_of(name, folders)
        if not cuts:
            print(f"accuracy: no table of {name}", file=sys.stderr)
        out[name] = [into / f"{name.replace(' ', '_')}.{number}.csv" for number in range(len(cuts))]
        for rows, path in zip(cuts, out[name]):
            published_tables.write(rows, path)
    return out


class Asking:
    """Runs of etad-rivals, several at once, none twice."""

    def __init__(self, program, jobs):
        self.program, self.pool, self.runs = program, concurrent.futures.ThreadPoolExecutor(jobs), {}

    def __call__(self, *arguments):
        if arguments not in self.runs:
            self.runs[arguments] = self.pool.submit(
                lambda: subprocess.run([self.program, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
                                       check=True).stdout)
        return self.runs[arguments]


def print_tables(ask, paths, questions, records):
    hidden = [[ask("--hide", question.hide, "--share", question.share, "--quantity", question.quantity, path)
               for path in paths[question.measurements]] for question in questions]
    records = [(name, quantity, [ask("--quantity", quantity, path) for path in paths[name]])
               for name, quantity in records]
    print(HEAD, flush=True)
    for question, runs in zip(questions, hidden):
        if text := line(question, [parse(run.result()) for run in runs]):
            print(text, flush=True)
    print(RECORDS_HEAD, flush=True)
    for name, quantity, runs in records:
        if runs:
            for text in record_lines(named(name, quantity), [run.result() for run in runs]):
                print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="where etad-rivals is")
    parser.add_argument("folders", type=pathlib.Path, nargs="*", help="with the published tables")
    parser.add_argument("--only", default="", help="rows that have this word")
    parser.add_argument("--cuts", type=pathlib.Path, help="keep the cuts there, to ask etad-rivals more of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    questions = [each for each in QUESTIONS if options.only in " ".join(map(str, vars(each).values()))]
    records = [each for each in RECORDS_OF if options.only in " ".join(each)]
    with tempfile.TemporaryDirectory() as scratch:
        into = options.cuts or pathlib.Path(scratch)
        into.mkdir(parents=True, exist_ok=True)
        paths = write_cuts([each.measurements for each in questions] + [name for name, _ in records], options.folders,
                           into)
        print_tables(Asking(options.build / "etad-rivals", options.jobs), paths, questions, records)


if __name__ == "__main__":
    main()
