"""The samplers that the harness knows: one module per project that ships some, and their table.

No module imports its project before one of its samplers is made, so the table is whole whatever is installed.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from distsampler.subjects import (
    accelerate,
    catalyst,
    datasets,
    dlrover,
    fastai,
    grain,
    ignite,
    lhotse,
    lightning,
    litdata,
    mmengine,
    monai,
    ours,
    pytorch,
    seed,
    spdl,
    streaming,
    timm,
    torchdata,
    torchvision,
    transformers,
    ultralytics,
)

if TYPE_CHECKING:
    from distsampler.conformance import Subject

SUBJECTS: tuple[Subject, ...] = (
    ours.DISTRIBUTED_SAMPLER,
    ours.TORCH_ORDER,
    ours.DISTRIBUTED,
    pytorch.DISTRIBUTED_SAMPLER,
    pytorch.ELASTIC_DISTRIBUTED_SAMPLER,
    pytorch.RESTARTED_ELASTIC_SAMPLER,
    torchdata.STATEFUL_DISTRIBUTED_SAMPLER,
    torchdata.STATEFUL_DATA_LOADER,
    torchdata.STATEFUL_DATA_LOADER_WITH_WORKERS,
    torchvision.DISTRIBUTED_SAMPLER,
    accelerate.BATCH_SAMPLER_SHARD,
    accelerate.SPLIT_BATCH_SAMPLER_SHARD,
    accelerate.SEEDABLE_RANDOM_SAMPLER,
    accelerate.SKIP_FIRST_BATCHES,
    accelerate.ITERABLE_DATASET_SHARD,
    transformers.DISTRIBUTED_SAMPLER_WITH_LOOP,
    transformers.DISTRIBUTED_LENGTH_GROUPED_SAMPLER,
    transformers.SHARD_SAMPLER,
    transformers.BATCH_REBALANCE_SAMPLER,
    datasets.SPLIT_DATASET_BY_NODE,
    lightning.UNREPEATED_DISTRIBUTED_SAMPLER,
    lightning.UNREPEATED_WRAPPER,
    lightning.DISTRIBUTED_SAMPLER_WRAPPER,
    lightning.SHUFFLING_WRAPPER,
    litdata.SHUFFLE,
    monai.DISTRIBUTED_SAMPLER,
    monai.UNEVEN_AND_DROP_LAST,
    monai.DISTRIBUTED_WEIGHTED_RANDOM_SAMPLER,
    ignite.DISTRIBUTED_PROXY_SAMPLER,
    catalyst.DISTRIBUTED_SAMPLER_WRAPPER,
    catalyst.SHUFFLING_WRAPPER,
    timm.ORDERED_DISTRIBUTED_SAMPLER,
    timm.REPEAT_AUG_SAMPLER,
    ultralytics.CONTIGUOUS_DISTRIBUTED_SAMPLER,
    mmengine.DEFAULT_SAMPLER,
    fastai.DISTRIBUTED_DL,
    lhotse.DYNAMIC_CUT_SAMPLER,
    dlrover.ELASTIC_DISTRIBUTED_SAMPLER,
    spdl.DISTRIBUTED_DETERMINISTIC_SAMPLER,
    spdl.DISTRIBUTED_RANDOM_SAMPLER,
    streaming.PY1E,
    streaming.PY1S,
    grain.DATA_LOADER,
    grain.MAP_DATASET,
    seed.SEED_SAMPLER,
)


def version(subject: Subject) -> str | None:
    """Return the installed version of the project that ships `subject`, or None if it is not installed."""
    try:
        return metadata.version(subject.package)
    except metadata.PackageNotFoundError:
        return None
