// Package controllers has four typical controllers written for client-go, and for each the
// patch of thinformer-migrate that switches it to this module:
//
//	workqueue    the example of the documentation: a clientset's RESTClient and a
//	             queue of keys
//	factory      two generated informer factories for two namespaces, one of them with a
//	             function of its own for an informer, and generated listers
//	custom       a factory that k8s.io/code-generator has generated for kinds of its own
//	dynamic      a dynamic factory for the kinds that discovery returns, without Go types
//
// Each program also acts as its users and prints each step, so that a test can run both
// builds and compare the output: see package steps. [Build] builds all of them with both
// libraries.
//
// When a program or the tool changes so that a committed patch is not the tool's, a test
// fails. Write the patches again with
//
//	go test ./controllers -rewrite
package controllers
