# Two commands do everything: `make run` and `make test`. Both install what is missing first (Debian, root or sudo).
CARGO ?= cargo

.PHONY: help setup outside build run test soak bench lint clean

help: ## What can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## Install Chromium and make the browser's user, if they are missing
	@scripts/setup

outside: ## Fetch the pages nobody here wrote that tests work on (npm, pip; CLICKET_OFFLINE=1 leaves them out)
	@[ -n "$$CLICKET_OFFLINE" ] || scripts/outside >/dev/null

build: ## Build the release binary
	$(CARGO) build --release -p clicket

run: setup ## Do a chore in a real Chromium: sign in to a small shop, find a product, put it in the basket
	$(CARGO) build --release -p clicket -p clicket-shop
	@scripts/chore

test: setup outside ## Everything that can be checked on this machine
	RUST_TEST_THREADS=3 $(CARGO) test --workspace
	$(CARGO) clippy --workspace --all-targets -- -D warnings

soak: setup outside ## The long runs: a hundred browser cases and more, and each promise taken out once to see a test turn red
	CLICKET_SOAK=1 $(CARGO) test --workspace -- --nocapture soak
	scripts/mutants

bench: setup ## Measurements, side by side
	$(CARGO) build --release -p clicket -p clicket-shop
	benches/run steps
	benches/run edge
	benches/run addresses
	benches/looks

lint: ## Formatting and lints
	$(CARGO) fmt --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

clean: ## Remove what was built
	$(CARGO) clean
