package apitest

import (
	"log/slog"
	"net/http"
	"time"
)

// Options configure a server. The zero value of each field is the default.
type Options struct {
	// PlainHTTP serves HTTP/1.1 without TLS, so that a test can look at the bytes. The
	// default is HTTPS, with HTTP/2 for clients that support it.
	PlainHTTP bool
	// InMemory uses no socket: connections are pipes, made by the Dial of
	// [Server.Config]. It works in a testing/synctest bubble, and implies PlainHTTP.
	InMemory bool
	// Address to listen on; "" is a free port of 127.0.0.1. An address without a
	// host listens on all addresses of the machine; the URL is then that of
	// 127.0.0.1, and the certificate is valid for all addresses.
	Address string

	// Tokens maps the valid bearer tokens to their users. If nil, every request is
	// made by an administrator. Otherwise, a request with another token is
	// rejected with 401, and one without a token is anonymous.
	Tokens map[string]User
	// Authorize authorizes each request. If nil, everything is allowed, except to
	// anonymous users if Tokens is set.
	Authorize func(Attributes) (allowed bool, reason string)
	// Warn returns the warnings to send with the response to a request.
	Warn func(Attributes) []string

	// Resources are served from the start, in addition to the built-in kinds.
	Resources []Resource
	// NoBuiltinKinds omits the built-in kinds and the initial namespaces.
	NoBuiltinKinds bool

	// Controllers runs the equivalent of the namespace controller and the garbage
	// collector, which are not part of a kube-apiserver. It empties namespaces
	// that are being deleted and removes them, deletes the dependents of deleted
	// owners, and implements the propagation policies.
	Controllers bool

	// BookmarkInterval is the interval of the bookmarks of a watch that requests
	// them; 0 is a minute, as in kube-apiserver.
	BookmarkInterval time.Duration
	// History is the number of changes of each resource that are kept for watches
	// and lists of past versions; 0 is 10,000, or fewer if their former states
	// exceed 128 MiB; negative is unlimited.
	History int
	// MaxRequestBytes bounds the body of a request; 0 is 3 MiB, as in
	// kube-apiserver.
	MaxRequestBytes int64
	// Seed makes uids, generated names and faults with a probability reproducible;
	// 0 is a random seed.
	Seed uint64

	// Logger logs errors of the server itself; nil is slog.Default().
	Logger *slog.Logger
}

// User is the user of a request.
type User struct {
	Name   string
	UID    string
	Groups []string
	Extra  map[string][]string
}

// Attributes describe a request, for [Options.Authorize] and the log. Path is
// set for every request, the other fields for requests of resources.
type Attributes struct {
	User User
	// Verb is get, list, watch, create, update, patch, delete or deletecollection;
	// for other paths, the method in lower case.
	Verb                                             string
	Group, Version, Resource, Subresource, Namespace string
	// Name is empty for verbs on collections.
	Name string
	// Path of the URL, without the query.
	Path string
	// Request is the HTTP request. Hooks must not read its body.
	Request *http.Request
}
