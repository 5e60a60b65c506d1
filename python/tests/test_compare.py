"""Comparisons from end to end, with the program that ABEVAL_BIN names."""

import signal
import subprocess
import sys
import unittest

import abeval

ROWS = [{"question": "q%d" % number, "expected": "please q%d" % number} for number in range(9)]

WANTED = "expected"


def old(row):
    return row["question"]


async def new(row):
    return {"answer": "please " + row["question"], "usage": {"cost_usd": 0.01}}


def right(answer, row):
    return row["expected"] in answer


INTERRUPTED = """
import abeval, threading, time
def hang(row):
    print("asked", flush=True)
    time.sleep(3)
async def hangs(row):
    import asyncio
    await asyncio.sleep(600)
try:
    abeval.compare({"a": hang, "b": hangs}, [{"q": "1"}], {"c": lambda answer: True})
except KeyboardInterrupt:
    print([one.name for one in threading.enumerate() if one.name.startswith("abeval")])
"""


class Compare(unittest.TestCase):
    def test_two_functions_to_an_answer(self):
        found = abeval.compare({"old": old, "new": new}, ROWS, {"right": right})
        self.assertEqual(found.gate, {"old": None, "new": "better"})
        self.assertEqual((found.result["measure"], found.result["ahead"], found.result["n"]), ("solved", 9, 9))
        self.assertRegex(found.first_line, "^new solved 9 of 9, old 0 of 9: 100 points more")
        self.assertEqual(str(found).split("\n")[0], found.first_line)
        self.assertNotIn("<", str(found))
        self.assertIn("<iframe sandbox srcdoc=", found._repr_html_())
        abeval.assert_better(found, "new")
        with self.assertRaisesRegex(AssertionError, "old is not shown to be no worse\nnew solved 9 of 9"):
            abeval.assert_not_worse(found, "old")
        with self.assertRaisesRegex(TypeError, "neither true nor false"):
            bool(found)

    def test_numbers_make_scores_and_three_arms_a_contest(self):
        found = abeval.compare(
            {"old": old, "new": new, "third": old}, ROWS[:2], {"near": lambda answer, row: len(answer) / 20}
        )
        self.assertEqual([arm["arm_id"] for arm in found.result["arms"]], ["new", "old", "third"])
        self.assertEqual(found.series["plan"]["measure"], "score")

    def test_what_functions_do_wrong_is_told(self):
        def lazy(row):
            return row["expected"] if "expected" in row else None

        def peeks(row):
            return "%s %s" % (row["question"], row[WANTED])

        found = abeval.compare({"lazy": lazy, "new": new}, ROWS[:2], {"right": right}, send=["question"])
        self.assertIn("failed  arm lazy: it gave None", str(found))
        found = abeval.compare({"old": peeks, "new": new}, ROWS[:2], {"right": right})
        self.assertIn("'expected' is not sent to arms: the check 'right' reads it", str(found))

    def test_a_check_that_raises_is_nobodys(self):
        def broken(answer):
            raise KeyError("tone")

        with self.assertRaisesRegex(
            abeval.AbevalError, r"could not be finished.*KeyError: 'tone' \(broken, line"
        ) as caught:
            abeval.compare({"old": old, "new": new}, ROWS[:1], {"broken": broken})
        self.assertIsInstance(caught.exception.__cause__, KeyError)

    def test_a_function_that_hangs_has_its_seconds(self):
        script = INTERRUPTED.replace("except KeyboardInterrupt", "except ZeroDivisionError").replace(
            "    abeval.compare(", "    print(abeval.compare("
        )
        script = script.replace("lambda answer: True})", "lambda answer: True}, max_seconds=0.5))")
        printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        self.assertIn("failed  arm a: it has not returned", printed.stdout, printed.stderr)

    def test_an_interrupt_ends_everything(self):
        with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True) as child:
            self.assertEqual(child.stdout.readline(), "asked\n")
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.stdout.readline(), "[]\n")

    def test_what_cannot_be_compared_is_told_before_anything_runs(self):
        arms, checks = {"old": old, "new": new}, {"right": right}
        for given, error, words in (
            ((arms, [], checks), ValueError, "rows: there are none"),
            ((arms, "q", checks), TypeError, "rows: give a list of dicts"),
            ((arms, [{"q": object()}], checks), TypeError, r"rows\[0\]\['q'\] is a object"),
            ((arms, ROWS), ValueError, "nothing says which answer is better"),
            (({"old": old}, ROWS, checks), ValueError, "arms: give two or more"),
            (({"old": old, "b d": new}, ROWS, checks), abeval.AbevalError, r'arms\[1\].id: .*"b d"'),
        ):
            with self.assertRaisesRegex(error, words):
                abeval.compare(*given)

    def test_a_data_frame_is_read_as_rows(self):
        class Frame:
            def to_dict(self, orient):
                return (
                    [{"question": row["question"], "nothing": float("nan")} for row in ROWS[:2]]
                    if orient == "records"
                    else None
                )

        found = abeval.compare({"old": old, "new": new}, Frame(), {"polite": {"answer_contains": "please"}})
        self.assertEqual(found.result["value"], {"candidate": 1, "control": 0})


class Results(unittest.TestCase):
    def test_results_that_are_there_already(self):
        rows = [
            {"scenario": "s%d" % number, "arm": arm, "passed": arm == "new"}
            for number in range(12)
            for arm in ("old", "new")
        ]
        found = abeval.results(rows)
        self.assertEqual(found.gate["new"], "better")
        with self.assertRaisesRegex(abeval.AbevalError, "passed"):
            abeval.results([{"scenario": "s", "arm": "a"}])


if __name__ == "__main__":
    unittest.main()
