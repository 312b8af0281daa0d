# Each target is a step of .ci/run, or an everyday call of it. CI runs `make ci`.
.DEFAULT_GOAL := help
.PHONY: help ci test race vet lint fmt tidy controlplane nested bench fuzz lines

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 14

ci: ## everything that CI runs
	bash .ci/run

test race vet lint controlplane nested fuzz:
	bash .ci/run $@
test: ## the tests of the root module
race: ## the same under the race detector
vet: ## go vet
lint: ## staticcheck on every module
controlplane: ## build the real servers that e2e runs (minutes the first time)
nested: ## vet and test the nested modules
fuzz: ## every fuzz target for FUZZTIME (10s)

fmt: ## write every file as gofmt does
	git ls-files -co --exclude-standard -- '*.go' | xargs gofmt -w

tidy: ## write every go.mod and go.sum as go mod tidy does
	git ls-files -- go.mod '*/go.mod' | xargs -n1 dirname | xargs -n1 -I{} go -C {} mod tidy

bench: ## the short side by side with client-go (ARGS for flags)
	go run -C bench . -short $(ARGS)

lines: ## how many lines each room has, beside client-go's
	@go run -C interop ./lines
