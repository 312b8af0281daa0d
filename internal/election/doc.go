// Package election decides which of the informers of one client probe a server
// that does not respond, and when the others resume.
//
// Whether a server can be reached is a property of the client. One member probes
// about twice a second; the others wait. After a response they resume, spread over
// up to half a second.
//
//	         Begin ──► attempting ──Answered──► (answered ──Proved──►) idle
//	           ▲           │
//	Held? no   │         Failed
//	idle ──────┘           ▼
//	           ◄─Grant── waiting ◄── Held? yes
//
// A failure has a scope. A missing response header is a failure of the server. A
// 429 or 5xx is a failure of the API group: other processes may serve the other
// groups. A response that breaks off after its header is a failure of the server,
// too. A header alone does not end that failure: a response must prove good, by its
// content or by lasting half a second.
//
// An [Election] has no clock, goroutine or lock: times are arguments, and a function
// passed to New returns random numbers. Equal calls have equal results. Each call
// may change what is due, so the caller calls Decide after each, and again at the
// time that Decide returns.
package election
