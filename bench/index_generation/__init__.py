"""What index generation costs: time to the first index, time per index and peak memory of each sampler."""
