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

# A web of 3,000 pages on 60 hosts, 527 of them on astronomy; the same topic, start and budget
# for two policies.
START = import json, sys; print(json.load(sys.stdin)["start"])
HUNT = $(BIN)/wolfspider hunt --web demo/web --topic "astronomy telescope planet" --pages 600 \
	--seed "$$($(BIN)/wolfspider web info demo/web --json | $(BIN)/python -c '$(START)')" \
	--label astronomy

demo: setup
	rm -rf demo
	$(BIN)/wolfspider web generate -o demo/web --pages 3000 --hosts 60
	@printf '\n== breadth-first ==\n'
	@$(HUNT) --policy breadth-first --quiet -o demo/breadth-first
	@printf '\n== best-first ==\n'
	@$(HUNT) --policy best-first -o demo/best-first
	@printf '\nEvery visit is in demo/best-first/hunt.db (SQLite). Next: docs/first-experiment.md\n'

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
