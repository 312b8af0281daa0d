// Package controllers has three typical controllers written for client-go, and for each a
// diff that switches it to this module:
//
//	workqueue    the example of the documentation: a clientset's RESTClient and a
//	             queue of keys; two imports change
//	factory      a generated informer factory and generated listers, for two kinds
//	             of which one owns the other
//	dynamic      a custom resource without Go types
//
// Each program also acts as its users and prints each step, so that a test can run both
// builds and compare the output: see package steps. [Build] builds all of them with both
// libraries.
//
// When a program changes so that its diff no longer applies, a test fails. Generate the
// diff again with git diff between the program and the switched program.
package controllers
