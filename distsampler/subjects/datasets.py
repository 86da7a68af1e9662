"""How Hugging Face's datasets splits a dataset over nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _make(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from datasets import Dataset
    from datasets.distributed import split_dataset_by_node

    indices = Dataset.from_dict({"index": range(len(dataset))})
    return split_dataset_by_node(indices, rank, case.num_replicas)["index"]


_CONTRACT = Contract(remainders=("uneven",), shuffles=(False,), epochs=False, seed=False, process_group=False)

SPLIT_DATASET_BY_NODE = Subject(
    "datasets.split_dataset_by_node",
    _make,
    _CONTRACT,
    known=(
        *pins.everywhere(
            _CONTRACT,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
            replica_invariance=pins.SPLIT_FIRST,
        ),
        Known(
            "no_crash",
            Case(3, 5, shuffle=False, remainder="uneven"),
            when.fewer_samples_than_ranks,
            "with more nodes than rows, the nodes without a row fail and the others do not",
            "https://github.com/huggingface/datasets/issues/7443",
        ),
    ),
    package="datasets",
    url="https://huggingface.co/docs/datasets/v5.2.0/en/package_reference/main_classes#datasets.distributed.split_dataset_by_node",
    slow=8,
)
