"""Benchmarks: figures printed by `make bench`, never assertions."""
