# The two commands are `make reproduce` and `make test`. Settings: PROFILE, PAPER, JOBS, EXECUTOR, LIMIT, OPTIMISERS.
SHELL := /bin/bash
PROFILE ?= desk
export PROFILE PAPER JOBS EXECUTOR LIMIT OPTIMISERS
# Checks with others' tools.
xtask = . scripts/env.sh && cargo xtask

.PHONY: help reproduce optimisers pdf test test-artifacts test-newcomer test-provenance test-s3 test-slurm test-site wheel nightly bench lab book doc lint clean
.DEFAULT_GOAL := help

help: ## this list
	@echo 'make TARGET [PROFILE=smoke|desk|recorded|paper|gpu|gpu-short] [PAPER=hoag] [JOBS=N]'
	@sed -n 's/^\([a-z%-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

reproduce: ## install what is missing, build, fetch data, run the experiments, write artifacts/report/
	@scripts/reproduce.sh

pdf: ## print the papers' reports to artifacts/report/ID.pdf, with Chromium (CHROMIUM=PATH names one)
	@scripts/pdf.sh

test: ## unit, integration and doc tests, then a smoke replication with its notebooks
	@scripts/test.sh

test-artifacts: ## every artifact in DuckDB, pandas and polars: they agree, columns say what they hold
	@$(xtask) artifacts

test-newcomer: ## the guides to a change, a tuner and a paper, carried out in a copy of the checkout
	@$(xtask) newcomer

test-provenance: ## check exported research objects and PROV-JSON with others' tools
	@$(xtask) provenance

test-s3: ## results shared by a server that speaks S3, started and stopped here
	@$(xtask) s3

test-slurm: ## the engine on a real Slurm cluster of two nodes, started and stopped here (root)
	@$(xtask) slurm

test-site: ## the report's pages in headless Chromium: links, toggles, accessibility
	@$(xtask) site

wheel: ## the tuners as a Python wheel, built and tested in fresh environments with two Pythons
	@scripts/wheel.sh

nightly: ## thousands of random histories, kills, corruptions and failing disks (SEED=N repeats)
	@scripts/nightly.sh

bench: ## measure against peers: every part (BENCH=tiny: only whether they work)
	@scripts/bench.sh

bench-%: ## measure one part, a name in tests/bench: engine, harmonica, hoag, hypertune, scale, smoothie, svm, torch, tuners
	@scripts/bench.sh $*

optimisers: ## install the optimisers of others that `compare` runs beside ours (OPTIMISERS="optuna smac": some)
	@scripts/optimisers.sh

lab: ## open the notebooks in JupyterLab
	@scripts/lab.sh

book: ## the book, in artifacts/report/book
	@scripts/book.sh

doc: ## the documentation of all crates, in target/doc
	@. scripts/env.sh && cargo doc --no-deps

lint: ## format, clippy, documentation, unused dependencies, licences, shell scripts
	@scripts/lint.sh

clean: ## remove what was built and installed here; artifacts/ stays (`retune gc` tidies it)
	rm -rf target .tools .venv
