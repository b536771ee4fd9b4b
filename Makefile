# Everything starts from a machine with python3, make and a package registry.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test check lint types imports bench gate lock clean

setup: .venv/ready

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

test: setup
	$(BIN)/python -m pytest -n auto

check: lint types imports test

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

lock:
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-header --no-emit-index-url -o requirements.lock

clean:
	rm -rf .venv demo
