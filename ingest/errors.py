"""What can go wrong with an input, as a closed list of codes and the errors that carry them."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why a file was rejected: the `error_code` of `source_files`."""

    UNREADABLE = "unreadable"  # the operating system would not give us the bytes
    BAD_GZIP = "bad_gzip"
    TOO_LARGE = "too_large"
    EMPTY_FILE = "empty_file"
    NOT_UTF8 = "not_utf8"
    TRUNCATED = "truncated"  # JSON that ends before it is complete
    NOT_JSON = "not_json"
    TOO_DEEP = "too_deep"
    NOT_A_TRACE = "not_a_trace"
    NOT_A_ROOM_FILE = "not_a_room_file"
    NOT_A_MAD_FILE = "not_a_mad_file"
    NOT_A_TAXONOMY = "not_a_taxonomy"  # a list of failure modes that is none, or contradicts itself
    BAD_DATASET_CARD = "bad_dataset_card"
    MISSING_REQUIRED = "missing_required"
    BAD_TYPE = "bad_type"
    DUPLICATE_TRACE = "duplicate_trace"


class MadwError(Exception):
    """A failure that is told to the user as one sentence, without a traceback."""


class UsageError(MadwError):
    """The call itself cannot be carried out as asked (exit code 2)."""


class RejectedInput(MadwError):
    """A file that cannot be used: it becomes one row of `source_files`, and the rest loads."""

    def __init__(self, code: Reason, message: str, at: str = "") -> None:
        """Keep the code, a sentence for people, and the place: a JSON pointer or a position."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at
