# `make train`, `make test` and `make benchmark` need nothing but Python 3.10 or newer: each makes a virtual environment
# and fills it with the releases of constraints.txt, unless it is there already, and then does its work. `make test` also
# needs Chromium, to look at the pages that King writes, and installs it where it may (scripts/setup-browser).

PYTHON ?= python3
VENV := .venv
CONFIG ?= configs/ppo/quick.toml

.PHONY: help train test benchmark setup format clean

help:
	@echo "make train       train an agent by self-play and print how it does against the bots (CONFIG=$(CONFIG))"
	@echo "make test        run every check: format, lint, types, imports, tests"
	@echo "make benchmark   measure King on this machine, and other environments beside it"
	@echo "make setup       only make the virtual environment that both use"
	@echo "make format      put the code into its standard format"
	@echo "make clean       remove the virtual environment and all caches; trained agents in runs/ stay"

train: $(VENV)/.has-train
	$(VENV)/bin/python scripts/train.py $(CONFIG)

test: $(VENV)/.has-dev
	scripts/setup-browser
	scripts/check

benchmark: $(VENV)/.has-bench
	$(VENV)/bin/python scripts/benchmark.py --json runs/benchmark.json --plot runs/benchmark_growth.png

setup: $(VENV)/.has-dev

format: $(VENV)/.has-dev
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache king_env/.numba_cache
	find king_env baselines scripts tests -name __pycache__ -prune -exec rm -rf {} +

# What has been installed for one of pyproject.toml's extras, until the files that say what that is change.
$(VENV)/.has-%: pyproject.toml constraints.txt
	test -x $(VENV)/bin/pip || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --constraint constraints.txt --editable '.[$*]'
	touch $@
