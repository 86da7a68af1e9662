"""Checking any sampler: `distsampler check`, and `parametrize_with_properties` for somebody's own tests."""
