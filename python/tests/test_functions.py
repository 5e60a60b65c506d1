"""What is known of functions, and how they are served. The program is not needed."""

import functools
import http.client
import json
import threading
import unittest

from abeval._functions import Wrong, answer_of, result_of
from abeval._identity import texts_in, version_of
from abeval._serve import SECRET_HEADER, Served

TONE = "kind"


def helper():
    return TONE


def with_helper(row):
    return helper() + row["question"]


def bound(value):
    def arm(row, more="x"):
        return value + more

    return arm


class Identity(unittest.TestCase):
    def test_one_source_and_what_it_is_bound_to_is_one_version(self):
        self.assertEqual(version_of(bound("a")), version_of(bound("a")))
        self.assertNotEqual(version_of(bound("a")), version_of(bound("b")))
        self.assertNotEqual(
            version_of(functools.partial(with_helper, 1)), version_of(functools.partial(with_helper, 2))
        )

    def test_lambdas_of_one_line_differ(self):
        one, other = (lambda row: "a"), (lambda row: "b")
        self.assertNotEqual(version_of(one), version_of(other))

    def test_a_constant_of_the_module_that_a_helper_reads_counts(self):
        global TONE
        before = version_of(with_helper)
        TONE, kept = "rude", TONE
        try:
            self.assertNotEqual(version_of(with_helper), before)
        finally:
            TONE = kept
        self.assertEqual(version_of(with_helper), before)

    def test_what_cannot_be_read_has_no_version(self):
        made = {}
        exec("def f(row): return row", made)
        for unreadable in (made["f"], len, bound(object()), Identity().setUp):
            self.assertIsNone(version_of(unreadable))

    def test_columns_that_a_function_and_its_helpers_may_read(self):
        self.assertIn("question", texts_in(lambda row: with_helper(row)))
        self.assertNotIn("question", texts_in(len))


class Replies(unittest.TestCase):
    def test_results_of_checks(self):
        for given, found in (
            (True, {"pass": True}),
            (0.5, {"score": 0.5}),
            (1, {"score": 1.0}),
            ({"pass": False, "why": "rude"}, {"pass": False, "why": "rude"}),
            ({"score": True}, {"score": 1.0}),
        ):
            self.assertEqual(result_of(given), found)

    def test_what_is_no_result_is_told(self):
        for given, words in (
            (None, "None"),
            ("yes", "type str"),
            (7, "7"),
            (float("nan"), "nan"),
            ({"pass": "yes"}, "type dict"),
        ):
            with self.assertRaisesRegex(Wrong, "it gave .*%s" % words):
                result_of(given)

    def test_what_is_no_answer_is_told(self):
        for given, words in (
            (None, "None"),
            (3, "type int"),
            ({"answer": None}, "None as answer"),
            ("x" * 5_000_000, "5,000,000"),
        ):
            with self.assertRaisesRegex(Wrong, words):
                answer_of(given)


async def later(row):
    return "later " + row["question"]


def failing(row):
    raise ValueError("first\nsecond")


class Serving(unittest.TestCase):
    def setUp(self):
        arms = {"a": lambda row, context: "%s %d" % (row["question"], context.trial), "later": later, "fails": failing}
        checks = {"c": lambda answer, row: {"pass": answer == row["expected"], "why": "looked"}}
        self.served = Served(arms, checks, {"expected": "the check reads it"})
        self.addCleanup(self.served.close)

    def post(self, path, body, secret=None, length=None):
        connection = http.client.HTTPConnection("127.0.0.1", int(self.served.url.rsplit(":", 1)[1]), timeout=10)
        self.addCleanup(connection.close)
        data = json.dumps(body)
        headers = {SECRET_HEADER: self.served.secret if secret is None else secret}
        if length is not None:
            headers["content-length"] = length
        connection.request("POST", path, data, headers)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()

    def asked(self, **more):
        return {"input": {"id": "1", "values": {"question": "Where?"}}, "trial": 2, "messages": [], **more}

    def test_an_arm_and_a_check_answer(self):
        self.assertEqual(self.post("/arms/a", self.asked()), (200, '{"answer": "Where? 2"}'))
        self.assertEqual(self.post("/arms/later", self.asked()), (200, '{"answer": "later Where?"}'))
        asked = {"input": {"values": {"expected": "yes"}}, "answer": "yes"}
        self.assertEqual(self.post("/checks/c", asked), (200, '{"pass": true, "why": "looked"}'))
        status, body = self.post("/checks/c", {**asked, "answer": None})
        self.assertEqual((status, json.loads(body)["why"]), (200, "there is no answer"))

    def test_whoever_lacks_the_secret_gets_nothing(self):
        for secret in ("", "guess", "\xff"):
            self.assertEqual(self.post("/arms/a", self.asked(), secret)[0], 403)

    def test_what_nobody_asks_is_refused(self):
        self.assertEqual(self.post("/arms/nobody", {})[0], 404)
        for length in ("99999999999", "x", "-1"):
            self.assertEqual(self.post("/arms/a", {}, None, length)[0], 413)

    def test_an_exception_is_told_by_its_last_line_and_place(self):
        status, words = self.post("/arms/fails", self.asked())
        self.assertEqual(status, 500)
        self.assertRegex(words, r"^ValueError: first\nsecond \(failing, line \d+\)$")
        self.post("/arms/fails", self.asked())
        self.assertIn("(2 times)", self.served.told()["arm fails"])

    def test_after_closing_neither_port_nor_thread_is_left(self):
        self.post("/arms/later", self.asked())
        self.served.close()
        with self.assertRaises(OSError):
            self.post("/arms/a", self.asked())
        self.assertEqual([one.name for one in threading.enumerate() if one.name.startswith("abeval")], [])

    def test_functions_that_cannot_be_called_are_refused_at_once(self):
        for arm, words in ((3, "type int"), (lambda: "", "too many"), (lambda a, b, c: "", "'c'")):
            with self.assertRaisesRegex(TypeError, "arm 'x' .*%s" % words):
                Served({"x": arm}, {}, {})


if __name__ == "__main__":
    unittest.main()
