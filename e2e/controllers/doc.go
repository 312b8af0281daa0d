// Package controllers has only tests: they run the controllers of
// interop/controllers with a real kube-apiserver.
package controllers
