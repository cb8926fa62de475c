.DEFAULT_GOAL := help
.PHONY: help demo test test-full lint prove mutate regenerate bench fuzz-frontend fuzz-act stream setup clean

VENV   := .venv
PYTHON := $(VENV)/bin/python
READY  := $(VENV)/.installed
PYTEST := $(PYTHON) -m pytest
# Two workers, one file to a worker: files share what they build.
PARALLEL := -n 2 --dist loadfile

help:  ## show this list
	@grep -hE '^[a-z-]+: .*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

demo: $(READY)  ## RTL -> instruction set -> backend -> program -> the same result as the HLO reference
	@scripts/setup_system.sh verilator g++
	@$(PYTHON) scripts/demo.py

test: $(READY)  ## the tests and the proofs (what CI runs)
	@scripts/setup_system.sh
	@$(PYTEST) tests proofs -m "not slow" $(PARALLEL)

test-full: $(READY)  ## the same with the slow tests
	@scripts/setup_system.sh
	@$(PYTEST) tests proofs $(PARALLEL)

lint: $(READY)  ## style and types
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/pyright

prove: $(READY)  ## every proof, as a table and as data in build/proofs.json; STAGE= (1, 2, 3)
	@scripts/setup_system.sh
	@$(PYTHON) scripts/prove.py $(if $(STAGE),--stage $(STAGE))

mutate: $(READY)  ## generated mutations, and what notices them; SEED=, SAMPLE=
	@scripts/setup_system.sh
	@$(PYTHON) scripts/mutate.py $(if $(SEED),--seed $(SEED)) $(if $(SAMPLE),--sample $(SAMPLE))

regenerate: $(READY)  ## write isas/generated anew from rtl/
	@$(PYTHON) scripts/regenerate.py

bench: $(READY)  ## medians of lifting and compiling, as tables and as JSON in build/bench
	@$(PYTHON) scripts/bench_lift.py
	@$(PYTHON) scripts/bench_passes.py
	@$(PYTHON) scripts/bench_act.py

fuzz-frontend: $(READY)  ## random Verilog, both readers against other tools; SEED=, COUNT= (modules) or TIME= (seconds)
	@$(PYTHON) scripts/fuzz_frontend.py $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(TIME),--time $(TIME)) $(if $(TOOLS),--tools $(TOOLS))

stream: $(READY)  ## random instruction streams, RTL against oracle; N= (instructions of each design), SEED=
	@scripts/setup_system.sh verilator g++
	@$(PYTHON) scripts/stream.py $(if $(N),-N $(N)) $(if $(SEED),--seed $(SEED))

fuzz-act: $(READY)  ## random kernels, compiled and run against the reference; SEED=, COUNT=, TIME= (seconds), ISA=
	@$(PYTHON) scripts/fuzz_act.py $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(TIME),--time $(TIME)) $(if $(ISA),--isa $(ISA))

setup: $(READY)  ## only install into .venv

clean:  ## remove what the targets above wrote, .venv included
	@rm -rf $(VENV) build backends

$(READY): pyproject.toml scripts/setup_venv.sh
	@scripts/setup_venv.sh $(VENV)
	@touch $@
