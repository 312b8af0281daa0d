// Package controllers has three controllers as their authors would write them
// against client-go, and for each the diff by which it switches to this module:
//
//	workqueue    the documentation's example: a clientset's RESTClient, a queue
//	             of keys; two imports change
//	factory      a generated informer factory and generated listers, two kinds
//	             of which one owns the other
//	dynamic      a custom resource without Go types
//
// Each plays its users as well and prints what it did, step by step, so that the
// test can run both builds and hold one text against the other: see package
// story. [Build] makes both of all three.
//
// When a program changes, its diff no longer applies, and the test says so: the
// diff is then to be made anew, by git diff between the program and what it
// becomes.
package controllers
