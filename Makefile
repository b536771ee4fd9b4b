# Everything starts from a machine with python3, make and a package registry.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test check lint types imports bench bench-live kills gate lock clean

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

# A generated web, served over HTTP on loopback and hunted live.
demo: setup
	@scripts/demo $(BIN)/wolfspider

bench: setup
	$(BIN)/python -m benchmarks

# Against Scrapy, over nginx on loopback; installs both when they are missing.
bench-live: setup
	$(BIN)/python -m benchmarks.live

# The crash contract in full: 200 kills at random moments, and as many at system calls.
kills: setup
	WOLFSPIDER_KILLS=200 $(BIN)/python -m pytest tests/test_kills.py

gate: setup
	$(BIN)/python -m benchmarks.gate

lock:
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-header --no-emit-index-url -o requirements.lock

clean:
	rm -rf .venv demo
