#!/usr/bin/env python3
"""Holds the fleet's SQL to what PostgreSQL, Citus, CockroachDB and YugabyteDB share (docs/fleet.md, "Other engines").

Reads every string of fleet/. What one of the engines lacks, or takes otherwise, is forbidden; the few places that use
such a thing where it is at hand are named here and in the document. Citus spreads a table by its first key column, so
each table either begins its key with host_id, and has no other unique key, or is one that the document replicates.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOKEN = re.compile(r'R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<text>(?:\\.|[^"\\])*)"|//[^\n]*|/\*.*?\*/|(?P<code>[^\s"/]+|/)', re.S)

# What, an example of it, who lacks it or why not.
FORBIDDEN = [
    (r"CREATE\s+EXTENSION", "CREATE EXTENSION hstore", "CockroachDB has none, and others only their own"),
    (r"\b(BIG|SMALL)?SERIAL\b|\bSEQUENCE\b|\bnextval\b|GENERATED\s+\w+(\s+\w+)?\s+AS\s+IDENTITY", "id bigserial",
     "a number across hosts: one place that all shards wait for"),
    (r"\b(LISTEN|UNLISTEN|NOTIFY)\s+\w|pg_notify", "LISTEN changes", "CockroachDB, YugabyteDB"),
    (r"\bUNLOGGED\b|\bTEMP(ORARY)?\s+TABLE\b", "CREATE UNLOGGED TABLE t", "CockroachDB, YugabyteDB"),
    (r"\bPARTITION\s+(BY\s+(RANGE|LIST|HASH)|OF)\b|\bINHERITS\b", "PARTITION BY RANGE (minute)", "each engine spreads in its own way"),
    (r"CREATE\s+(OR\s+REPLACE\s+)?(TRIGGER|FUNCTION|PROCEDURE|RULE)\b|\bDO\s+\$", "CREATE TRIGGER t",
     "Citus does not spread triggers; CockroachDB's differ"),
    (r"\bUSING\s+(gin|gist|brin|hash|spgist)\b|\bEXCLUDE\s+USING\b", "USING gin (labels)", "each has other kinds of index"),
    (r"\bCONCURRENTLY\b", "CREATE INDEX CONCURRENTLY i", "not in the transaction of a step"),
    (r"\bDEFERRABLE\b|\bDEFERRED\b", "DEFERRABLE INITIALLY DEFERRED", "CockroachDB"),
    (r"\bREFERENCES\s+\w|\bFOREIGN\s+KEY\b", "REFERENCES hosts", "Citus: not between all kinds of tables"),
    (r"\bMATERIALIZED\b", "CREATE MATERIALIZED VIEW v", "Citus: of tables that are not spread"),
    (r"\bCREATE\s+(TYPE|DOMAIN|COLLATION|AGGREGATE|OPERATOR)\b", "CREATE DOMAIN d", "CockroachDB"),
    (r"\b(hstore|citext|tsvector|xml|money|int4range|int8range|tstzrange|ltree)\b", "tags hstore", "CockroachDB"),
    (r"\bLOCK\s+TABLE\b|\bSKIP\s+LOCKED\b", "LOCK TABLE runs", "CockroachDB, YugabyteDB"),
    (r"\bMERGE\s+INTO\b", "MERGE INTO runs", "not before PostgreSQL 15; CockroachDB"),
    (r"\bON\s+CONFLICT\s+ON\s+CONSTRAINT\b", "ON CONFLICT ON CONSTRAINT runs_pkey", "CockroachDB"),
    (r"\bCOPY\s+\w+\s*(\(|FROM|TO)", "COPY runs FROM STDIN", "not by pipelined statements"),
    (r"\bDECLARE\s+\w+\s+.*CURSOR\b|\bWITH\s+HOLD\b", "DECLARE c CURSOR", "CockroachDB, YugabyteDB: restricted"),
    (r"\b(ctid|xmin|tableoid|pg_current_xact_id|txid_current)\b", "WHERE ctid = $1", "PostgreSQL's own storage"),
    (r"\bTABLESAMPLE\b", "TABLESAMPLE SYSTEM (1)", "CockroachDB"),
    (r"\bALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE\b", "ALTER COLUMN host TYPE text", "rewrites; older exporters"),
    (r"\b(DROP|RENAME)\s+COLUMN\b", "DROP COLUMN host", "older exporters still write it"),
    (r"pg_(try_)?advisory", "SELECT pg_advisory_lock(1)", "CockroachDB: does nothing"),
    (r"pg_(terminate|cancel)_backend|pg_stat_activity", "SELECT pg_terminate_backend(1)", "CockroachDB"),
]
# Where what an engine lacks is used all the same: there the work goes on without it.
AT_HAND = {
    "pg_(try_)?advisory": {"fleet/schema.cpp", "fleet/answers/fleet_models.cpp"},
    "pg_(terminate|cancel)_backend|pg_stat_activity": {"fleet/host_rows.cpp"},
}
NAMED = ("advisory locks", "pg_terminate_backend")  # so that an operator of another engine knows


def strings(text):
    """The literals of a C++ source; those that the compiler joins, joined."""
    out, joins = [], False
    for token in TOKEN.finditer(text):
        literal = token["raw"] if token["raw"] is not None else token["text"]
        if literal is not None:
            out[-1:] = [out[-1] + literal] if joins else out[-1:] + [literal]
        joins = literal is not None or (joins and token["code"] is None)
    return out


def tables(steps, document):
    """Tables that Citus could not spread, nor replicate as the document says."""
    engines = document[document.index("## Other engines"):]
    replicated = set(re.findall(r"`(\w+)`", engines.split("| Citus |")[1].split("create_distributed_table")[0]))
    replicated |= set(re.findall(r"create_reference_table\('(\w+)'\)", engines))
    for name, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\);", steps, re.S):
        key = re.search(r"PRIMARY KEY \((\w+)", body)
        if name not in replicated and (not key or key[1] != "host_id"):
            yield f"fleet/schema_steps.h: the key of {name} does not begin with host_id, and it is not one to replicate"
    for table, columns in re.findall(r"CREATE UNIQUE INDEX \w+ ON (\w+) \(([^)]*)\)", steps):
        if table not in replicated and "host_id" not in columns:
            yield f"fleet/schema_steps.h: {table} is unique by {columns}, which no shard can know"


def main():
    complaints = [f"{pattern}: does not find its own example" for pattern, example, _ in FORBIDDEN
                  if not re.search(pattern, example, re.I)]
    seen = {pattern: set() for pattern in AT_HAND}
    sources = sorted(path for path in (ROOT / "fleet").rglob("*") if path.suffix in (".h", ".cpp"))
    statements = 0
    for path in sources:
        name = str(path.relative_to(ROOT))
        for literal in strings(path.read_text()):
            statements += bool(re.search(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\b", literal))
            for pattern, _, why in FORBIDDEN:
                if not (found := re.search(pattern, literal, re.I)):
                    continue
                if name in AT_HAND.get(pattern, ()):
                    seen[pattern].add(name)
                else:
                    complaints.append(f"{name}: \"{found[0]}\": {why}")
    if statements < 50:
        complaints.append(f"only {statements} statements were found: this test no longer reads them")
    complaints += [f"{pattern} is no longer used in {', '.join(AT_HAND[pattern] - files)}"
                   for pattern, files in seen.items() if files != AT_HAND[pattern]]
    document = (ROOT / "docs/fleet.md").read_text()
    engines = document[document.index("## Other engines"):]
    complaints += [f"docs/fleet.md, \"Other engines\": no word of {word}" for word in NAMED if word not in engines]
    complaints += tables((ROOT / "fleet/schema_steps.h").read_text(), document)
    print("\n".join(complaints) or f"{statements} statements in {len(sources)} files keep to what the engines share")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
