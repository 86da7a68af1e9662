"""The benchmark, `python -m bench`: what samplers cost by themselves and in real training."""
