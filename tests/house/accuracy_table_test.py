#!/usr/bin/env python3
"""The tables of accuracy (bench/accuracy_table.py): how measurements are cut, and what is made of what was said."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import accuracy_table  # noqa: E402
import published_tables  # noqa: E402

SAID = """
cut.csv: 40 runs

larger-half, 8 parts in 5 folds: batch_size_range 12 batch_size_beyond_all 4
| Estimator | Error % | Held % | Answered |
|---|---|---|---|
| gianniti | 12.34 | 90.0 | 16/16 |
| bitirgen | 3.21 | 90.0 | 4/16 |
| stargazer | 9.80 | 85.0 | 8/16 |
| effects | 8.00 | 93.8 | 16/16 |
| combined | 7.96 | 93.8 | 16/16 |
| the chosen one | 7.96 | 93.8 | 16/16 |
| the chosen one, batch_size_range | 6.04 | 91.7 | 12/12 |
| the chosen one, train | 7.96 | 93.8 | 16/16 |
"""


class Table(unittest.TestCase):
    def setUp(self):
        self.rows = accuracy_table.parse(SAID)

    def test_best_rival_answers_at_least_half_and_is_no_estimator_of_ours(self):
        self.assertEqual(accuracy_table.best_rival(self.rows), (9.8, "stargazer"))

    def test_row_shows_its_cuts_one_after_the_other(self):
        question = accuracy_table.Question("the larger half", "steps", "larger-half", 0.2, "15.5")
        self.assertEqual(accuracy_table.line(question, [self.rows, self.rows]),
                         "| the larger half | steps | 1/5 | 16 / 16 | 8.0 / 8.0 | 94 / 94 | "
                         "`stargazer` 9.8 / `stargazer` 9.8 | 15.5 |")

    def test_row_of_a_kind_of_question_is_of_those_alone(self):
        question = accuracy_table.Question("the larger half", "steps", "larger-half", 1, kind="batch_size_range")
        self.assertEqual(accuracy_table.line(question, [self.rows]),
                         "| the larger half | steps | all | 12 | 6.0 | 92 |  |  |")

    def test_records_show_the_best_rival_of_each_kind_that_was_asked_often(self):
        said = """
| Estimator | seen | batch_size | settings |
|---|---|---|---|
| gianniti | | 8.2 (90; 200/200) | |
| bitirgen | | 7.0 (91; 90/200) | |
| effects | 2.0 (90; 50/50) | 4.9 (90; 200/200) | |
| combined | **1.9** (80; 50/50) | **4.8** (90; 200/200) | 3.0 (90; 49/49) |
"""
        self.assertEqual(list(accuracy_table.record_lines("steps", [said])),
                         ["| steps | `seen` | 50 |  |  | 2.0 | 1.9 | 80 |",
                          "| steps | `batch_size` | 200 | 8.2 | `gianniti` 8.2 | 4.9 | 4.8 | 90 |"])
        self.assertEqual(list(accuracy_table.record_lines("steps", [said, said]))[0],
                         "| steps | `seen` | 50 / 50 |  |  | 2.0 / 2.0 | 1.9 / 1.9 | 80 / 80 |")

    def test_what_nobody_has_makes_no_row(self):
        self.assertIsNone(accuracy_table.line(accuracy_table.QUESTIONS[0], []))


class Cuts(unittest.TestCase):
    def test_halves_go_by_name_and_lose_nothing(self):
        rows = [{"name": f"n{i % 20}", "value": i} for i in range(100)]
        first, second = published_tables.halves(rows, lambda row: row["name"])
        self.assertEqual(len(first) + len(second), 100)
        self.assertFalse({row["name"] for row in first} & {row["name"] for row in second})
        self.assertEqual(published_tables.halves(rows[::-1], lambda row: row["name"])[0], first[::-1])

    def test_draws_are_disjoint(self):
        rows = [{"name": f"n{i % 20}"} for i in range(100)]
        first, second = published_tables.draws(rows, lambda row: row["name"], 7, 2)
        names = [{row["name"] for row in cut} for cut in (first, second)]
        self.assertEqual([len(each) for each in names], [7, 7])
        self.assertFalse(names[0] & names[1])

    def test_latencies_take_the_mean_latency_where_there_is_one(self):
        tables = [{"table": "1", "readme": "A/B/README.md", "section": "Inference: A100 (1x A100 40GB) > Base model"},
                  {"table": "2", "readme": "A/B/README.md", "section": "Inference: DGX-1 (8x V100 16GB)"}]
        value = {"other": "precision=FP16; latency 95%=3; sequence length=128; laten", "batch_size": "8"}
        rows = published_tables.latency_rows(
            [value | {"table": "1", "column": "throughput", "quantity": "throughput", "value": "2000"},
             value | {"table": "1", "column": "latency", "quantity": "latency_ms", "value": "5"},
             value | {"table": "1", "batch_size": "16", "column": "throughput", "quantity": "throughput",
                      "value": "3200"},
             value | {"table": "2", "column": "latency", "quantity": "latency_ms", "value": "7"}], tables)
        self.assertEqual([row["seconds"] for row in rows], [0.005, 0.005], "and nothing of eight GPUs")
        self.assertEqual({name: rows[0][name] for name in ("network", "device", "setting.sequence_length")},
                         {"network": "A/B:Base", "device": "A100 40G", "setting.sequence_length": "128"})

    def test_our_own_gpus_are_there_without_a_folder(self):
        h100, h200 = accuracy_table.cuts_of("gpus", [])
        self.assertGreater(min(len(h100), len(h200)), 200)
        self.assertIn("setting.precision", h100[0])
        self.assertEqual(accuracy_table.cuts_of("steps", [pathlib.Path("/nowhere")]), [])

    def test_written_cut_has_all_columns_of_its_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.csv"
            published_tables.write([{"network": "a,b"}, {"network": "c", "seconds": 2}], path)
            self.assertEqual(path.read_text().split(), ["network,seconds", "ab,", "c,2"])


if __name__ == "__main__":
    unittest.main()
