"""Drawing indices: who draws which positions, in which order, and from where on."""
