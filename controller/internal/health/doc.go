// Package health implements the health endpoints of a program and describes why
// an informer is not ready.
//
//	checks ──► Endpoint ──► /healthz, /readyz
//
//	informer.State ──► NotReady            error of a check, with a hint
//	               ──► UndecodableError    error of an informer that lacks objects
//	               ──► UnsyncedAttrs       attributes of a log line
//	               ──► SyncReport          logs informers until they have synced
//
// The inputs are checks and the states of informers. The outputs are HTTP
// responses, errors and log lines. A hint says how to fix the failure, for readers
// that do not know this library.
//
// The upstream package is informer, which reports the states. Package controller
// adds the checks of the program and its controllers and serves the endpoints.
package health
