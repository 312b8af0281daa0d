// Package leader elects the one of several processes that acts, by a Lease on
// the API server, as client-go's leaderelection does and together with it.
//
//	              ┌──────────── Elector.Run ────────────┐
//	 Lease        │ candidacy: one goroutine            │
//	┌────────┐    │  ┌─────────┐ read, write, wait      │      ┌──────────────┐
//	│ holder │ ◄──┼─ │ machine │ ─────► won ► term ─────┼────► │ lead(ctx)    │
//	│ renewed│    │  └─────────┘   ▲      renewed       │      │ controllers, │
//	└────────┘    │       ▲        └──── lost ◄─────────┼───── │ until ctx    │
//	              │       └ clock, answers              │      │ ends         │
//	              └─────────────────────────────────────┘      └──────────────┘
//
// What comes in are the answers of the server and the time. What goes out is a
// call of lead with a context that ends when this process no longer leads. All
// else goes on: a candidate has its caches full, and when it has won has only to
// start its workers.
//
// # The shortest use
//
//	elector := leader.New(client, leader.Options{Namespace: "shop", Name: "widget-operator"})
//	err := controller.Run(ctx, controller.RunOptions{Factory: factory, Leader: elector}, c)
//
// Or without controllers:
//
//	err := elector.Run(ctx, func(ctx context.Context) error {
//		... // as long as ctx lives
//	})
//
// In a pod the namespace is that of the pod and need not be said. This is what
// the service account may have to do, and no more:
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
// # What is promised
//
//   - Two processes never have a context of lead that is good at the same time:
//     under partitions, slow and lost answers, pauses, and wall clocks that are
//     wrong or set. The times in a Lease are compared with no clock; what counts
//     is when a change was seen, on the own monotonic clock.
//   - A leader that cannot renew ends RenewDeadline after it began to send its
//     last renewal that was accepted. lead then has LeaseDuration minus
//     RenewDeadline to return before another may lead. If it does not, Run logs
//     that and returns [ErrStillActing], and [Elector.Check] fails until lead has
//     returned.
//   - Err of lead's context, asked after a pause of the process or a suspension
//     of the machine, tells of the loss at once, though no timer has run. Contexts
//     that are made of it by context.WithCancel and the like learn of it a moment
//     later, as their Done does; after a suspension, in which no timer runs, up to
//     RetryPeriod later.
//   - Being told to stop is not the loss of the Lease: it is renewed until lead
//     has returned. [controller.Leading] of lead's context tells the two apart.
//   - After that the Lease is given back, and another process takes it at its
//     next look, within RetryPeriod and a fifth. If lead has left something behind
//     that acts still ([controller.ErrStillRunning]), it is not. One that has died is waited for,
//     LeaseDuration after its last renewal was seen; one that says a longer
//     duration in the Lease, for that.
//   - Who has lost goes on as a candidate, and may lead again.
//   - Renewals have connections of their own, and no rate limit: they wait behind
//     nothing that the program does, unless it has given its client a
//     Config.Transport, which all share. A request that is not answered leaves time
//     for another one, which goes on a new connection.
//   - What others have put into the Lease, labels, annotations, the fields of
//     coordinated election, stays.
//
// # What cannot be had
//
// A write that was sent before the process learnt that it no longer leads may
// arrive later, when another one leads; a pause between a look at ctx and the
// request behind it is enough. No election can prevent that: only the server
// that is written to can, by refusing what is older. In Kubernetes that is the
// resourceVersion, which Update carries and a Patch may. A reconcile that can be
// repeated, and that writes with versions, needs no more.
//
// Clocks have to run at about the same speed: over LeaseDuration the difference
// must stay below LeaseDuration minus RenewDeadline.
//
// A Lease that is deleted while somebody leads is made again by the leader at
// its next renewal, and the candidates wait for that as they do for a dead
// leader. But a process that has just been started, and finds no Lease, has
// nothing to wait for: it leads, up to RenewDeadline beside the former leader.
// Delete a Lease only when all replicas are down.
//
// A jump of the wall clock forward by more than RenewDeadline costs a leader its
// term, because nothing else tells a machine that was suspended; it leads again
// as soon as lead has returned.
//
// # Who is who
//
// An identity names one run of one process. If a process finds the Lease held by
// its own identity, and has not written that itself, then another process has
// the same one, or it was started again under it; it is warned of, and waits.
// client-go would lead at once, and two of the same name would lead together.
//
// # What client-go calls these things
//
//	here                                 client-go
//	Elector, New, Options                LeaderElector, NewLeaderElector, LeaderElectionConfig with its LeaseLock
//	lead, and its return                 OnStartedLeading, OnStoppedLeading
//	OnNewLeader                          the same, in order and without overlaps
//	State                                IsLeader, GetLeader
//	Check                                Check, HealthzAdaptor
//	giving back, always                  ReleaseOnCancel, if it is set
//	a candidate again after a loss       Run returns, and the process exits
//
// The record, the defaults and the verbs are client-go's, so that processes with
// either can contend for one Lease and work with the same Role. What is written
// as leaseDurationSeconds is rounded up, never down.
package leader
