"""What the names of folders and files say."""

from __future__ import annotations

from datetime import datetime

import pytest

from ingest.parse.names import FileName, RunName, file_name, run_name

STARTED = datetime(2026, 3, 16, 17, 42, 55)


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        pytest.param(
            "run_20260316_174255_gpt-4.1_0.3",
            RunName(STARTED, "gpt-4.1", 0.3, None, None, None, False, None),
            id="date, model and temperature",
        ),
        pytest.param(
            "run_20260316_174255_deepseek-reasoner_0.0_nightmare",
            RunName(STARTED, "deepseek-reasoner", 0.0, None, None, None, True, None),
            id="nightmare",
        ),
        pytest.param(
            "run_20260316_174255_gpt-4.1_0.6_seed7",
            RunName(STARTED, "gpt-4.1", 0.6, None, None, None, False, 7),
            id="seed",
        ),
        pytest.param(
            "run_20260316_174255_gpt-4.1_0.6_nightmare_seed007",
            RunName(STARTED, "gpt-4.1", 0.6, None, None, None, True, 7),
            id="nightmare and seed",
        ),
        pytest.param(
            "run_20260316_174255_gsm-hard_no_tool_gpt-5.4_0.0",
            RunName(STARTED, "gpt-5.4", 0.0, "gsm-hard", False, None, False, None),
            id="domain without tools",
        ),
        pytest.param(
            "run_20260316_174255_gsm-hard_tool_gpt-5.4_0.0_nightmare",
            RunName(STARTED, "gpt-5.4", 0.0, "gsm-hard", True, None, True, None),
            id="domain with tools",
        ),
        pytest.param(
            "run_20260316_174255_FM-1.1_gpt-4.1_0.0",
            RunName(STARTED, "gpt-4.1", 0.0, None, None, "FM-1.1", False, None),
            id="injection",
        ),
        pytest.param(
            "run_20260316_174255_math_hard_tool_FM-2.6_gpt-4.1_1_nightmare_seed12",
            RunName(STARTED, "gpt-4.1", 1.0, "math_hard", True, "FM-2.6", True, 12),
            id="everything at once",
        ),
        pytest.param(
            "run_20260316_174255_my_o'model_v1.5_x_0.25",
            RunName(STARTED, "my_o'model_v1.5_x", 0.25, None, None, None, False, None),
            id="a model with underscores, dots and a quote",
        ),
        pytest.param(
            "run_20261316_174255_gpt-4.1_0.0",
            RunName(None, "gpt-4.1", 0.0, None, None, None, False, None),
            id="a thirteenth month is no date",
        ),
        pytest.param(
            "run_20260316_256199_gpt-4.1_0.0",
            RunName(None, "gpt-4.1", 0.0, None, None, None, False, None),
            id="a twenty-fifth hour is no time",
        ),
        pytest.param("run_20260316_174255_gpt-4.1", RunName(), id="no temperature"),
        pytest.param("run_2026_gpt-4.1_0.0", RunName(), id="a short date"),
        pytest.param("easy_nightmares", RunName(), id="a name that says nothing"),
        pytest.param("", RunName(), id="no name"),
    ],
)
def test_run_folder(folder, expected):
    assert run_name([folder]) == expected


def test_the_innermost_folder_that_says_something_wins():
    outer, inner = "run_20260101_000000_outer_0.1", "run_20260316_174255_inner_0.2"

    assert run_name(["root", outer, inner, "easy_nightmares"]).model == "inner"


def test_a_folder_below_model_and_domain_is_read_like_any_other():
    folders = ["root", "gpt-4.1", "gsm-hard", "run_20260316_174255_gpt-4.1_0.3"]

    assert run_name(folders).temperature == 0.3


@pytest.mark.parametrize(
    ("folders", "is_flat", "model"),
    [
        pytest.param(["root", "gpt-4.1"], True, "gpt-4.1", id="a flat folder is the model"),
        pytest.param(["root", "gpt-4.1"], False, None, id="another folder is not"),
        pytest.param([], True, None, id="no folder at all"),
    ],
)
def test_flat_folder(folders, is_flat, model):
    assert run_name(folders, is_flat=is_flat) == RunName(model=model)


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        pytest.param(
            "20260316174255_EscapeRoom_room_0012_escaped",
            FileName(STARTED, "room_0012", None, None, True),
            id="an escape",
        ),
        pytest.param(
            "20260316174255_EscapeRoom_room_0012_failed",
            FileName(STARTED, "room_0012", None, None, False),
            id="a failure",
        ),
        pytest.param(
            "20260316_174255_EscapeRoom_room_0012_Nightmare_temp_0.60_failed",
            FileName(STARTED, "room_0012", "nightmare", "0.60", False),
            id="a flat file with difficulty and temperature",
        ),
        pytest.param(
            "20260316-174255_x_room_7_easy_temp_1_escaped",
            FileName(STARTED, "room_7", "easy", "1", True),
            id="a whole temperature and a date with a hyphen",
        ),
        pytest.param(
            "20260230174255_EscapeRoom_room_0012_escaped",
            FileName(None, "room_0012", None, None, True),
            id="30 February is no date",
        ),
        pytest.param(
            "2026031617425599_room_0012",
            FileName(None, "room_0012", None, None, None),
            id="too many digits are no date",
        ),
        pytest.param("übung (2)", FileName(), id="a name that says nothing"),
        pytest.param("", FileName(), id="no name"),
        pytest.param("room_", FileName(), id="a room without a number"),
        pytest.param("escaped", FileName(), id="an outcome without a room"),
    ],
)
def test_file(stem, expected):
    assert file_name(stem) == expected
