"""What dbt must know of the warehouse, whichever folder it is called from.

dbt-duckdb loads this plugin before it connects (see profiles.yml). It takes the writer's lock,
points the connection at the home's working database, and tells every cursor where the lake is.
"""

from __future__ import annotations

import re
from typing import Any

from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtRuntimeError

from ingest.errors import MadwError
from ingest.home import acquire_writer, find_home


class Plugin(BasePlugin):
    """The plugin of profiles.yml; dbt-duckdb looks for this name."""

    def initialize(self, config: dict[str, Any]) -> None:
        """Take the lock and set the path of the working database."""
        self._home = find_home()
        if not self._home.lake.is_dir():
            raise DbtRuntimeError(
                f"There is no lake in {self._home.root}: run `madw ingest` first."
            )
        try:
            acquire_writer(self._home, "dbt")
        except MadwError as error:
            raise DbtRuntimeError(str(error)) from None
        if self.creds is not None:
            self._home.build.mkdir(exist_ok=True)
            self.creds.path = str(self._home.work_database)

    def configure_cursor(self, cursor: Any) -> None:
        """Set the variable `lake`, which the sources read: the lake's folder, safe in a glob."""
        folder = re.sub(r"([*?\[])", r"[\1]", self._home.lake.as_posix())
        cursor.execute("set variable lake = $folder", {"folder": folder})
