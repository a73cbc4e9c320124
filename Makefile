# Two commands matter: `make run` and `make test`. Both set the machine up first, and are quick about it when nothing
# is missing.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: run test check page web-test screenshots bench soak soak-tests soak-install soak-load soak-fuzz deny fmt install clean help

# Outside the clone, so that a fresh one does not build everything anew.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/tabiya/target
export PATH := $(PATH):$(HOME)/.cargo/bin:/usr/games

# What `make run` imports, for whom, under which label, and where to.
PGN ?= samples/*.pgn
# What the page lays over each other under Games: the sample match, or the games that were named.
GAMES ?= $(if $(filter file,$(origin PGN)),samples/match,$(wildcard $(PGN)))
OWNER ?= sample
REPERTOIRE ?= Sample games
DB ?= sqlite://out/tabiya.db
BEGUN := $(shell date +%s)
# How many positions an engine looks at first, and where the page is then.
EVALUATE ?= 60
BIND ?= 127.0.0.1:8000
# How long `make soak` lets each fuzz target look.
SOAK_SECONDS ?= 600

# Runs the rest of a recipe's line with servers of its own, unless TABIYA_TEST_POSTGRES, TABIYA_TEST_REDIS and
# TABIYA_TEST_NEO4J name some already. One that cannot be stopped says why; the others are stopped all the same, and what was run
# has succeeded or not.
on_servers = set -e; started=""; \
	trap 'for name in $$started; do scripts/test-$$name stop >/dev/null || true; done' EXIT; \
	if [ -z "$${TABIYA_TEST_POSTGRES:-}" ]; then \
	server=$$(scripts/test-postgres start); \
	export "$$server"; \
	started="$$started postgres"; \
	fi; \
	if [ -z "$${TABIYA_TEST_REDIS:-}" ]; then \
	server=$$(scripts/test-redis start); \
	export "$$server"; \
	started="$$started redis"; \
	fi; \
	if [ -z "$${TABIYA_TEST_NEO4J:-}" ]; then \
	server=$$(scripts/test-neo4j start); \
	export "$$server"; \
	started="$$started neo4j"; \
	fi;

run: ## Build, make a knowledge base of the sample games (or PGN=path) in out/tabiya.db, and show it at http://127.0.0.1:8000
	@scripts/setup free-port "$(BIND)"
	@scripts/setup run
	@$(MAKE) --no-print-directory page
	cargo build --release --bin tabiya
	@mkdir -p out
	"$$CARGO_TARGET_DIR/release/tabiya" import --db "$(DB)" --owner "$(OWNER)" --repertoire "$(REPERTOIRE)" $(PGN)
	"$$CARGO_TARGET_DIR/release/tabiya" build all --db "$(DB)" --pgn $(PGN)
	"$$CARGO_TARGET_DIR/release/tabiya" build annotate --db "$(DB)" --limit "$(EVALUATE)" --depth 14 || \
	    echo "run: going on without evaluations" >&2
	@(if scripts/setup answers "$(BIND)" $$$$; then \
	echo "run: ready after $$(($$(date +%s) - $(BEGUN))) s. Now open http://$(BIND); Ctrl-C ends it."; \
	echo "run: click on a move in Explorer, on a square of the map in Openings, on a ★ in Games; Review takes a game of yours, Tactics asks you"; \
	fi) & \
	exec "$$CARGO_TARGET_DIR/release/tabiya" serve --db "$(DB)" --bind "$(BIND)" $(foreach path,$(GAMES),--games $(path))

page: ## Build the web page, which the program carries
	@scripts/setup page
	npm run --silent --prefix web build

test: ## Run every check and every test, on SQLite and on a private PostgreSQL, Redis and Neo4j, and in a browser
	@scripts/setup test
	@$(MAKE) --no-print-directory deny web-test page check
	@$(on_servers) cargo test --workspace --all-features
	TABIYA_BIN="$$CARGO_TARGET_DIR/debug/tabiya" TABIYA_ENGINE="$${TABIYA_ENGINE:-$$HOME/.cache/tabiya/stockfish/stockfish}" \
	    npm run --silent --prefix web e2e

screenshots: ## Take the pictures of docs/screenshots anew
	@scripts/setup screenshots
	@$(MAKE) --no-print-directory page
	cargo build --bin tabiya
	TABIYA_BIN="$$CARGO_TARGET_DIR/debug/tabiya" TABIYA_ENGINE="$${TABIYA_ENGINE:-$$HOME/.cache/tabiya/stockfish/stockfish}" \
	    npm run --silent --prefix web screenshots

web-test: ## The page's own checks and tests
	@scripts/setup page
	npm run --silent --prefix web check
	npm run --silent --prefix web test

check: ## Format, lints and documentation, without warnings
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --no-deps --lib

bench: ## Measure, side by side with pgn-extract and python-chess where they can be had (TABIYA_CORPUS=file for real games)
	@scripts/setup bench || echo "bench: going on without what could not be installed" >&2
	TABIYA_PYTHON="$${TABIYA_PYTHON:-$$HOME/.cache/tabiya/venv/bin/python3}" cargo run --release -p tabiya-bench

soak: ## The long variants of the tests: more games, more seeds, fifty kills a verb, five minutes of load; then every fuzz target for ten minutes (SOAK_SECONDS)
	@scripts/setup soak
	@scripts/setup bench
	@failed=""; \
	for part in tests install load fuzz; do $(MAKE) --no-print-directory "soak-$$part" || failed="$$failed $$part"; done; \
	[ -z "$$failed" ] || { echo "soak: error: these failed:$$failed" >&2; exit 1; }

# The packages with such tests, and the one whose engine they run: those of all others would take longer to build than these take to run.
soaking = -p tabiya-engine $(shell for crate in $$(grep -rlE 'fn ([a-z_]+_)?soak' crates --include='*.rs' | cut -d/ -f2 | sort -u); do \
	sed -n '/^name = /{s/.*"\(.*\)"/-p \1/p;q;}' "crates/$$crate/Cargo.toml"; done)

# Its parts, all of which are done even where one fails.
soak-tests:
	@$(on_servers) TABIYA_SOAK=1 cargo test --profile soak $(soaking) --all-features --lib --tests soak -- --nocapture

soak-install:
	@place=$$(mktemp -d); trap 'rm -rf "$$place"' EXIT; \
	cargo install --quiet --locked --offline --path crates/cli --root "$$place"; \
	"$$place/bin/tabiya" --version; \
	"$$place/bin/pgn-import" --version

soak-load:
	@$(MAKE) --no-print-directory page
	cargo run --release -p tabiya-bench -- --only load

soak-fuzz:
	scripts/fuzz "$(SOAK_SECONDS)"

deny: ## Licences, versions and sources of all dependencies, and what is known against them where that can be asked
	@scripts/setup deny
	cargo deny --log-level error check --hide-inclusion-graph --allow duplicate bans licenses sources
	@limit=$$(command -v timeout || true); \
	if $${limit:+$$limit 60} cargo deny --log-level off fetch db >/dev/null 2>&1; then \
	cargo deny --log-level error check --hide-inclusion-graph advisories; \
	else echo "deny: the database of advisories cannot be reached, so nobody was asked about them" >&2; fi

fmt: ## Format the code
	cargo fmt --all

install: ## Install the programs into cargo's bin directory
	@scripts/setup run
	@$(MAKE) --no-print-directory page
	cargo install --locked --path crates/cli

clean: ## Remove what was built and what `make run` wrote
	cargo clean
	rm -rf out

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
