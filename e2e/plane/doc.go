// Package plane builds and runs a real Kubernetes control plane on loopback:
// kube-apiserver and etcd, and kubectl to talk to them, at the versions that
// the module in e2e/controlplane pins.
//
//	controlplane/go.mod ──► Build ──► cache directory: etcd, kube-apiserver, kubectl
//	                                        │
//	                                      Start ──► certificates, tokens, keys
//	                                        │       etcd (unix socket)
//	                                        ▼       kube-apiserver (https on loopback)
//	                                      Plane ──► URL, rest.Config, kubeconfig file
//
// # The shortest use
//
//	servers, err := plane.Start(ctx, plane.Options{})
//	if err != nil {
//		return err
//	}
//	defer servers.Close()
//	client, err := rest.New(servers.Config(plane.Admin))
//
// KillAPIServer takes the API server away as a crash would, and RestartAPIServer
// has it back with all that etcd holds.
//
// By hand: go run -C e2e ./up, which prints a kubeconfig and ends with Ctrl-C.
//
// # Rules
//
//   - The first Start on a machine builds for about ten minutes and says so on
//     standard error; .ci/run has a step for it. Later ones take two seconds or
//     three. Several processes may ask at once: one builds, the others wait.
//   - What Start has started ends with Close, or with the process, however that
//     ends: a guard outside of it sees its end, kills both servers and removes
//     their files. On Linux the kernel kills them too, should the guard be gone.
//   - Everything that a plane writes is in one temporary directory, but for the
//     binaries. It is readable by its user only; the credentials in it are worth
//     nothing afterwards.
//   - It needs Go, a POSIX shell, and Linux or macOS.
//
// # How it differs from a cluster
//
// There are no controllers, no scheduler and no nodes: nothing collects garbage,
// ends namespaces, makes pods for a deployment, or runs them. The admission plugin
// ServiceAccount is off, as without controllers no namespace has the account that
// it asks for, and no pod could be created. No endpoints are kept for the API
// server itself. etcd does not wait for the disk. All else is as kube-apiserver
// has it when nobody says otherwise: admission, feature gates, watch cache,
// priority and fairness, RBAC with its usual roles.
package plane
