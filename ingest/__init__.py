"""Raw multi-agent traces to a Parquet lake, and the `madw` program around it."""

__version__ = "0.1.0"
