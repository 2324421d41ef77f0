"""The last node: when every mart is built and tested, copy them all into the published file."""

import pyarrow
from dbt.flags import get_flags

from ingest.publish import is_full_build, publish


def model(dbt, session):
    """One row per table of the published file, and none where this invocation does not publish."""
    marts = {
        "about": dbt.ref("about"),
        "datasets": dbt.ref("datasets"),
        "runs": dbt.ref("runs"),
        "source_files": dbt.ref("source_files"),
        "room_definitions": dbt.ref("room_definitions"),
        "puzzle_definitions": dbt.ref("puzzle_definitions"),
        "rooms": dbt.ref("rooms"),
        "attempts": dbt.ref("attempts"),
        "steps": dbt.ref("steps"),
        "step_texts": dbt.ref("step_texts"),
        "escape_rates": dbt.ref("escape_rates"),
        "escape_rates_by_split": dbt.ref("escape_rates_by_split"),
        "escape_rate_reconciliation": dbt.ref("escape_rate_reconciliation"),
        "signal_frequencies": dbt.ref("signal_frequencies"),
        "room_signal_frequencies": dbt.ref("room_signal_frequencies"),
        "first_wrong_steps": dbt.ref("first_wrong_steps"),
        "propagation_chains": dbt.ref("propagation_chains"),
        "error_transmission": dbt.ref("error_transmission"),
        "key_uniqueness": dbt.ref("key_uniqueness"),
        "ground_truth_checks": dbt.ref("ground_truth_checks"),
        "label_conflicts": dbt.ref("label_conflicts"),
        "mad_human_records": dbt.ref("mad_human_records"),
        "mad_human_annotations": dbt.ref("mad_human_annotations"),
        "mad_full_records": dbt.ref("mad_full_records"),
        "mad_full_annotations": dbt.ref("mad_full_annotations"),
        "trace_bodies": dbt.ref("trace_bodies"),
        "taxonomy_modes": dbt.ref("taxonomy_modes"),
        "taxonomy_crosswalk": dbt.ref("taxonomy_crosswalk"),
        "taxonomy_drift": dbt.ref("taxonomy_drift"),
        "annotation_blocks": dbt.ref("annotation_blocks"),
        "annotator_agreement": dbt.ref("annotator_agreement"),
        "label_agreement": dbt.ref("label_agreement"),
        "label_sequence_repeats": dbt.ref("label_sequence_repeats"),
        "failure_mode_prevalence": dbt.ref("failure_mode_prevalence"),
        "key_collision_pairs": dbt.ref("key_collision_pairs"),
        "audit_findings": dbt.ref("audit_findings"),
    }
    tables = publish(session, list(marts)) if is_full_build(get_flags()) else []
    return pyarrow.table(
        {
            "table_name": pyarrow.array([table.table_name for table in tables], pyarrow.string()),
            "n_rows": pyarrow.array([table.n_rows for table in tables], pyarrow.int64()),
        }
    )
