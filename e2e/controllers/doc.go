// Package controllers has only tests: the controllers of interop/controllers at
// a real kube-apiserver.
package controllers
