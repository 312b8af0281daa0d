# Each target is a step of .ci/run or a frequent use of one. CI runs `make ci`.
.DEFAULT_GOAL := help
.PHONY: help ci test benchmarks race vet lint fmt tidy controlplane nested bench fuzz lines

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 14

ci: ## everything that CI runs
	bash .ci/run

test benchmarks race vet lint controlplane nested fuzz:
	bash .ci/run $@
test: ## the tests of the root module
benchmarks: ## each benchmark of the packages once
race: ## the tests of the root module under the race detector
vet: ## go vet
lint: ## staticcheck on every module
controlplane: ## build the real servers that e2e runs (minutes the first time)
nested: ## vet and test the nested modules
fuzz: ## every fuzz target for FUZZTIME (10s)

fmt: ## write every file as gofmt does
	git ls-files -co --exclude-standard -- '*.go' | xargs gofmt -w

tidy: ## write every go.mod and go.sum as go mod tidy does
	git ls-files -- go.mod '*/go.mod' | xargs -n1 dirname | xargs -n1 -I{} go -C {} mod tidy

bench: ## a short comparison with client-go (ARGS for flags)
	go run -C bench . -short $(ARGS)

lines: ## lines of each package, and of the parts of client-go that it replaces
	@go run -C interop ./lines
