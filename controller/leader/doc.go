// Package leader elects one of several processes as the leader, by a Lease on the
// API server. It is compatible with client-go's leaderelection.
//
//	              ┌──────────── Elector.Run ────────────┐
//	 Lease        │ campaign: one goroutine             │
//	┌────────┐    │  ┌─────────┐ read, write, wait      │      ┌──────────────┐
//	│ holder │ ◄──┼─ │ machine │ ─► acquired ─► term ───┼────► │ lead(ctx)    │
//	│ renewed│    │  └─────────┘   ▲      renewed       │      │ controllers, │
//	└────────┘    │       ▲        └──── lost ◄─────────┼───── │ until ctx    │
//	              │       └ clock, responses            │      │ ends         │
//	              └─────────────────────────────────────┘      └──────────────┘
//
// The inputs are the responses of the server and the time. The output is a call of
// lead with a context that ends when this process no longer leads. Everything else
// continues: a candidate keeps its caches filled, and only has to start its workers
// when it becomes the leader.
//
// # Minimal example
//
//	elector := leader.New(client, leader.Options{Namespace: "shop", Name: "widget-operator"})
//	err := controller.Run(ctx, controller.RunOptions{Factory: factory, Leader: elector}, c)
//
// Or without controllers:
//
//	err := elector.Run(ctx, func(ctx context.Context) error {
//		... // until ctx is done
//	})
//
// In a pod the namespace defaults to that of the pod. The service account needs
// these rights and no others:
//
//	apiVersion: rbac.authorization.k8s.io/v1
//	kind: Role
//	metadata: {namespace: shop, name: widget-operator-leader}
//	rules:
//	- apiGroups: [coordination.k8s.io]
//	  resources: [leases]
//	  verbs: [create]
//	- apiGroups: [coordination.k8s.io]
//	  resources: [leases]
//	  resourceNames: [widget-operator]
//	  verbs: [get, update]
//
// # Guarantees
//
//   - Two processes never have an active context of lead at the same time, even with
//     network partitions, slow or lost responses, pauses, and wall clocks that are
//     wrong or changed. The times in a Lease are not compared with any clock. Each
//     process records when it observed a change, with its own monotonic clock.
//   - A leader that cannot renew stops leading RenewDeadline after it began to send
//     its last accepted renewal. lead then has LeaseDuration minus RenewDeadline to
//     return before another process may lead. If it does not, Run logs an error and
//     returns [ErrStillRunning], and [Elector.Check] fails until lead has returned.
//   - After a pause of the process or a suspension of the machine, Err of lead's
//     context reports the loss at once, before any timer has fired. Contexts derived
//     by context.WithCancel and the like, and Done, report it a moment later; after a
//     suspension, during which timers stop, up to RetryPeriod later.
//   - A request to stop is not a loss of the Lease: Run renews it until lead has
//     returned. [controller.Leading] of lead's context distinguishes the two.
//   - After lead has returned, the Lease is released, and another process acquires it
//     at its next read, within 1.2 times RetryPeriod. It is not released if something
//     that lead started is still running ([controller.ErrStillRunning]). If the leader
//     has died, other processes wait for LeaseDuration after they observed its last
//     renewal, or for the duration in the Lease if that is longer.
//   - A leader that has lost the Lease continues as a candidate and may lead again.
//   - Renewals use their own connections and no rate limit. They do not wait for other
//     requests of the program, unless its client has a Config.Transport, which is
//     shared. A request without a response leaves time for a second one, on a new
//     connection.
//   - The first write of lead does not wait for a dead connection: when lead begins,
//     and when a request of the election timed out, the client passed to [New] begins
//     new connections (rest.Client.Reconnect). Requests and watches in progress stay
//     on their connections.
//   - Updates keep labels, annotations, the fields of coordinated election and
//     everything else that others have written to the Lease.
//
// # Limits
//
// A write that was sent before the process observed the loss may arrive when
// another process leads; a pause between checking ctx and sending the request is
// enough. No election can prevent that. Only the server can, by rejecting outdated
// writes. In Kubernetes the resourceVersion does this: Update carries it, and a
// Patch may. An idempotent reconciler that writes with versions needs nothing
// else.
//
// Clocks must run at about the same speed: over LeaseDuration the difference must
// stay below LeaseDuration minus RenewDeadline.
//
// If a Lease is deleted, the leader creates it again at its next renewal, and the
// candidates wait as they do for a dead leader. But a process that has just started
// and finds no Lease does not know of a former leader: it leads at once,
// concurrently with the former leader for up to RenewDeadline. Delete a Lease only
// when all replicas are stopped.
//
// If the wall clock jumps forward by more than RenewDeadline, the leader loses its
// term, because a suspension of the machine cannot be detected otherwise. It leads
// again as soon as lead has returned.
//
// # Identities
//
// An identity names one run of one process. If a process finds the Lease held with
// its own identity and has not written that itself, another process uses the same
// identity, or the process was restarted with it. The process logs a warning and
// waits. client-go would lead at once, and two processes with the same identity
// would lead together.
//
// # Names in client-go
//
//	here                                 client-go
//	Elector, New, Options                LeaderElector, NewLeaderElector, LeaderElectionConfig with its LeaseLock
//	lead, and its return                 OnStartedLeading, OnStoppedLeading
//	OnNewLeader                          the same, in order and without overlaps
//	State                                IsLeader, GetLeader
//	Check                                Check, HealthzAdaptor
//	release, always                      ReleaseOnCancel, optional
//	a candidate again after a loss       Run returns, and the process exits
//
// The record, the defaults and the verbs are those of client-go, so that processes
// of both kinds can contend for one Lease with the same Role. leaseDurationSeconds
// is rounded up, never down.
package leader
