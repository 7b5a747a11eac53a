# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of unittest that CPython's tests need, in Python that Lancet follows. See cpython_tests.py."""

import contextlib
import re


class SkipTest(Exception):
    pass


def skip(reason):
    def decorate(what):
        if isinstance(what, type):
            what.skipped = True
            return what

        def skipping(*args, **kwargs):
            raise SkipTest(reason)

        return skipping

    return decorate


def skipIf(condition, reason=""):
    return skip(reason) if condition else lambda what: what


def skipUnless(condition, reason=""):
    return skipIf(not condition, reason)


def expectedFailure(what):
    return skip("expected failure")(what)


class _Raises:
    def __init__(self, expected, pattern):
        self.expected, self.pattern = expected, pattern

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            raise AssertionError(f"{self.expected!r} not raised")
        if not issubclass(kind, self.expected):
            return False
        self.exception = value
        if self.pattern is not None and not re.search(self.pattern, str(value)):
            raise AssertionError(f"{self.pattern!r} does not match {str(value)!r}")
        return True


class _Warns:
    """Warnings are not looked at."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False


class TestCase:
    failureException = AssertionError
    maxDiff = None
    longMessage = True
    skipped = False

    def setUp(self): pass
    def tearDown(self): pass

    @classmethod
    def setUpClass(cls): pass
    @classmethod
    def tearDownClass(cls): pass

    def addCleanup(self, function, *args, **kwargs):
        self.cleanups = [*getattr(self, "cleanups", ()), (function, args, kwargs)]

    def enterContext(self, context):
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def fail(self, msg=None): raise AssertionError(msg)
    def skipTest(self, reason): raise SkipTest(reason)
    def subTest(self, *args, **kwargs): return contextlib.nullcontext()

    def _check(self, holds, text, msg=None):
        if not holds:
            raise AssertionError(text if msg is None else f"{text} : {msg}")

    def assertTrue(self, expr, msg=None):
        if not expr:
            raise AssertionError(f"{expr!r} is not true : {msg}")

    def assertFalse(self, expr, msg=None):
        if expr:
            raise AssertionError(f"{expr!r} is not false : {msg}")

    def assertEqual(self, first, second, msg=None):
        if not first == second:
            raise AssertionError(f"{first!r} != {second!r} : {msg}")

    def assertNotEqual(self, first, second, msg=None):
        if not first != second:
            raise AssertionError(f"{first!r} == {second!r} : {msg}")

    def assertIs(self, first, second, msg=None):
        if first is not second:
            raise AssertionError(f"{first!r} is not {second!r} : {msg}")

    def assertIsNot(self, first, second, msg=None):
        if first is second:
            raise AssertionError(f"unexpectedly identical: {first!r} : {msg}")

    def assertIsNone(self, obj, msg=None):
        if obj is not None:
            raise AssertionError(f"{obj!r} is not None : {msg}")

    def assertIsNotNone(self, obj, msg=None):
        if obj is None:
            raise AssertionError(f"unexpectedly None : {msg}")

    def assertIn(self, member, container, msg=None):
        if member not in container:
            raise AssertionError(f"{member!r} not found in {container!r} : {msg}")

    def assertNotIn(self, member, container, msg=None):
        if member in container:
            raise AssertionError(f"{member!r} unexpectedly found in {container!r} : {msg}")

    def assertIsInstance(self, obj, cls, msg=None):
        if not isinstance(obj, cls):
            raise AssertionError(f"{obj!r} is not an instance of {cls!r} : {msg}")

    def assertNotIsInstance(self, obj, cls, msg=None):
        if isinstance(obj, cls):
            raise AssertionError(f"{obj!r} is an instance of {cls!r} : {msg}")

    def assertLess(self, a, b, msg=None): self._check(a < b, f"{a!r} not less than {b!r}", msg)
    def assertLessEqual(self, a, b, msg=None): self._check(a <= b, f"{a!r} not less than or equal to {b!r}", msg)
    def assertGreater(self, a, b, msg=None): self._check(a > b, f"{a!r} not greater than {b!r}", msg)
    def assertGreaterEqual(self, a, b, msg=None): self._check(a >= b, f"{a!r} not greater than or equal to {b!r}", msg)

    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if first == second:
            return
        close = abs(first - second) <= delta if delta is not None else round(abs(first - second), 7 if places is None else places) == 0
        self._check(close, f"{first!r} != {second!r} almost", msg)

    def assertNotAlmostEqual(self, first, second, places=None, msg=None):
        self._check(first != second and round(abs(first - second), 7 if places is None else places) != 0, f"{first!r} == {second!r} almost", msg)

    def assertRegex(self, text, expected_regex, msg=None):
        self._check(re.search(expected_regex, text), f"{expected_regex!r} does not match {text!r}", msg)

    def assertNotRegex(self, text, expected_regex, msg=None):
        self._check(not re.search(expected_regex, text), f"{expected_regex!r} matches {text!r}", msg)

    def assertCountEqual(self, first, second, msg=None):
        left, rest = list(first), list(second)
        for each in left:
            self._check(each in rest, f"{left!r} and {list(second)!r} have other items", msg)
            rest.remove(each)
        self._check(not rest, f"{left!r} lacks {rest!r}", msg)

    def assertRaises(self, expected, *call, **kwargs):
        return self._raises(expected, None, call, kwargs)

    def assertRaisesRegex(self, expected, pattern, *call, **kwargs):
        return self._raises(expected, pattern, call, kwargs)

    def _raises(self, expected, pattern, call, kwargs):
        context = _Raises(expected, pattern)
        if not call:
            return context
        with context:
            call[0](*call[1:], **kwargs)

    def assertWarns(self, expected, *call, **kwargs):
        if not call:
            return _Warns()
        call[0](*call[1:], **kwargs)

    def assertWarnsRegex(self, expected, pattern, *call, **kwargs):
        return self.assertWarns(expected, *call, **kwargs)

    assertSequenceEqual = assertListEqual = assertTupleEqual = assertEqual
    assertDictEqual = assertSetEqual = assertMultiLineEqual = assertEqual


def _run(cls, method):
    if cls.skipped:
        return "skipped"
    cls.setUpClass()
    case = cls()
    case._testMethodName = method
    try:
        case.setUp()
        try:
            getattr(case, method)()
        finally:
            case.tearDown()
    except SkipTest:
        return "skipped"
    finally:
        for function, args, kwargs in reversed(getattr(case, "cleanups", [])):
            function(*args, **kwargs)
    return "passed"


def judge(results, name, cls, method):
    """Appends "NAME passed", "NAME skipped" or "NAME raised TYPE: TEXT"."""
    try:
        outcome = _run(cls, method)
    except BaseException as error:
        outcome = "raised " + type(error).__name__
        try:
            outcome += ": " + ascii(str(error))[:300]
        except Exception:
            pass
    results.append(name + " " + outcome)


def main(*args, **kwargs): pass
