# `make train`, `make test` and `make benchmark` need nothing but Python 3.10 or newer: each makes a virtual environment
# and fills it with the releases of constraints.txt, unless it is there already, and then does its work. `make test` also
# needs Chromium, to look at the pages that King writes, and installs it where it may (scripts/setup-browser).

PYTHON ?= python3
# The oldest Python that King supports, where there is one.
OLDEST_PYTHON ?= $(shell python3.10 -c '' 2>/dev/null && echo python3.10 || echo $(PYTHON))
VENV := .venv
CONFIG ?= configs/ppo/quick.toml

# Ray holds Gymnasium at a release of its own, so what stands on Gymnasium is tested with that, too.
INTEGRATION_TESTS := $(wildcard tests/integrations/test_*.py) $(wildcard tests/envs/test_seat*_env.py)
# Warnings of other libraries, and of old releases, are not ours to mend.
LENIENT := -W ignore

.PHONY: help train test test-integrations test-oldest benchmark setup format clean

help:
	@echo "make train       train an agent by self-play and print how it does against the bots (CONFIG=$(CONFIG))"
	@echo "make test        run every check: format, lint, types, imports, tests"
	@echo "make test-integrations   run the recipes for other libraries, each briefly, in environments of their own"
	@echo "make test-oldest run the tests of the environments on the oldest releases that King supports"
	@echo "make benchmark   measure King on this machine, and other environments beside it"
	@echo "make setup       only make the virtual environment that both use"
	@echo "make format      put the code into its standard format"
	@echo "make clean       remove the virtual environments and all caches; trained agents in runs/ stay"

train: $(VENV)/.has-train
	$(VENV)/bin/python scripts/train.py $(CONFIG)

test: $(VENV)/.has-dev
	scripts/setup-browser
	scripts/check

test-integrations: .venv-integrations/.installed .venv-agilerl/.installed
	.venv-integrations/bin/python -m pytest $(LENIENT) --durations 10 $(filter-out %/test_agilerl.py,$(INTEGRATION_TESTS))
	.venv-agilerl/bin/python -m pytest $(LENIENT) --durations 10 tests/integrations/test_agilerl.py

test-oldest: .venv-oldest/.installed
	.venv-oldest/bin/python -m pytest $(LENIENT) --numprocesses auto --maxprocesses 4 --dist loadfile \
		--ignore tests/envs/test_checker_of_stable_baselines.py tests/envs

benchmark: $(VENV)/.has-bench
	$(VENV)/bin/python scripts/benchmark.py --json runs/benchmark.json --plot runs/benchmark_growth.png

setup: $(VENV)/.has-dev

format: $(VENV)/.has-dev
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix

clean:
	rm -rf $(VENV) .venv-* build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache king_env/.numba_cache
	find king_env baselines scripts tests -name __pycache__ -prune -exec rm -rf {} +

# What has been installed for one of pyproject.toml's extras, until the files that say what that is change.
$(VENV)/.has-%: pyproject.toml constraints.txt
	test -x $(VENV)/bin/pip || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --constraint constraints.txt --editable '.[$*]'
	touch $@

# The environments of tests that cannot share one: what each installs, in the releases of a file of its own.
INSTALLED_integrations := '.[integrations]'
INSTALLED_agilerl := '.[agilerl]'
PYTHON_oldest := $(OLDEST_PYTHON)
INSTALLED_oldest := '.[render]' pytest pytest-xdist

.venv-%/.installed: pyproject.toml constraints/%.txt
	test -x .venv-$*/bin/pip || $(or $(PYTHON_$*),$(PYTHON)) -m venv .venv-$*
	.venv-$*/bin/pip install --constraint constraints/$*.txt --editable $(INSTALLED_$*)
	touch $@
