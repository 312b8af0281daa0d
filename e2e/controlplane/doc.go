// Package controlplane holds no code: its go.mod pins the real Kubernetes
// servers and client that the tests of the module around it run.
//
//	go build -C e2e/controlplane -o DIR k8s.io/kubernetes/cmd/kube-apiserver
//
// makes one of them; go run -C e2e ./up -build makes all of them, kube-apiserver,
// etcd and kubectl, and puts them into the user's cache directory.
//
// It is a module of its own because k8s.io/kubernetes works with exactly one
// version of each module that is released with it, and those replaced here
// are not the ones that the tests use.
//
// To move to another version: k8s.io/kubernetes and every replace together
// (v1.N.P goes with v0.N.P), then go mod tidy. The recorded answers of the
// servers may change with it. The folder controlplane-1.36 has the version before,
// which is run by hand.
package controlplane
