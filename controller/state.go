package controller

// State is what a controller is doing and how it fares: for health endpoints,
// debug pages and tests. It is a copy.
type State struct {
	Name    string
	Running bool
	// Synced: everything that was there at the beginning is in the queue, or has
	// been reconciled.
	Synced bool
	// Queued is how many keys wait for a worker, Working how many are with one.
	Queued, Working int
	// Reconciles counts the calls that have returned; Errors those of them that
	// returned an error, Panics those that panicked.
	Reconciles, Errors, Panics uint64
}
