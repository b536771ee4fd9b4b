"""wolfspider web …"""

from __future__ import annotations

import click

from wolfspider.cli.groups import lazy
from wolfspider.cli.output import GENERATE, example

_COMMANDS = {
    "list": "web_list:list_",
    "info": "web_info:info",
    "describe": "web_describe:describe",
    "import": "web_import:import_",
    "import-folder": "web_import_folder:import_folder",
    "import-tables": "web_import_tables:import_tables",
    "export-tables": "web_export_tables:export_tables",
    "generate": "web_generate:generate",
    "generate-news": "web_generate_news:generate_news",
    "rewire": "web_rewire:rewire",
    "serve": "web_serve:serve",
}


@click.group(cls=lazy(_COMMANDS), epilog=example(GENERATE))
def web() -> None:
    """Recorded and generated webs: bring them in, look at them, serve them."""
