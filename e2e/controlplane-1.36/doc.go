// Package controlplane holds no code: its go.mod pins the servers of Kubernetes
// 1.36, beside those of the newest version in e2e/controlplane. CI does not build
// them. The tests and commands of e2e use them by hand:
//
//	THINFORMER_CONTROLPLANE=controlplane-1.36 go run -C e2e ./up -build
//	THINFORMER_CONTROLPLANE=controlplane-1.36 go -C e2e test -count=1 ./informers
//
// The recorded answers in apitest/testdata are those of the newest version: tests
// that compare with them can fail here.
package controlplane
