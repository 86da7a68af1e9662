"""Generated tables: what they tell of a results CSV, and that a Markdown file has the current ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distsampler.commands import docs
from distsampler.documents.generated import MarkerError, fill
from distsampler.results import COLUMNS, ENVIRONMENT, METRICS, ResultsError, ResultsWriter, read, report
from distsampler.results.quantities import quantity

PARTS = {"one": lambda: "new one\n", "two": lambda: "new two\n"}
DOCUMENT = "text\n\n<!-- generated: {} -->\n{}<!-- end: {} -->\n\nmore text"
SCALES = {
    "ns": 1e-9,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "/s": 1.0,
    "k/s": 1e3,
    "M/s": 1e6,
}


@pytest.fixture
def frame(tmp_path):
    """Return a function that writes rows as a run would and reads them back."""

    def frame(*rows, path=tmp_path / "r.csv"):
        writer = ResultsWriter(path, dict.fromkeys(ENVIRONMENT, "x"))
        for row in rows:
            writer.write(**row, unit=METRICS[row["metric"]][0])
        writer.close()
        return read(path)

    return frame


def index_row(metric, value, sampler="torch", dataset_length=1000, num_replicas=8, **columns):
    """Return a row of index generation; without a value it timed out."""
    measured = {"value": value} if value is not None else {"status": "timeout", "error": "took too long"}
    place = {"sampler": sampler, "dataset_length": dataset_length, "num_replicas": num_replicas}
    return {"benchmark": "index_generation", "metric": metric, **place, **measured, **columns}


def training_row(metric, value, epoch=0, strategy="single", **columns):
    """Return a row of training."""
    place = {"workload": "bytes", "strategy": strategy, "sampler": "torch", "device": "cpu"}
    place |= {"processes": 1, "workers": 0}
    return {"benchmark": "training", "metric": metric, "value": value, "round": epoch, **place, **columns}


def cells_of(table):
    """Return the fields of each row of a Markdown table, without its header."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[field.strip() for field in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0123456, "s", "12.3 ms"),
        (0.9996, "s", "1.00 s"),
        (0.0009994, "s", "999 µs"),
        (1.5e-9, "s", "1.50 ns"),
        (1234.5, "s", "1230 s"),
        (0.0, "s", "0 ns"),
        (999.4, "B", "999 B"),
        (999.6, "B", "1.00 kB"),
        (123456789, "B", "123 MB"),
        (0.0, "B", "0 B"),
        (12345.0, "1/s", "12.3 k/s"),
        (0.5, "1/s", "0.500 /s"),
        (2.302585, "1", "2.30"),
        (0.0, "1", "0"),
    ],
)
def test_quantity_reads_well(value, unit, text):
    """A value has three significant digits and the prefix that keeps it below a thousand."""
    assert quantity(value, unit) == text


@settings(derandomize=True, deadline=None)
@given(value=st.floats(1e-9, 1e9), unit=st.sampled_from(["s", "B", "1/s"]))
def test_quantity_is_the_value(value, unit):
    """Reading the text back gives the value within half a unit of the third digit."""
    number, suffix = quantity(value, unit).split(" ")
    assert float(number) * SCALES[suffix] == pytest.approx(value, rel=0.00501)


def test_columns_and_metrics_are_complete():
    """Every column and every metric has a row with its meaning."""
    assert [row[0] for row in cells_of(report.columns_table())] == [f"`{column.name}`" for column in COLUMNS]
    rows = {row[0]: row[1:] for row in cells_of(report.metrics_table())}
    assert rows == {f"`{name}`": [f"`{unit}`", meaning] for name, (unit, meaning) in METRICS.items()}


def test_index_generation_shows_medians_by_length(frame):
    """Each sampler has its medians at 8 replicas, or at one if it knows no replicas, by rising length."""
    rows = [index_row("first_index", value, round=number) for number, value in enumerate([1e-3, 3e-3, 2e-3])]
    rows += [index_row("per_index", 4e-8), index_row("peak_memory", 0)]
    rows += [index_row("first_index", 9.0, num_replicas=64), index_row("first_index", 9.0, num_replicas=1)]
    rows += [index_row("first_index", None, dataset_length=20_000)]
    rows += [index_row("per_index", 5e-8, sampler="RandomSampler", dataset_length=9000, num_replicas=1)]
    assert cells_of(report.index_generation_table(frame(*rows))) == [
        ["10^3", "torch", "8", "2.00 ms", "40.0 ns", "0 B"],
        ["9,000", "RandomSampler", "1", "", "50.0 ns", ""],
        ["20,000", "torch", "8", "timeout", "", ""],
    ]


def test_index_generation_never_merges_cells(frame):
    """Two cells that differ in a parameter that the table does not show are two rows."""
    rows = [index_row("per_index", value, batch_size=size) for size, value in ((2, 1.0), (4, 2.0))]
    assert [row[4] for row in cells_of(report.index_generation_table(frame(*rows)))] == ["1.00 s", "2.00 s"]


def test_datasets_below_the_shortest_are_left_out(frame):
    """The README shows long datasets only, and the terminal all."""
    rows = [index_row("per_index", 1.0, dataset_length=length) for length in (10**6, 10**7)]
    assert [row[0] for row in cells_of(report.index_generation_table(frame(*rows), 10**7))] == ["10^7"]


def test_costs_are_medians_beside_each_other(frame):
    """Each comparison shows both medians and how often ours goes into theirs."""
    theirs = {(metric, *other): [10.0] for _, metric, _, other in report.COSTS}
    ours = {(metric, *mine): [2.0, 3.0] for _, metric, mine, _ in report.COSTS}
    rows = [
        index_row(metric, value, sampler, length, round=number)
        for (metric, sampler, length), values in (theirs | ours).items()
        for number, value in enumerate(values)
    ]
    table = cells_of(report.cost_table(frame(*rows)))
    assert [row[0] for row in table] == [label for label, *_ in report.COSTS]
    assert table[0] == ["all indices of 10^7 samples", "2.50 s", "torch.DistributedSampler", "10.0 s", "4.00"]


def test_cost_that_was_not_measured_is_refused(frame):
    """A comparison without one of its sides is an error, not a shorter table."""
    with pytest.raises(ResultsError, match=r"the results have no .* for 'all indices of 10\^7 samples'"):
        report.cost_table(frame(index_row("epoch", 1.0)))


def test_training_shows_medians_and_the_last_epoch(frame):
    """Rates and times are medians over the epochs, loss and accuracy those of the last one."""
    rows = [
        *(training_row("throughput", value, epoch) for epoch, value in enumerate([100.0, 3000.0, 2000.0])),
        *(training_row("first_batch", value, epoch) for epoch, value in enumerate([0.5, 0.3, 0.1])),
        *(training_row("train_loss", value, epoch) for epoch, value in ((2, 1.25), (0, 3.0), (1, 2.0))),
        *(training_row("validation_accuracy", value, epoch) for epoch, value in ((1, 0.5), (0, 0.25))),
    ]
    assert cells_of(report.training_table(frame(*rows))) == [
        ["bytes, single, cpu", "torch", "2.00 k/s", "300 ms", "1.25", "0.500", ""]
    ]


def test_training_says_how_many_processes_and_workers(frame):
    """Processes and DataLoader workers are told where there are several."""
    rows = [training_row("throughput", 1.0, strategy="ddp", processes=2, workers=2)]
    assert cells_of(report.training_table(frame(*rows)))[0][0] == "bytes, ddp x 2, cpu, 2 workers"


def test_training_gives_reasons_once(frame):
    """What was skipped says so and refers to its reason, which many rows share; notes are listed, too."""
    skipped = {"value": None, "status": "skipped", "error": "no GPU", "device": "cuda"}
    rows = [
        training_row("throughput", 1.0, note="runs in place"),
        *(training_row("throughput", strategy=name, **skipped) for name in ("single", "ddp")),
    ]
    table = report.training_table(frame(*rows))
    assert [row[2:] for row in cells_of(table)] == [
        ["1.00 /s", "", "", "", "1"],
        ["skipped", "", "", "", "2"],
        ["skipped", "", "", "", "2"],
    ]
    assert table.endswith("|\n\n1. runs in place\n2. no GPU\n")


@pytest.mark.parametrize(
    ("table", "name"),
    [(report.index_generation_table, "index_generation"), (report.training_table, "training")],
)
def test_table_of_nothing_is_refused(frame, table, name):
    """Results without the benchmark are an error, not an empty table in the README."""
    rows = [index_row("epoch", 1.0)] if name == "training" else [training_row("throughput", 1.0)]
    with pytest.raises(ResultsError) as caught:
        table(frame(*rows))
    assert str(caught.value) == (
        f"the results have no row of benchmark '{name}', expected some; measure again with `nox -s bench`"
    )


def test_generated_parts_are_replaced_and_the_rest_kept():
    """Only what stands between markers changes, and a second time changes nothing."""
    text = DOCUMENT.format("one", "old\n\nold\n", "one") + "\n" + DOCUMENT.format("two", "", "two")
    once = fill(text, PARTS)
    expected = (
        DOCUMENT.format("one", "\nnew one\n\n", "one") + "\n" + DOCUMENT.format("two", "\nnew two\n\n", "two")
    )
    assert once == expected
    assert fill(once, PARTS) == once


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "no markers",
            "the text ends without <!-- generated: NAME -->, expected it on a line of its own; add that line",
        ),
        (
            DOCUMENT.format("three", "", "three"),
            "line 3 asks for 'three', expected one of one, two; correct it",
        ),
        (
            DOCUMENT.format("one", "", "two"),
            "line 4 is <!-- end: two -->, expected <!-- end: one --> before it; add that line",
        ),
        (
            DOCUMENT.format("one", "<!-- generated: two -->\n", "one"),
            "line 4 is <!-- generated: two -->, expected <!-- end: one --> before it; add that line",
        ),
        (
            "<!-- end: one -->\n",
            "line 1 is <!-- end: one -->, expected <!-- generated: NAME --> before it; add that line",
        ),
        (
            "<!-- generated: one -->\n",
            "the text ends without <!-- end: one -->, expected it on a line of its own; add that line",
        ),
    ],
)
def test_markers_that_do_not_fit_are_refused(text, message):
    """A marker that is unknown, alone or crossed is an error with its line, and so is a text without any."""
    with pytest.raises(MarkerError) as caught:
        fill(text, PARTS)
    assert str(caught.value) == message


@pytest.fixture
def run(capsys):
    """Return a function that runs `python -m distsampler.results.report` here: exit code, output, errors."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            docs.command([str(argument) for argument in arguments])
        return ended.value.code, *capsys.readouterr()

    return run


def test_check_tells_stale_files_and_writes_nothing(run, frame, tmp_path):
    """`--check` has exit code 1 until the file was written, and leaves it alone."""
    results, path = tmp_path / "all.csv", tmp_path / "README.md"
    frame(index_row("epoch", 1.0), training_row("throughput", 1.0), path=results)
    names = [name for name in report.parts(results) if not name.startswith(("cost", "matrix"))]
    stale = "".join(DOCUMENT.format(name, "", name) + "\n" for name in names)
    path.write_text(stale, encoding="utf-8")
    assert run(path, "--results", results, "--check") == (1, f"{path}: stale\n", "")
    assert path.read_text(encoding="utf-8") == stale
    assert run(path, "--results", results) == (0, f"{path}: updated\n", "")
    assert run(path, "--results", results, "--check") == (0, f"{path}: up to date\n", "")
    assert report.metrics_table() in path.read_text(encoding="utf-8")


def test_file_that_cannot_be_read_is_one_sentence(run, tmp_path):
    """A document or results that are missing are exit code 2 with a sentence."""
    path, missing = tmp_path / "README.md", tmp_path / "no"
    path.write_text(DOCUMENT.format("training", "", "training"), encoding="utf-8")
    reason = "cannot be read (No such file or directory)"
    message = f"Error: {missing}: {reason}, expected a text file; check the path\n"
    assert run(missing) == (2, "", message)
    message = f"Error: {path}: {missing}: {reason}, expected a results CSV; check the path\n"
    assert run(path, "--results", missing) == (2, "", message)
