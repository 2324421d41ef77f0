"""Pure parsers, one module per upstream format: bytes in, rows out; no paths, clocks or I/O."""
