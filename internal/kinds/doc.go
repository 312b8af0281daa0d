// Package kinds is what apitest knows of the built-in kinds, as tables, and how
// custom resources are described in the same words.
//
//	builtin.go ───► Resource: where a kind is served, its subresources, what
//	                selects it, what counts as a change
//
// What is not here are the resources that hold no objects: bindings,
// componentstatuses, the reviews, and the subresources of pods, nodes and
// services that connect to something or make something else: attach, binding,
// eviction, exec, log, portforward, proxy, token.
//
// The tables are held against the sources of k8s.io/api and against a real
// kube-apiserver in e2e/.
package kinds
