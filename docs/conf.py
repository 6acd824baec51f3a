"""Sphinx configuration of the manual; build it with `make docs`."""

import inspect
import re
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math import latex2mathml

import zoophyte
from zoophyte.description.part import Part

project = "Zoophyte"
author = "Zoophyte contributors"
project_copyright = "2026, Zoophyte contributors"
version = release = zoophyte.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

default_role = "code"  # single backticks in docstrings are code
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_maximum_signature_line_length = 100

html_math_renderer = (
    "mathml"  # browsers draw it by themselves; scripts for formulas would come from a network
)

exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Zoophyte {release}"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["manual.css"]

REFERENCE = re.compile(r"(?<=\w)_(?=[^\w`]|$)")
"""What reStructuredText takes for a reference, such as the H_ of H_(N−n); code in backticks has no such end."""


def short_signature(
    app: Any, what: str, name: str, found: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """Signatures as the source has them: annotations by the names that are written there, and no long defaults."""
    if inspect.isclass(found) and issubclass(found, Part):
        fields = [
            field if info.is_required() else f"{field}={info.get_default(call_default_factory=True)!r}"
            for field, info in found.model_fields.items()
        ]
        return f"(*, {', '.join(fields)})", None
    if signature is None or getattr(found, "_is_protocol", False):
        return None
    asked = inspect.signature(found)
    kept = [argument for argument in asked.parameters.values() if argument.name not in ("self", "cls")]
    shown = [argument.replace(default=short(argument.default)) for argument in kept]
    text = str(asked.replace(parameters=shown, return_annotation=inspect.Signature.empty))
    back = asked.return_annotation if isinstance(asked.return_annotation, str) else None
    return re.sub(r": '([^']*)'", r": \1", text), back if back != "None" else None


class Written:
    """A default as it is shown."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def short(default: Any) -> Any:
    """A default that fits a line; what is long, or made for each call, is three dots."""
    if default is inspect.Parameter.empty:
        return default
    text = default.__name__ if inspect.isclass(default) else repr(default)
    return Written(text if len(text) <= 24 and not text.startswith("<") else "...")


def plain_docstring(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are read by people first: what markup would swallow is kept."""
    lines[:] = [REFERENCE.sub(r"\\_", line).replace("|", r"\|") for line in lines]


def is_hidden(app: Any, what: str, name: str, found: Any, skip: bool, options: Any) -> bool | None:
    """Members that are not for users: what pydantic asks for, and what has no words of its own."""
    return (
        True
        if name.startswith(
            (
                "model_",
                "kind_positions",
                "usual_values",
                "own_values",
                "part_fields",
                "whole_findings",
                "examine",
                "sealed",
            )
        )
        else None
    )


def inline_formula(writer: Any, node: Any) -> None:
    """A formula within a line, as MathML."""
    writer.body.append(latex2mathml.tex2mathml(node.astext()))
    raise SkipNode


def formula(writer: Any, node: Any) -> None:
    """A formula on a line of its own, as MathML."""
    drawn = latex2mathml.tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div style="margin: 0.8em 0; overflow: auto hidden">{drawn}</div>\n')
    raise SkipNode


def setup(app: Any) -> None:
    """Tell Sphinx about the functions above."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(inline_formula, None), block_renderers=(formula, None)
    )
    app.connect("autodoc-process-signature", short_signature)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("autodoc-skip-member", is_hidden)
