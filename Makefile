# The commands of Switchboard. `make help` lists them. Python 3.11 or newer is the only prerequisite.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8080
DATA ?= .switchboard
say = @printf '%s\n' '==> $(1)'

.PHONY: help install runtime run dev test check bench soak lock format clean

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Switchboard needs Python 3.11 or newer; '$(PYTHON)' is not. Name one with make PYTHON=..." >&2; exit 1; }
	$(call say,Making the virtual environment)
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module is missing; install it (Debian: apt-get install python3-venv)." >&2; exit 1; }
	$(call say,Installing the locked dependencies (about a minute the first time))
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

install: $(VENV)/.installed ## make the virtual environment with the locked dependencies

BUILD ?= --quick
runtime: install ## build the page's runtime (skipped when nothing changed)
	$(call say,Building the page runtime)
	@$(BIN)/python frontend/runtime/build.py $(BUILD)

run: runtime ## demo: server, database, data and workers on 127.0.0.1:$(PORT)
	@exec $(BIN)/switchboard demo --port $(PORT) --data $(DATA)

dev: install ## demo that shows every change of a file in the open tab, on 127.0.0.1:$(PORT)
	@exec $(BIN)/switchboard dev --port $(PORT) --data $(DATA)

test: runtime ## every test suite, in a real browser and on a real PostgreSQL
	$(call say,Looking for Chromium and PgBouncer)
	@$(BIN)/python -m tests.support.ensure_programs
	$(call say,Running the tests)
	@$(BIN)/python -m pytest -q tests
	@$(BIN)/python -m pytest -q e2e

check: install ## format, lint, types, import contracts, SQL against the schema, links of the docs
	@$(BIN)/ruff format --check --quiet . || { echo "Run 'make format'." >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache >.lint-imports.log 2>&1 || { cat .lint-imports.log; exit 1; }
	@$(BIN)/python -m pytest -q --no-header tests/store/test_statements.py tests/docs

bench: BUILD =
bench: runtime ## measure; prints ratios within one run
	@$(BIN)/python -m bench

format: install ## apply the formatter
	@$(BIN)/ruff format --quiet . && $(BIN)/ruff check --quiet --fix .

lock: install ## write requirements.lock anew from pyproject.toml
	@$(BIN)/pip install --quiet uv && $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --group dev \
	  pyproject.toml --generate-hashes --no-header --no-emit-index-url -o requirements.lock

clean: ## remove what was built; data in $(DATA) stays
	rm -rf $(VENV) frontend/runtime/dist frontend/runtime/build frontend/runtime/node_modules

soak: install ## ten minutes of load, kills and boundaries; prints the checker's table
	@$(BIN)/python -m soak
