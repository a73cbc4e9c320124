# Two commands matter: `make run` and `make test`. Both set the machine up first, and are quick about it when nothing
# is missing.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: run test check bench soak deny fmt install clean help

# Outside the clone, so that a fresh one does not build everything anew.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/tabiya/target
export PATH := $(PATH):$(HOME)/.cargo/bin:/usr/games

# What `make run` imports, for whom, under which label, and where to.
PGN ?= samples/*.pgn
OWNER ?= sample
REPERTOIRE ?= Sample games
DB ?= sqlite://out/tabiya.db

# Runs the rest of a recipe's line with servers of its own, unless TABIYA_TEST_POSTGRES and TABIYA_TEST_REDIS name some
# already.
on_servers = started=""; \
	trap 'for name in $$started; do scripts/test-$$name stop >/dev/null; done' EXIT; \
	if [ -z "$${TABIYA_TEST_POSTGRES:-}" ]; then \
	server=$$(scripts/test-postgres start); \
	export "$$server"; \
	started="$$started postgres"; \
	fi; \
	if [ -z "$${TABIYA_TEST_REDIS:-}" ]; then \
	server=$$(scripts/test-redis start); \
	export "$$server"; \
	started="$$started redis"; \
	fi;

run: ## Build, import the sample games (or PGN=path) into out/tabiya.db, and make a knowledge base of them
	@scripts/setup run
	cargo build --release --bin tabiya
	@mkdir -p out
	"$$CARGO_TARGET_DIR/release/tabiya" import --db "$(DB)" --owner "$(OWNER)" --repertoire "$(REPERTOIRE)" $(PGN)
	"$$CARGO_TARGET_DIR/release/tabiya" build all --db "$(DB)" --pgn $(PGN)

test: ## Run every check and every test, on SQLite and on a private PostgreSQL and Redis
	@scripts/setup test
	@$(MAKE) --no-print-directory check
	@$(on_servers) cargo test --workspace --all-features

check: ## Format, lints and documentation, without warnings
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --no-deps --lib

bench: ## Measure, side by side with pgn-extract and python-chess where they can be had (TABIYA_CORPUS=file for real games)
	@scripts/setup bench || echo "bench: going on without what could not be installed" >&2
	TABIYA_PYTHON="$${TABIYA_PYTHON:-$$HOME/.cache/tabiya/venv/bin/python3}" cargo run --release -p tabiya-bench

soak: ## The long variants of the tests: more games, more seeds, more kills
	@scripts/setup test
	@$(on_servers) TABIYA_SOAK=1 cargo test --release --workspace --all-features soak -- --nocapture

deny: ## Licences, duplicates and sources of all dependencies
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny check licenses bans sources

fmt: ## Format the code
	cargo fmt --all

install: ## Install the programs into cargo's bin directory
	@scripts/setup run
	cargo install --locked --path crates/cli

clean: ## Remove what was built and what `make run` wrote
	cargo clean
	rm -rf out

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
