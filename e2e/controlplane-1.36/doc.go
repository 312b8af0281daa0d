// Package controlplane has no code. Its go.mod pins the servers of Kubernetes 1.36, the
// minor version before that of e2e/controlplane. CI does not test them. The tests and
// commands of e2e use them if an environment variable names this folder:
//
//	THINFORMER_CONTROLPLANE=controlplane-1.36 go run -C e2e ./up -build
//	THINFORMER_CONTROLPLANE=controlplane-1.36 go -C e2e test -count=1 ./informers
//
// Tests that compare with the responses in apitest/testdata may fail, since these are
// recorded from the newest version.
package controlplane
