package controller

import "github.com/thinformer/thinformer/rest"

// gate keeps a key from being reconciled before the informers of the controller
// have seen what its last reconcile wrote.
type gate struct{ run *run }

func newGate(r *run) *gate { return &gate{run: r} }

// holds reports whether the key that a worker has got must wait. Then the worker
// puts it aside, and the gate queues it again when it may go on.
func (*gate) holds(Request) bool { return false }

// wrote is told of each write that the server has accepted, on the goroutine
// that has made it: while the reconcile runs, or afterwards.
func (*gate) wrote(*reconciling, rest.Written) {}

// settle is told that a reconcile has returned, before its key can come to
// another worker.
func (*gate) settle(*reconciling) {}

// stop is told that no worker is left.
func (*gate) stop() {}
