package main

import (
	"maps"

	"github.com/thinformer/thinformer/bench/apiserver"
	"github.com/thinformer/thinformer/bench/decode"
	"github.com/thinformer/thinformer/bench/fifo"
	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/list"
	"github.com/thinformer/thinformer/bench/memory"
	"github.com/thinformer/thinformer/bench/namespaces"
	"github.com/thinformer/thinformer/bench/pods"
	"github.com/thinformer/thinformer/bench/process"
	"github.com/thinformer/thinformer/bench/queue"
	"github.com/thinformer/thinformer/bench/reads"
	"github.com/thinformer/thinformer/bench/reconcile"
	"github.com/thinformer/thinformer/bench/recovery"
	"github.com/thinformer/thinformer/bench/server"
	"github.com/thinformer/thinformer/bench/size"
	"github.com/thinformer/thinformer/bench/stack"
	"github.com/thinformer/thinformer/bench/store"
)

// allCases returns the cases of all packages, in the order of the data flow.
func allCases() (cases []harness.Case) {
	cases = append(cases, decode.Cases()...)
	cases = append(cases, list.Cases()...)
	cases = append(cases, fifo.Cases()...)
	cases = append(cases, store.Cases()...)
	cases = append(cases, memory.Cases()...)
	cases = append(cases, stack.Cases()...)
	cases = append(cases, queue.Cases()...)
	cases = append(cases, reconcile.Cases()...)
	cases = append(cases, reads.Cases()...)
	cases = append(cases, namespaces.Cases()...)
	cases = append(cases, size.Cases()...)
	cases = append(cases, size.MigrationCases()...)
	cases = append(cases, server.Cases()...)
	cases = append(cases, store.LayerCases()...)
	cases = append(cases, fifo.LayerCases()...)
	cases = append(cases, memory.LayerCases()...)
	cases = append(cases, stack.LayerCases()...)
	cases = append(cases, recovery.Cases()...)
	return cases
}

// allRoles returns the roles of the child processes of these cases.
func allRoles() map[string]process.Role {
	roles := map[string]process.Role{}
	for _, some := range []map[string]process.Role{apiserver.Roles(), pods.Roles(), list.Roles(), reads.Roles(), namespaces.Roles(), stack.Roles(), size.Roles()} {
		maps.Copy(roles, some)
	}
	return roles
}
