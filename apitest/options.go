package apitest

import (
	"log/slog"
	"net/http"
	"time"
)

// Options say what a server is like. The zero value of each field is the
// default.
type Options struct {
	// Plain serves HTTP/1.1 without TLS, so that the bytes can be looked at.
	// Otherwise it is HTTPS, with HTTP/2 for those who offer it.
	Plain bool
	// InMemory listens on no socket: connections are pipes, which the Dial of
	// [Server.Config] makes. It is what works in a testing/synctest bubble, and
	// implies Plain.
	InMemory bool
	// Address to listen on; "" is a free port of 127.0.0.1. One without a host
	// is all addresses of the machine; the URL is then that of 127.0.0.1, and
	// the certificate is good for all of them.
	Address string

	// Tokens are the bearer tokens that are known, with whom they stand for.
	// nil lets everybody in, as an administrator; otherwise a request with
	// another token is answered 401, and one without a token is anonymous.
	Tokens map[string]User
	// Authorize is asked about each request; nil allows everything to everybody
	// but the anonymous where there are Tokens.
	Authorize func(Attributes) (allowed bool, reason string)
	// Warn returns the warnings that go out with the answer to a request.
	Warn func(Attributes) []string

	// Resources are served from the start, besides those of the table.
	Resources []Resource
	// Bare leaves the table of the built-in kinds and the first namespaces out.
	Bare bool

	// Controllers does what a cluster's namespace controller and garbage
	// collector do, which do not run beside a kube-apiserver that is alone: it
	// empties namespaces that are deleted and lets them go, deletes the
	// dependents of owners that are gone, and honours the propagation policies.
	Controllers bool

	// BookmarkEvery is how often a watch that asked for bookmarks gets one; 0
	// is a minute, as elsewhere.
	BookmarkEvery time.Duration
	// History is how many changes of each resource are remembered, for watches
	// and lists of the past; 0 is 10,000, or those whose former states take
	// 128 MiB where that is fewer; negative is all of them.
	History int
	// MaxRequestBytes bounds the body of a request; 0 is 3 MiB, as elsewhere.
	MaxRequestBytes int64
	// Seed makes uids, generated names and the faults with a probability
	// repeat; 0 takes one at random.
	Seed uint64

	// Logger is told about what goes wrong in the server itself; nil is
	// slog.Default().
	Logger *slog.Logger
}

// User is who a request is made by.
type User struct {
	Name   string
	UID    string
	Groups []string
	Extra  map[string][]string
}

// Attributes are what a request wants, for [Options.Authorize] and the log.
// Path is set for every request, the other fields for those of resources.
type Attributes struct {
	User User
	// Verb is get, list, watch, create, update, patch, delete,
	// deletecollection; for other paths the method in small letters.
	Verb                                             string
	Group, Version, Resource, Subresource, Namespace string
	// Name is empty for verbs on collections.
	Name string
	// Path of the URL, without the query.
	Path string
	// Request as it came. Its body is not to be read.
	Request *http.Request
}
