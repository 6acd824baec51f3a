"""Functions that only a kernel calls: their code is linked into it, and never run by itself.

Numba makes machine code of every function that it compiles, also of those that are inlined wherever they are called: of
some hundred functions, each with all that it calls inside, and optimises each of them as if it were run by itself.  That
takes more than half of the time to compile a kernel, for code that nobody runs.  Here a function is handed on as it is
lowered; the entry, into which all functions are inlined, is optimised alone, and machine code is made of the entry alone.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class LinkedCode(JITCodeLibrary):  # type: ignore[misc]
    """Code that others link; it has no addresses, neither of functions nor of an environment."""

    def get_pointer_to_function(self, name: str) -> int:
        """None: there is nothing to call from outside."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """For Numba, which then wants to set the function's environment, of which kernels know nothing."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Nowhere."""

    def _optimize_final_module(self) -> None:
        """Left to the entry, which inlines all of it: what is optimised here would be optimised again in every caller."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class LinkedCompiler(Compiler):  # type: ignore[misc]
    """Compiles functions for others to link."""

    def __init__(self, typing: Any, target: Any, library: Any, *given: Any) -> None:
        super().__init__(typing, target, library or LinkedCode(target.codegen(), "linked"), *given)
