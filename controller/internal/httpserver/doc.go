// Package httpserver serves the endpoints of a program so that slow or idle
// clients cannot block its health probes.
//
//	listener ──► write timeout ──► http.Server ──► body timeout ──► handler
//	                                    │
//	                               connections (limit)
//
// The inputs are a listener and a handler. The output is an http.Server with three
// limits: the number of open connections, the time for receiving a request body, and
// the time for reading a response. None of them limits how long a handler runs.
//
// It imports no other package of this module. Package controller adds the handlers.
package httpserver
