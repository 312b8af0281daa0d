// Package controlplane has no code. Its go.mod pins the versions of kube-apiserver, etcd
// and kubectl that the tests of e2e run. This command builds them in the user's cache
// directory:
//
//	go run -C e2e ./up -build
//
// It is a separate module because k8s.io/kubernetes requires exactly one version of each
// module of its release, and the tests use others.
//
// docs/maintaining.md describes how to move to another version. The previous minor
// version is in e2e/controlplane-1.36. CI does not test it.
package controlplane
