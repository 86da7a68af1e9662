"""Comparing results: cells are paired by their parameters, and noise or the order of rows decide nothing."""

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distsampler.results import METRICS, NAMES
from distsampler.results.cell import cells, named
from distsampler.results.compare import CHANGES, CompareError, Pair, compare, tidy

EXPLORE = settings(derandomize=True, deadline=None, max_examples=50)
SWAPPED = {"worse": "better", "better": "worse", "broken": "fixed", "fixed": "broken"}
MIB = 2.0**20


def frame(*rows):
    """Return a frame as `results.read` makes it; what a row leaves out is a value that does not matter."""
    usual = {**dict.fromkeys(NAMES, ""), "metric": "epoch", "unit": "s", "status": "ok", "dirty": "false"}
    made = pd.DataFrame([{**usual, "value": math.nan, "draws": 1, "round": 0, **row} for row in rows])
    return made.astype({"value": "float64", "draws": "Int64", "round": "Int64"})


def measured(values, metric="epoch", **columns):
    """Return the rows of one cell with these values."""
    return [{"metric": metric, "unit": METRICS[metric][0], "value": value, **columns} for value in values]


def pair_of(old, new, threshold=0.1):
    """Return the pair of two lists of rows that are one cell each."""
    ((key, before),) = cells(frame(*old)).items()
    ((_, after),) = cells(frame(*new)).items()
    return Pair(named(key), before, after, threshold)


@st.composite
def results(draw):
    """Return a frame of a few cells out of a small space, at least one of them with a measured time.

    Times stay far from the ends of what a float can hold: they are times.
    """
    values = st.lists(st.just(0.0) | st.floats(1e-9, 1e9), min_size=1, max_size=7)
    failure = st.sampled_from(
        [{"status": status, "error": "why"} for status in ("skipped", "error", "timeout")]
    )
    place = st.tuples(
        st.sampled_from(list(METRICS)), st.sampled_from("ab"), st.sampled_from(["1000", "20000"])
    )
    rows = []
    found = draw(st.dictionaries(place, st.tuples(values, st.lists(failure, max_size=1)), max_size=6))
    for (metric, sampler, length), (numbers, failures) in found.items():
        cell = {"sampler": sampler, "dataset_length": length}
        rows += measured(numbers, metric, **cell)
        rows += [{"metric": metric, "unit": METRICS[metric][0], **cell, **failed} for failed in failures]
    rows += measured(draw(values), "epoch", sampler="always there")
    return frame(*rows)


def changes(comparison):
    """Return the change of each cell by its parameters."""
    return {tuple(pair.parameters.values()): pair.change for pair in comparison.pairs}


@EXPLORE
@given(file=results(), threshold=st.sampled_from([0.0, 0.1, 2.0]))
def test_file_compared_with_itself_is_the_same(file, threshold):
    """No cell of a file is worse than itself: all that was measured is the same, at any threshold."""
    comparison = compare(file, file, threshold)
    assert comparison.exit_code == 0
    for pair in comparison.pairs:
        assert pair.change == ("same" if pair.old.status == "ok" else "unmeasured")
        assert pair.ratio == 1 or pair.old.status != "ok"
    assert (comparison.only_old, comparison.only_new, comparison.environment) == ((), (), {})


@EXPLORE
@given(old=results(), new=results())
def test_swapped_files_invert_the_comparison(old, new):
    """New against old has the inverse ratios, and what was worse is better."""
    forth, back = compare(old, new, 0.1), compare(new, old, 0.1)
    assert changes(back) == {key: SWAPPED.get(change, change) for key, change in changes(forth).items()}
    assert (forth.only_old, forth.only_new) == (back.only_new, back.only_old)
    ratios = {tuple(pair.parameters.values()): pair.ratio for pair in back.pairs}
    for pair in forth.pairs:
        inverse = ratios[tuple(pair.parameters.values())]
        assert math.isnan(pair.ratio) == math.isnan(inverse)
        if not math.isnan(inverse):
            assert {pair.ratio, inverse} == {0, math.inf} or pair.ratio * inverse == pytest.approx(1)


@EXPLORE
@given(file=results(), factor=st.floats(0.01, 100))
def test_scaled_values_have_the_factor_as_ratio(file, factor):
    """Multiplying every value by a factor gives every cell this ratio, and this cost or its inverse."""
    comparison = compare(file, file.assign(value=file["value"] * factor), 0.1)
    for pair in comparison.pairs:
        if pair.old.status == "ok" and pair.old.median:
            assert pair.ratio == pytest.approx(factor)
            unit = pair.parameters["unit"]
            assert pair.cost == pytest.approx(
                {"1/s": 1 / factor, "1": math.nan}.get(unit, factor), nan_ok=True
            )


@EXPLORE
@given(old=results(), new=results(), random=st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(old, new, random):
    """Rows in another order give the same comparison in the same order."""
    order = random.sample(range(len(old)), len(old))
    expected = tidy(compare(old, new, 0.1))
    pd.testing.assert_frame_equal(tidy(compare(old.iloc[order], new.iloc[::-1], 0.1)), expected)


@EXPLORE
@given(old=results(), new=results())
def test_every_cell_has_one_place(old, new):
    """Each cell of either file is in one row of the tidy frame: paired, or only in one of them."""
    comparison = compare(old, new, 0.1)
    table = tidy(comparison)
    expected = set(cells(old)) | set(cells(new))
    assert {
        tuple(row) for row in table[list(comparison.pairs[0].parameters)].itertuples(index=False)
    } == expected
    assert len(table) == len(expected)
    assert set(table["change"]) <= {*CHANGES, "only in OLD", "only in NEW"}


@EXPLORE
@given(old=results(), new=results())
def test_costs_are_sorted(old, new):
    """The pairs come with the worst first: what broke, then by falling cost, then what has none."""
    costs = [math.inf if pair.change == "broken" else pair.cost for pair in compare(old, new, 0.1).pairs]
    numbers = [cost for cost in costs if not math.isnan(cost)]
    assert numbers == sorted(numbers, reverse=True)
    assert all(math.isnan(cost) for cost in costs[len(numbers) :])


@EXPLORE
@given(old=results(), new=results())
def test_unpaired_cells_change_no_other(old, new):
    """A cell that only one file has leaves the judgement of all pairs alone."""
    more = pd.concat([new, frame(*measured([7.0], "epoch", sampler="newcomer"))], ignore_index=True)
    before, after = compare(old, new, 0.1), compare(old, more, 0.1)
    assert (after.pairs, after.exit_code) == (before.pairs, before.exit_code)
    assert len(after.only_new) == len(before.only_new) + 1


JUDGEMENTS = [
    ("epoch", [1.0], [1.1], "same"),
    ("epoch", [1.0], [1.11], "worse"),
    ("epoch", [1.1], [1.0], "same"),
    ("epoch", [1.11], [1.0], "better"),
    ("throughput", [1.0], [0.9], "worse"),
    ("throughput", [1.0], [1.2], "better"),
    ("peak_memory", [10 * MIB], [12 * MIB], "worse"),
    ("peak_memory", [1.0], [MIB], "same"),
    ("peak_memory", [1.0], [MIB + 1], "worse"),
    ("peak_memory", [0.0], [MIB], "worse"),
    ("peak_memory", [MIB], [0.0], "better"),
    ("train_loss", [1.0], [2.0], "differs"),
    ("train_loss", [1.0], [1.05], "same"),
    ("validation_accuracy", [0.9], [0.1], "differs"),
    ("epoch", [0.0], [0.0], "same"),
    ("epoch", [0.0], [1e-9], "worse"),
    ("epoch", [1e-9], [0.0], "better"),
    ("throughput", [1.0], [0.0], "worse"),
    ("throughput", [0.0], [0.0], "same"),
    ("epoch", [1.0, 2.0, 3.0], [3.0, 4.0, 5.0], "noisy"),
    ("epoch", [1.0, 2.0, 3.0], [3.1, 4.0, 5.0], "worse"),
    ("epoch", [3.0, 4.0, 5.0], [1.0, 2.0, 3.0], "noisy"),
    ("epoch", [3.1, 4.0, 5.0], [1.0, 2.0, 3.0], "better"),
    # One outlier in five rounds may be noise, one in six is left out.
    ("epoch", [1.0, 1.0, 1.0, 1.0, 9.0], [2.0] * 5, "noisy"),
    ("epoch", [1.0, 1.0, 1.0, 1.0, 1.0, 9.0], [2.0] * 5, "worse"),
]


@pytest.mark.parametrize(("metric", "old", "new", "change"), JUDGEMENTS)
def test_values_are_judged(metric, old, new, change):
    """At a threshold of 10 % each pair of values has this change; beyond it means strictly more."""
    assert pair_of(measured(old, metric), measured(new, metric)).change == change


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("ok", "error", "broken"),
        ("ok", "timeout", "broken"),
        ("ok", "skipped", "unmeasured"),
        ("error", "ok", "fixed"),
        ("timeout", "ok", "fixed"),
        ("skipped", "ok", "unmeasured"),
        ("error", "timeout", "unmeasured"),
        ("skipped", "error", "unmeasured"),
    ],
)
def test_statuses_are_judged(old, new, change):
    """A cell that worked and fails is broken, and its reverse is fixed; being skipped is neither."""
    pair = pair_of(*([*measured([1.0]), {"status": status, "error": "why"}] for status in (old, new)))
    assert pair.change == change
    assert math.isnan(pair.ratio)
    assert math.isnan(pair.cost)


@pytest.mark.parametrize(
    ("old", "new", "exit_code"),
    [("ok", "ok", 0), ("ok", "error", 1), ("ok", "timeout", 1), ("ok", "skipped", 0), ("error", "ok", 0)],
)
def test_broken_cell_fails_the_comparison(old, new, exit_code):
    """A cell that no longer works counts as worse, though it has no ratio."""
    files = [
        frame(*measured([1.0], sampler="same"), *measured([1.0], status=status, sampler="changed"))
        for status in (old, new)
    ]
    assert compare(*files, 0.1).exit_code == exit_code


def test_all_cells_broken_is_a_verdict():
    """Files of which nothing works any more are worse, not impossible to compare."""
    old, new = frame(*measured([1.0])), frame(*measured([1.0], status="error"))
    assert compare(old, new, 0.1).exit_code == 1


def test_cell_is_summarized_without_what_failed():
    """Median, range and draws are those of the `ok` rounds; the status is the worst of the rows."""
    (cell,) = cells(
        frame(
            *measured([3.0, 1.0, 2.0, 10.0], draws=8),
            *[{"status": "error", "error": "out of memory", "draws": 1}] * 5,
            {"status": "skipped", "error": "no GPU"},
        )
    ).values()
    assert (cell.rounds, cell.median, cell.low, cell.high, cell.draws) == (4, 2.5, 1, 10, 8)
    assert cell.status == "error"
    assert cell.spread == 9 / 2.5


@pytest.mark.parametrize(
    ("values", "spread"),
    [([2.0], math.nan), ([2.0, 2.0], 0), ([0.0, 0.0], 0), ([0.0, 0.0, 1.0], math.inf), ([1.0, 3.0], 1)],
)
def test_spread_is_the_range_as_a_share(values, spread):
    """One round has no spread, equal ones have none to speak of, and a share of 0 is infinite."""
    (cell,) = cells(frame(*measured(values))).values()
    assert cell.spread == pytest.approx(spread, nan_ok=True)


def test_cells_come_in_natural_order():
    """A dataset length of 9000 comes before one of 20000."""
    lengths = ("20000", "1000", "9000")
    rows = [row for length in lengths for row in measured([1.0], dataset_length=length)]
    assert [named(key)["dataset_length"] for key in cells(frame(*rows))] == ["1000", "9000", "20000"]


def test_environment_changes_are_told():
    """Columns with other values are told with old and new; the run and the time differ anyway."""
    old = frame(*measured([1.0, 1.0], torch="2.12", run="a", time_utc="1", cpu="x"))
    new = frame(
        *measured([1.0], torch="2.13", run="b", time_utc="2", cpu="x", dirty="true"),
        *measured([1.0], torch="2.12", run="b", time_utc="2", cpu="x"),
    )
    comparison = compare(old, new, 0.1)
    assert comparison.environment == {"dirty": ("false", "false, true"), "torch": ("2.12", "2.12, 2.13")}
    assert comparison.dirty == ("NEW",)


@pytest.mark.parametrize(
    ("old", "new", "same"), [(8, 8, True), (8, 9, False), (None, 9, True), (None, None, True)]
)
def test_other_amount_of_work_is_noticed(old, new, same):
    """Values that stand for another number of draws are told from those that stand for the same."""
    assert pair_of(measured([1.0], draws=old), measured([1.0], draws=new)).same_work == same


def test_files_without_a_common_cell_are_refused():
    """Two files that share no cell are not the same, they cannot be compared."""
    old, new = (frame(*measured([1.0], sampler=name)) for name in ("one", "two"))
    with pytest.raises(CompareError) as caught:
        compare(old, new, 0.1)
    assert str(caught.value) == (
        "the two have no cell in common (1 in OLD, 1 in NEW), expected the same parameters in both; "
        "compare runs of the same benchmark with the same options"
    )


@pytest.mark.parametrize(
    "rows", [measured([1.0], "train_loss"), [{"status": "skipped"}], [{"status": "error"}]]
)
def test_files_without_anything_to_judge_are_refused(rows):
    """A comparison that would judge nothing is refused, so that it cannot pass by doing nothing."""
    with pytest.raises(CompareError) as caught:
        compare(frame(*rows), frame(*rows), 0.1)
    assert str(caught.value) == (
        "none of the cells in common (1) has a time, memory or rate that is ok in both, expected at least "
        "one to judge; look at the columns status and error"
    )
