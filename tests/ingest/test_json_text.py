"""Every rule of the docstring of `ingest.parse.json_text`."""

from __future__ import annotations

import json

import msgspec
import pytest

from ingest.errors import Reason, RejectedInput
from ingest.parse import json_text


def raw(text: str) -> msgspec.Raw:
    return msgspec.Raw(text.encode("utf-8"))


class TestBytes:
    @pytest.mark.parametrize(
        ("given", "kept"),
        [
            pytest.param(b'\xef\xbb\xbf{"a":1}', b'{"a":1}', id="a byte-order mark is dropped"),
            pytest.param(b'{\r\n"a":1}\r\n', b'{\r\n"a":1}\r\n', id="CRLF is white space"),
            pytest.param("é".encode(), "é".encode(), id="an accent in UTF-8 is kept"),
            pytest.param(b"{}", b"{}", id="plain ASCII is kept"),
        ],
    )
    def test_text_is_kept(self, given, kept):
        assert json_text.checked_utf8(given) == kept

    @pytest.mark.parametrize(
        ("given", "code", "place"),
        [
            pytest.param(b"", Reason.EMPTY_FILE, "", id="no byte"),
            pytest.param(b" \r\n\t", Reason.EMPTY_FILE, "", id="white space only"),
            pytest.param(b"\xef\xbb\xbf", Reason.EMPTY_FILE, "", id="a byte-order mark only"),
            pytest.param(b'{"x":"caf\xe9"}', Reason.NOT_UTF8, "byte 9", id="latin-1"),
            pytest.param(b"\xff\xfe{\0}\0", Reason.NOT_UTF8, "byte 0", id="UTF-16"),
            pytest.param(b'"\xed\xa0\x80"', Reason.NOT_UTF8, "byte 1", id="a surrogate as bytes"),
        ],
    )
    def test_bytes_without_text_are_rejected(self, given, code, place):
        with pytest.raises(RejectedInput) as caught:
            json_text.checked_utf8(given)

        assert (caught.value.code, caught.value.at) == (code, place)


class TestLoads:
    @pytest.mark.parametrize(
        ("given", "code"),
        [
            pytest.param(b"{", Reason.TRUNCATED, id="cut after a bracket"),
            pytest.param(b'{"a":1,', Reason.TRUNCATED, id="cut after a comma"),
            pytest.param(b'{"a":', Reason.TRUNCATED, id="cut after a colon"),
            pytest.param(b'{"a":"b', Reason.TRUNCATED, id="cut inside a text"),
            pytest.param(b'{"a":[1]\n', Reason.TRUNCATED, id="cut before the last bracket"),
            pytest.param(b"hello", Reason.NOT_JSON, id="words"),
            pytest.param(b'{"a":1}}', Reason.NOT_JSON, id="a bracket too many"),
            pytest.param(b'{"a":1}{"a":2}', Reason.NOT_JSON, id="two objects"),
            pytest.param(b"{'a':1}", Reason.NOT_JSON, id="single quotes"),
            pytest.param(b'{"a":"x\ny"}', Reason.NOT_JSON, id="a bare line break in a text"),
            pytest.param(
                b"[" * 100_000 + b"]" * 100_000, Reason.TOO_DEEP, id="nested 100,000 deep"
            ),
            pytest.param(b"1" * 4301, Reason.NOT_JSON, id="4,301 digits"),
        ],
    )
    def test_what_is_not_json_is_told_apart(self, given, code):
        with pytest.raises(RejectedInput) as caught:
            json_text.loads(given)

        assert caught.value.code == code

    def test_the_place_of_the_mistake_is_named(self):
        with pytest.raises(RejectedInput) as caught:
            json_text.loads(b'{"a":1,\n"b":x}')

        assert caught.value.at == "line 2, column 5"

    def test_whole_numbers_are_exact(self):
        assert json_text.loads(b"[18446744073709551615,99999999999999999999]") == [
            18446744073709551615,
            99999999999999999999,
        ]


class TestDumps:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            pytest.param({"a": [1, "é"]}, '{"a":[1,"é"]}', id="compact and not escaped"),
            pytest.param([float("nan")], '["NaN"]', id="NaN is a text"),
            pytest.param(
                [float("inf"), float("-inf")], '["Infinity","-Infinity"]', id="so is Infinity"
            ),
            pytest.param({"\ud800": "x\udfff"}, '{"�":"x�"}', id="lone surrogates"),
            pytest.param(2**70, "1180591620717411303424", id="a whole number over 63 bits"),
            pytest.param({"Name": 1, "name": 2}, '{"Name":1,"name":2}', id="keys by their case"),
        ],
    )
    def test_values_become_json_that_every_engine_reads(self, value, text):
        assert json_text.dumps(value) == text

    def test_a_value_nested_too_deeply_is_rejected(self):
        value: list = []
        for _ in range(5_000):
            value = [value]

        with pytest.raises(RejectedInput) as caught:
            json_text.dumps(value)

        assert caught.value.code == Reason.TOO_DEEP


class TestCompacted:
    def test_white_space_goes_and_tokens_stay_as_written(self):
        given = b'{\r\n  "a" : [ 1.50, 1e2, "x  y", "\\u00e9" ]\r\n}\r\n'

        assert json_text.compacted(given) == b'{"a":[1.50,1e2,"x  y","\\u00e9"]}'

    @pytest.mark.parametrize("given", [b'{"a": NaN}', b'{"a": ', b'{"a": "\\ud800"}', b'{"a": 01}'])
    def test_what_strict_json_forbids_is_left_to_the_tolerant_way(self, given):
        assert json_text.compacted(given) == given


class TestRaw:
    @pytest.mark.parametrize(
        ("given", "text"),
        [
            pytest.param("", None, id="nothing"),
            pytest.param("null", None, id="null"),
            pytest.param("{}", "{}", id="an empty object is recorded"),
            pytest.param("1.50", "1.50", id="a number as written"),
        ],
    )
    def test_text_of(self, given, text):
        assert json_text.text_of(raw(given)) == text

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            pytest.param("7", "7", id="a number as id stays its digits"),
            pytest.param("18446744073709551617", "18446744073709551617", id="at any size"),
            pytest.param('"item-7"', "item-7", id="a text loses its quotes"),
            pytest.param('"a\\"\\u00e9"', 'a"é', id="and its escapes"),
            pytest.param('{"a":1}', '{"a":1}', id="an object is its JSON"),
            pytest.param("null", None, id="null is nothing"),
            pytest.param("", None, id="nothing is nothing"),
        ],
    )
    def test_plain_text_of(self, given, text):
        assert json_text.plain_text_of(raw(given)) == text

    @pytest.mark.parametrize(
        ("given", "number"),
        [
            pytest.param("1.5", 1.5, id="a number"),
            pytest.param("-2", -2.0, id="a negative whole number"),
            pytest.param('"0.7"', 0.7, id="a number as text"),
            pytest.param('"07:14:08"', None, id="a time of day"),
            pytest.param('{"hours":1}', None, id="an object"),
            pytest.param("true", None, id="a flag"),
            pytest.param("null", None, id="null"),
            pytest.param("", None, id="nothing"),
            pytest.param('"NaN"', None, id="NaN"),
            pytest.param('"Infinity"', None, id="Infinity"),
            pytest.param("1e999", None, id="beyond a double"),
            pytest.param("1" * 5000, None, id="5,000 digits"),
            pytest.param('"1_000"', None, id="digits with an underscore"),
        ],
    )
    def test_number_of(self, given, number):
        assert json_text.number_of(raw(given)) == number


NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("x", "x", id="a text"),
        pytest.param("\ud800x", "�x", id="a lone surrogate"),
        pytest.param("\U0001f600", "\U0001f600", id="a character beyond 16 bits"),
        pytest.param(12, "12", id="a whole number"),
        pytest.param(2**70, "1180591620717411303424", id="a large one exactly"),
        pytest.param(1.5, None, id="a fraction"),
        pytest.param(True, None, id="a flag"),
        pytest.param([1], None, id="a list"),
    ],
)
def test_as_text(value, text):
    assert json_text.as_text(value) == text


@pytest.mark.parametrize(
    ("value", "number"),
    [
        pytest.param(0.7, 0.7, id="a number"),
        pytest.param("0.7", 0.7, id="a number as text"),
        pytest.param(3, 3.0, id="a whole number"),
        pytest.param("1_000", None, id="digits with an underscore"),
        pytest.param("07:14:08", None, id="a time of day"),
        pytest.param("", None, id="an empty text"),
        pytest.param(True, None, id="a flag"),
        pytest.param(NAN, None, id="NaN"),
        pytest.param("nan", None, id="NaN as text"),
        pytest.param(INFINITY, None, id="Infinity"),
        pytest.param(10**400, None, id="beyond a double"),
        pytest.param([1], None, id="a list"),
    ],
)
def test_as_real(value, number):
    assert json_text.as_real(value) == number


@pytest.mark.parametrize(
    ("value", "number"),
    [
        pytest.param(3, 3, id="a whole number"),
        pytest.param(3.0, 3, id="a whole number as fraction"),
        pytest.param("3", 3, id="a whole number as text"),
        pytest.param(" -3 ", -3, id="with a sign and spaces"),
        pytest.param(2**63 - 1, 2**63 - 1, id="the largest of 63 bits"),
        pytest.param(-(2**63), -(2**63), id="the smallest of 63 bits"),
        pytest.param(2**63, None, id="one more than 63 bits"),
        pytest.param(str(2**63), None, id="one more than 63 bits as text"),
        pytest.param("9" * 5000, None, id="5,000 digits as text"),
        pytest.param(3.5, None, id="a fraction"),
        pytest.param(1e300, None, id="a large fraction"),
        pytest.param(NAN, None, id="NaN"),
        pytest.param(INFINITY, None, id="Infinity"),
        pytest.param("3.0", None, id="a fraction as text"),
        pytest.param(True, None, id="a flag"),
    ],
)
def test_as_whole(value, number):
    assert json_text.as_whole(value) == number


def test_as_whole_within_a_smaller_limit():
    limit = json_text.INT32_MAX

    assert json_text.as_whole(2**31 - 1, limit) == 2**31 - 1
    assert json_text.as_whole(2**31, limit) is None


@pytest.mark.parametrize(
    ("value", "flag"),
    [
        (True, True),
        (False, False),
        (1, True),
        (0, False),
        (1.0, True),
        ("yes", True),
        (" No ", False),
        ("TRUE", True),
        ("false", False),
        ("1", True),
        ("0", False),
        (2, None),
        (-1, None),
        (NAN, None),
        ("maybe", None),
        ("", None),
        ([], None),
        ({}, None),
    ],
    ids=repr,
)
def test_as_flag(value, flag):
    assert json_text.as_flag(value) is flag


@pytest.mark.parametrize(
    ("pointer", "path"),
    [
        ("/foo", "foo"),
        ("/trace/3/foo", "trace[].foo"),
        ("/room/puzzles/0/clue/new", "room.puzzles[].clue.new"),
        ("/a~1b", "a/b"),
        ("/a~0b", "a~b"),
        ("/trace/12", "trace[]"),
    ],
)
def test_pretty_path(pointer, path):
    assert json_text.pretty_path(pointer) == path


def test_dumps_and_loads_are_the_reverse_of_each_other():
    value = {"a": [1, 2.5, "x", None, True, {"b": []}], "é": 2**64}

    assert json_text.loads(json_text.dumps(value).encode("utf-8")) == value
    assert json.loads(json_text.dumps(value)) == value
