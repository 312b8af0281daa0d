// Package election decides which of the informers of one client probe a server
// that does not respond, and when the others resume.
//
// Whether a server can be reached is a property of the client. One member probes
// about twice a second; the others wait. After a response they resume, spread over
// up to half a second.
//
//	idle ──RequestSent──► attempting ──ResponseReceived──► answered ──ContentReceived──► idle
//	 │                        │                            (or idle)
//	 │ ServerUnavailable      │ RequestFailed
//	 │                        ▼
//	 └──────────────Wait──► waiting ──Grant──► idle
//
// Before each request a member calls ServerUnavailable, and waits if it reports
// true. A member is answered only if a response header does not prove that the
// server works.
//
// A failure has a scope. A missing response header is a failure of the server. A
// 429 or 5xx is a failure of the API group: other processes may serve the other
// groups. A response that breaks off after its header is a failure of the server,
// too. That failure ends when a response delivers content or lasts half a second,
// not when a header arrives.
//
// An [Election] has no clock, goroutine or lock: times are arguments, and a function
// passed to New returns random numbers. Equal calls have equal results. Each call
// may change what is due, so the caller calls Decide after each, and again at the
// time that Decide returns.
package election
