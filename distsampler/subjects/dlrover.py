"""DLRover's elastic sampler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import LengthOnly


class _Counted:
    """The sampler, with the count of steps that its `state_dict` asks its user for."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        from dlrover.trainer.torch.elastic.sampler import ElasticDistributedSampler

        self.sampler = ElasticDistributedSampler(
            dataset, case.num_replicas, rank, case.shuffle, case.seed, case.remainder == "drop"
        )
        self.completed = self.steps = 0

    def __iter__(self) -> Iterator[int]:
        self.steps = 0
        for index in self.sampler:
            self.steps += 1
            yield index

    def __len__(self) -> int:
        return len(self.sampler)

    def set_epoch(self, epoch: int) -> None:
        if epoch != self.sampler.epoch:
            self.completed = self.steps = 0
        self.sampler.set_epoch(epoch)

    def state_dict(self) -> dict[str, int]:
        state: dict[str, int] = self.sampler.state_dict(self.steps, 1)
        return {**state, "completed_num": self.completed + state["completed_num"]}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.completed, self.steps = state["completed_num"], 0
        self.sampler.load_state_dict(state)


_WRAPS = (
    "at the end of a padded epoch more samples are counted than there are; what is too many is taken for the "
    "beginning of the epoch"
)

_CONTRACT = Contract(resume=True)

ELASTIC_DISTRIBUTED_SAMPLER = Subject(
    "dlrover.ElasticDistributedSampler",
    _Counted,
    _CONTRACT,
    known=(
        # Unlike torch's it refuses a dataset that has shrunk.
        *(pin for pin in pins.of_torchs(_CONTRACT) if pin.property != "dataset_growth"),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False),
            when.always,
            "None and 0 are taken for a single process if there is no process group",
        ),
        *(
            Known(name, Case(5, 2, shuffle=False, epochs=(0,)), when.padded, _WRAPS)
            for name in (
                "resume",
                "resume_epoch",
                "resume_round_trip",
                "resume_serialization",
                "elastic_resume",
            )
        ),
        Known(
            "resume_length",
            Case(1, 1, shuffle=False, epochs=(0,)),
            when.always,
            "len() is that of the resumed pass until the next one has begun",
        ),
        Known(
            "resume_iterators",
            Case(3, 1, shuffle=False, epochs=(0,)),
            when.always,
            "the training loop counts the steps, whichever iterator they are from",
        ),
        Known(
            "resume_mismatch",
            Case(13, 2),
            when.always,
            "so many samples are skipped as the state has counted, of whatever data they are now",
        ),
    ),
    package="dlrover",
    url="https://github.com/intelligent-machine-learning/dlrover/blob/v0.6.1/dlrover/trainer/torch/elastic/sampler.py",
)
