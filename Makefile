# Two commands matter: `make lab` opens labsim, `make test` proves it. Both set up their own virtual environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: lab test long bench fuzz screenshots clean

lab: $(VENV)/lab
	@$(BIN)/labsim

test: $(VENV)/test
	@$(BIN)/python tools/run_tests.py

long: $(VENV)/test
	@$(BIN)/python tools/run_tests.py --long

bench: $(VENV)/test
	@$(BIN)/python -m tests.benchmarks

screenshots: $(VENV)/test
	@$(BIN)/python tools/screenshots.py

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "labsim needs Python 3.11 or newer; try: make lab PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/lab: $(VENV)/python pyproject.toml
	@echo "Setting up labsim (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/test: $(VENV)/python pyproject.toml
	@echo "Setting up the tests (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/lab

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
