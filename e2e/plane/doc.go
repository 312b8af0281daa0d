// Package plane builds and runs a real Kubernetes control plane on loopback:
// kube-apiserver, etcd and kubectl, at the versions that the module in e2e/controlplane
// pins. The environment variable THINFORMER_CONTROLPLANE selects the module in another
// folder beside it.
//
//	controlplane/go.mod ──► Build ──► cache directory: etcd, kube-apiserver, kubectl
//	                                        │
//	                                      Start ──► certificates, tokens, keys
//	                                        │       etcd (unix socket)
//	                                        ▼       kube-apiserver (https on loopback)
//	                                      Plane ──► URL, rest.Config, kubeconfig file
//
// # Usage
//
//	servers, err := plane.Start(ctx, plane.Options{})
//	if err != nil {
//		return err
//	}
//	defer servers.Close()
//	client, err := rest.New(servers.Config(plane.Admin))
//
// KillAPIServer ends the API server as a crash does, and RestartAPIServer starts it again
// with the contents of etcd.
//
// To run a plane by hand, use go run -C e2e ./up. It prints a kubeconfig and ends with
// Ctrl-C.
//
// # Rules
//
//   - The first Start on a machine builds for about ten minutes and reports this on
//     standard error. .ci/run has a step for it. Later starts take two or three
//     seconds. If several processes start at once, one builds and the others wait.
//   - The servers end with Close or with the process. If the process is killed, a
//     guard process kills both servers and removes their files. On Linux the kernel
//     kills the servers even if the guard is killed.
//   - All files of a plane, except the binaries, are in one temporary directory. Only
//     its user can read it. The credentials in it are useless after the end.
//   - Package plane needs Go, a POSIX shell, and Linux or macOS.
//
// # Differences from a cluster
//
// There are no controllers, no scheduler and no nodes. Garbage is not collected, deleted
// namespaces remain, deployments have no pods, and pods do not run. The admission plugin
// ServiceAccount is off: without controllers no namespace has a default account, and no
// pod could be created. The API server has no endpoints. etcd does not wait for the disk.
// Everything else has the defaults of kube-apiserver: admission, feature gates, watch
// cache, priority and fairness, and RBAC with its default roles.
package plane
