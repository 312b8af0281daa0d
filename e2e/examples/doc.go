// Package examples has only tests. They run the programs in examples/ with a real
// kube-apiserver.
package examples
