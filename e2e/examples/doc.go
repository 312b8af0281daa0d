// Package examples has only tests: the programs in examples/ at a real
// kube-apiserver.
package examples
