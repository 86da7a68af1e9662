"""The training program of one cell, started once per rank: `program.py CELL_AS_JSON CORPUS_FILE`.

Rank 0 prints one JSON object per measurement: its metric, round, value and draws.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, Sampler, SubsetRandomSampler
from torch.utils.data import DistributedSampler as TorchDistributedSampler

from bench.training.cells import OURS, RANDOM, SUBSET, TORCHS, Cell
from bench.training.workloads import SEED, WORKLOADS
from distsampler import DistributedSampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.training.workloads import Samples


@dataclass(frozen=True, slots=True)
class Place:
    """Which rank this process is, of how many, and where its model lives."""

    rank: int
    num_replicas: int
    device: torch.device

    def meet(self) -> None:
        """Wait until this device is idle and all ranks are here."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        if dist.is_initialized():
            dist.barrier(device_ids=[self.device.index] if self.device.type == "cuda" else None)

    def over_ranks(self, values: list[float], operation: Any = dist.ReduceOp.SUM) -> list[float]:
        """Return each value summed, or reduced by another operation, over all ranks."""
        reduced = torch.tensor(values, dtype=torch.float64, device=self.device)
        if dist.is_initialized():
            dist.all_reduce(reduced, operation)
        return reduced.tolist()


def join(cell: Cell) -> Place:
    """Join the process group that torchrun describes in the environment, if the cell has one."""
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    device = torch.device(cell.device, local_rank) if cell.device == "cuda" else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    if cell.strategy != "ddp":
        return Place(0, 1, device)
    dist.init_process_group(cell.backend)
    return Place(dist.get_rank(), dist.get_world_size(), device)


def parallel(model: nn.Module, cell: Cell, place: Place) -> nn.Module:
    """Return the model on its device, wrapped as the strategy wants it."""
    model = model.to(place.device)
    if cell.strategy == "data_parallel":
        return nn.DataParallel(model)
    if cell.strategy == "ddp":
        on_gpu = place.device.type == "cuda"
        return nn.parallel.DistributedDataParallel(model, device_ids=[place.device] if on_gpu else None)
    return model


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(SEED)


SAMPLERS: dict[str, Callable[[Any, Place], Sampler[int]]] = {
    OURS: lambda data, at: DistributedSampler(data, at.num_replicas, at.rank, seed=SEED),
    TORCHS: lambda data, at: TorchDistributedSampler(data, at.num_replicas, at.rank, seed=SEED),
    RANDOM: lambda data, _: RandomSampler(data, generator=_generator()),
    SUBSET: lambda data, _: SubsetRandomSampler(list(range(len(data))), generator=_generator()),
}


class FirstIndices(Sampler[int]):
    """The first `count` indices of each epoch of another sampler: a short epoch that still ends by itself."""

    def __init__(self, sampler: Sampler[int], count: int) -> None:
        self.sampler, self.count = sampler, count

    def __iter__(self) -> Iterator[int]:
        """Draw the first indices of the current epoch."""
        return itertools.islice(self.sampler, self.count)


def load(data: Samples, sampler: Sampler[int], cell: Cell, place: Place) -> DataLoader[Any]:
    """Return a loader of the samples that `sampler` draws."""
    return DataLoader(
        data,
        batch_size=cell.batch_size,
        sampler=sampler,
        num_workers=cell.workers,
        pin_memory=place.device.type == "cuda",
        generator=_generator(),
    )


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one epoch of training took and brought, over all ranks."""

    seconds: float
    samples: int
    first_batch_seconds: float
    first_batch_samples: int
    loss: float


def train(model: nn.Module, loader: DataLoader[Any], optimizer: torch.optim.Optimizer, place: Place) -> Epoch:
    """Train on all that the loader gives; the clock runs from before its iterator is made."""
    model.train()
    samples, first_samples, first_seconds = 0, 0, 0.0
    loss_sum = torch.zeros((), dtype=torch.float64, device=place.device)
    place.meet()
    start = time.perf_counter()
    for inputs, labels in loader:
        if samples == 0:
            first_samples, first_seconds = len(labels), time.perf_counter() - start
        outputs = model(inputs.to(place.device, non_blocking=True))
        loss = nn.functional.cross_entropy(outputs, labels.to(place.device, non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss_sum += loss.detach() * len(labels)  # stays on the device: reading it would wait for the GPU
        samples += len(labels)
    place.meet()
    seconds = time.perf_counter() - start
    seconds, first_seconds = place.over_ranks([seconds, first_seconds], dist.ReduceOp.MAX)
    samples, first_samples = (int(n) for n in place.over_ranks([samples, first_samples]))
    mean_loss = place.over_ranks([loss_sum.item()])[0] / samples
    return Epoch(seconds, samples, first_seconds, first_samples, mean_loss)


@torch.no_grad()
def evaluate(model: nn.Module, data: Samples, cell: Cell, place: Place) -> tuple[float, int]:
    """Return the share of samples predicted right and their number, each counted once whatever the ranks."""
    model.eval()
    sampler = DistributedSampler(data, place.num_replicas, place.rank, shuffle=False, make_even=True)
    batches = load(data, sampler, cell, place)
    right = torch.cat([model(x.to(place.device)).argmax(1).cpu() == y for x, y in batches])
    counted = right[: sampler.valid_length]  # what comes after is padding, and another rank's to count
    correct, total = place.over_ranks([counted.sum().item(), len(counted)])
    return correct / total, int(total)


def report(metric: str, epoch: int, value: float, draws: int) -> None:
    """Print one measurement for the process that started this one."""
    row = {"metric": metric, "round": epoch, "value": value, "draws": draws}
    print(json.dumps(row), flush=True)  # noqa: T201  (standard output is the interface)


def main(cell: Cell, corpus: Path) -> None:
    """Train and evaluate for all epochs of `cell`, and report each from rank 0."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)  # layers draw their weights from the global generator, and this process is ours
    place = join(cell)
    workload = WORKLOADS[cell.workload]
    data, validation = workload.datasets(corpus)
    model = parallel(workload.model(), cell, place)
    optimizer = torch.optim.SGD(model.parameters(), lr=cell.learning_rate)
    order = SAMPLERS[cell.sampler](data, place)
    sampler = order if cell.steps is None else FirstIndices(order, cell.steps * cell.batch_size)
    loader = load(data, sampler, cell, place)
    for index in range(cell.epochs):
        if isinstance(order, (DistributedSampler, TorchDistributedSampler)):
            order.set_epoch(index)
        epoch = train(model, loader, optimizer, place)
        accuracy, counted = evaluate(model, validation, cell, place)
        if place.rank == 0:
            report("throughput", index, epoch.samples / epoch.seconds, epoch.samples)
            report("first_batch", index, epoch.first_batch_seconds, epoch.first_batch_samples)
            report("train_loss", index, epoch.loss, epoch.samples)
            report("validation_accuracy", index, accuracy, counted)
    if dist.is_initialized():
        dist.destroy_process_group()


def only(work: Callable[[], None]) -> NoReturn:
    """Do `work` and end this process, with status 1 and a traceback if it fails.

    The interpreter is not torn down: DistributedDataParallel keeps its process group beyond
    `destroy_process_group`, and torch aborts if a thread of gloo frees a tensor meanwhile.
    """
    status = 0
    try:
        work()
    except BaseException:  # noqa: BLE001  (printed)
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    only(lambda: main(Cell(**json.loads(sys.argv[1])), Path(sys.argv[2])))
