"""Results CSVs: what is written is read back, and what is no results CSV is refused in one sentence."""

import csv
import io
import re

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distsampler import results
from distsampler.results import ENVIRONMENT, METRICS, NAMES, ResultsError, ResultsWriter

EXPLORE = settings(derandomize=True, deadline=None, max_examples=300)
MACHINE = dict.fromkeys(ENVIRONMENT, "x")
MEASURED = {
    "benchmark": "index_generation",
    "workload": "indices",
    "sampler": "torch",
    "dataset_length": "1000",
    "num_replicas": "8",
    "metric": "epoch",
    "unit": "s",
    "round": "0",
    "value": "0.25",
    "draws": "125",
    "status": "ok",
}
SKIPPED = {**MEASURED, "round": "", "value": "", "draws": "", "status": "skipped", "error": "no, GPU"}


def content(*rows, names=NAMES, end="\r\n"):
    """Return the bytes of a CSV with these rows."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, restval="", extrasaction="ignore", lineterminator=end)
    writer.writeheader()
    writer.writerows({**MACHINE, **row} for row in rows)
    return text.getvalue().encode()


VALID = content(MEASURED, {**MEASURED, "round": "1", "value": "3e-05"}, SKIPPED)


@pytest.fixture(scope="module")
def read_bytes(tmp_path_factory):
    """Return a function that reads the bytes of a results CSV."""
    path = tmp_path_factory.mktemp("results") / "r.csv"

    def read(data):
        path.write_bytes(data)
        return results.read(path)

    return read


def refusal(path, data):
    """Return what `read` says about a file with these bytes, without the folder."""
    path.write_bytes(data)
    with pytest.raises(ResultsError) as caught:
        results.read(path)
    return str(caught.value).replace(str(path), path.name)


def test_written_rows_are_read_back(tmp_path):
    """What the writer wrote comes back, parameters as text and measurements as numbers."""
    writer = ResultsWriter(tmp_path / "new" / "r.csv", {**MACHINE, "run": "first"})
    writer.write(**{**MEASURED, "value": 0.1, "dataset_length": 1000})
    writer.write(**SKIPPED)
    writer.close()
    frame = results.read(writer.path)
    assert list(frame.columns) == list(NAMES)
    assert frame["dataset_length"].tolist() == ["1000", "1000"]
    assert frame["strategy"].tolist() == ["", ""]
    assert frame["error"].tolist() == ["", "no, GPU"]
    assert frame["run"].tolist() == ["first", "first"]
    assert frame.loc[0, ["value", "round", "draws"]].tolist() == [0.1, 0, 125]
    assert frame.loc[1, ["value", "round", "draws"]].isna().all()


def test_row_is_on_disk_before_the_next(tmp_path):
    """A row can be read while the writer is still open, so a killed run keeps what it measured."""
    writer = ResultsWriter(tmp_path / "r.csv", MACHINE)
    for count in (1, 2, 3):
        writer.write(**{**MEASURED, "value": 0.5})
        assert len(results.read(writer.path)) == count
    writer.close()


def test_writer_does_not_continue_a_file(tmp_path):
    """A run never mixes with another: a file that exists is refused and stays as it is."""
    path = tmp_path / "r.csv"
    path.write_bytes(VALID)
    with pytest.raises(FileExistsError):
        ResultsWriter(path, MACHINE)
    assert path.read_bytes() == VALID


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": "red"}, "unknown results columns ['colour'], expected some of ["),
        ({"status": "fine"}, "status is 'fine', expected one of ('ok', 'skipped', 'error', 'timeout')"),
        ({"status": "error"}, "status is 'error' with value 0.25; only ok has one"),
        ({"value": None}, "status is 'ok' with value None; only ok has one"),
        ({"value": -1.0}, "value is -1.0, expected a finite number of at least 0"),
        ({"value": float("nan")}, "value is nan, expected a finite number of at least 0"),
        ({"value": float("inf")}, "value is inf, expected a finite number of at least 0"),
    ],
)
def test_writer_refuses_what_cannot_be(tmp_path, values, message):
    """A row that the reader would refuse is not written."""
    writer = ResultsWriter(tmp_path / "r.csv", MACHINE)
    with pytest.raises(ValueError, match=re.escape(message)):
        writer.write(**{**MEASURED, "value": 0.25, **values})
    writer.close()
    assert writer.path.read_bytes() == content()


def test_environment_fills_its_columns():
    """A run says where it comes from in every environment column but the time, which each row has."""
    environment = results.environment(results.new_run_id())
    assert set(environment) == set(ENVIRONMENT) - {"time_utc"}
    assert all(isinstance(value, str) for value in environment.values())
    assert int(environment["cores"]) >= 1
    assert environment["dirty"] in ("true", "false", "")


def test_run_identifiers_sort_by_time_and_differ():
    """Two runs of the same second have different identifiers with the same time in front."""
    identifiers = {results.new_run_id() for _ in range(5)}
    assert len(identifiers) == 5
    assert all(re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{4}", name) for name in identifiers)


@pytest.mark.parametrize(
    "data",
    [
        content(MEASURED, SKIPPED, end="\n"),
        b"\xef\xbb\xbf" + content(MEASURED, SKIPPED),
        content(MEASURED, SKIPPED, names=sorted(NAMES)),
    ],
    ids=["unix newlines", "byte order mark", "other order"],
)
def test_harmless_changes_do_not_matter(read_bytes, data):
    """A results CSV that went through an editor or a spreadsheet reads the same."""
    pd.testing.assert_frame_equal(read_bytes(data), read_bytes(content(MEASURED, SKIPPED)))


AGAIN = "measure again with `nox -s bench`"
MISSING = tuple(name for name in NAMES if name != "sampler")
BAD_FILES = {
    "empty": (b"", f"r.csv: is empty, expected a results CSV; {AGAIN}"),
    "header only": (
        content(),
        (
            "r.csv: has a header and no rows, expected at least one measurement; "
            f"its run ended before the first one, so {AGAIN}"
        ),
    ),
    "other text": (
        b"Dear reader,\n",
        (
            "r.csv, line 1: is 'Dear reader,', expected the header of a results CSV "
            "(benchmark,workload,sampler,...); check the path"
        ),
    ),
    "only a byte order mark": (
        b"\xef\xbb\xbf",
        (
            "r.csv, line 1: is '', expected the header of a results CSV (benchmark,workload,sampler,...); "
            "check the path"
        ),
    ),
    "binary": (
        b"benchmark\n\x89PNG\r\n",
        (
            "r.csv, line 2: byte 0x89 is no UTF-8 text, expected a results CSV; "
            "check the path, or save the file as UTF-8"
        ),
    ),
    "other encoding": (
        content({**MEASURED, "note": "größer"}).decode().encode("utf-16"),
        (
            "r.csv, line 1: byte 0xff is no UTF-8 text, expected a results CSV; "
            "check the path, or save the file as UTF-8"
        ),
    ),
    "missing column": (
        content(MEASURED, names=MISSING),
        (
            "r.csv, line 1: has other columns (missing: 'sampler'), expected the 32 of a results CSV; "
            f"{AGAIN} of this version"
        ),
    ),
    "unknown and repeated column": (
        content(MEASURED, names=(*NAMES, "colour", "value")),
        (
            "r.csv, line 1: has other columns (unknown: 'colour'; repeated: 'value'), expected the 32 of a "
            f"results CSV; {AGAIN} of this version"
        ),
    ),
    "cut in a row": (
        VALID[:-20],
        (
            "r.csv, line 4: does not end with a newline, expected one after every row; "
            f"the file was cut off there, so delete that line or {AGAIN}"
        ),
    ),
    "fewer fields": (
        content(MEASURED) + b"index_generation,indices\r\n",
        f"r.csv, line 3: has 2 fields, expected 32 as in the header; delete that line or {AGAIN}",
    ),
    "blank line": (
        content(MEASURED) + b"\r\n",
        f"r.csv, line 3: has 0 fields, expected 32 as in the header; delete that line or {AGAIN}",
    ),
    "open quote": (
        content(MEASURED) + b'index_generation,"indices\r\n',
        (
            "r.csv, line 3: is no valid CSV (unexpected end of data), expected rows as the benchmark "
            f"writes them; correct that line or {AGAIN}"
        ),
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file_is_refused_in_one_sentence(tmp_path, name):
    """A file that is no results CSV gets a sentence with the place, what is there and what to do."""
    data, message = BAD_FILES[name]
    assert refusal(tmp_path / "r.csv", data) == message


def test_unreadable_paths_are_refused_in_one_sentence(tmp_path):
    """A missing file and a directory are named."""
    for path, reason in ((tmp_path / "no.csv", "No such file or directory"), (tmp_path, "Is a directory")):
        message = f"{path}: cannot be read ({reason}), expected a results CSV; check the path"
        with pytest.raises(ResultsError, match=re.escape(message)):
            results.read(path)


WHOLE = "a whole number of at most 18 digits, or nothing"
NUMBER = "a finite number of at least 0, because status is ok"
BAD_VALUES = [
    ("value", "nan", NUMBER),
    ("value", "inf", NUMBER),
    ("value", "1e999", NUMBER),
    ("value", "-0.25", NUMBER),
    ("value", "-0.0", NUMBER),
    ("value", "0,25", NUMBER),
    ("value", "fast", NUMBER),
    ("value", "", NUMBER),
    ("round", "1.0", WHOLE),
    ("draws", "-1", WHOLE),
    ("dataset_length", "1e3", WHOLE),
    ("num_replicas", "9" * 19, WHOLE),
    ("batch_size", "³", WHOLE),
    ("status", "fine", "one of ok, skipped, error, timeout"),
    ("status", "error", "nothing, because status is error"),
    ("metric", "speed", f"one of {', '.join(METRICS)}"),
    ("unit", "ms", "'s', the unit of epoch"),
]


@pytest.mark.parametrize(("name", "text", "expected"), BAD_VALUES)
def test_impossible_value_is_refused_with_its_line(tmp_path, name, text, expected):
    """An impossible value is named with its line, also after a row that spans several lines."""
    data = content({**SKIPPED, "error": "one\r\ntwo\r\nthree"}, {**MEASURED, name: text}, MEASURED)
    # A status without a value is fine, so the fault is the value that it leaves behind.
    blamed = ("value", "0.25") if (name, text) == ("status", "error") else (name, text)
    assert refusal(tmp_path / "r.csv", data) == (
        f"r.csv, line 5: {blamed[0]} is {blamed[1]!r}, expected {expected}; correct that line or {AGAIN}"
    )


def test_long_values_are_shortened_in_messages(tmp_path):
    """A megabyte of junk in a field does not become a megabyte of message."""
    message = refusal(tmp_path / "r.csv", content({**MEASURED, "status": "x" * 100_000}))
    assert len(message) < 300
    assert "'xxxx" in message


def test_file_cut_anywhere_but_between_rows_is_refused(read_bytes):
    """Of all prefixes of a results CSV only those that end with a whole row are read, with their rows."""
    ends = {match.end(): rows for rows, match in enumerate(re.finditer(b"\r\n", VALID)) if rows}
    for length in range(len(VALID) + 1):
        if length in ends:
            assert len(read_bytes(VALID[:length])) == ends[length]
        else:
            with pytest.raises(ResultsError):
                read_bytes(VALID[:length])


@EXPLORE
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, len(VALID)),
            st.integers(0, 3),
            st.binary(max_size=3) | st.sampled_from([b'"', b","]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_damaged_file_is_read_or_refused(read_bytes, edits):
    """Whatever bytes change, the answer is a frame of possible values or a sentence of one line."""
    data = VALID
    for start, length, replacement in edits:
        data = data[:start] + replacement + data[start + length :]
    answer = frame_or_message(read_bytes, data)
    if isinstance(answer, str):
        assert "\n" not in answer
    else:
        assert (answer["value"].isna() == (answer["status"] != "ok")).all()
        assert (answer["value"].dropna() >= 0).all()


def frame_or_message(read, data):
    """Return what reading these bytes gives: a frame, or the message of the refusal."""
    try:
        return read(data)
    except ResultsError as error:
        return str(error)
