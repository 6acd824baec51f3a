"""``zoophyte schema``: the JSON schema of descriptions."""

from __future__ import annotations

from zoophyte.cli.output import print_json


def schema() -> None:
    """Print the JSON schema of descriptions, for editors that complete and check YAML files."""
    from zoophyte.description import Description

    print_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **Description.model_json_schema()})
