package listwatch

import "github.com/thinformer/thinformer/rest"

// A ListerWatcher may have further methods. Reflectors and informers look for the
// interfaces below, for [Checker], [Recoverable], [VersionOrderer] and
// [WatchListRecorder]. A [rest.View] implements all of them except VersionOrderer. Host,
// Identity and ScopedNamespace are not called if a type may have them from an embedded
// View, since it may serve more than the View.

// ResourceDescriber is implemented by a source that knows its resource. Names, logs and
// errors contain it.
type ResourceDescriber interface {
	// ResourceInfo returns the resource, or the zero value if it is unknown.
	ResourceInfo() rest.ResourceInfo
}

// NamespaceScoped is implemented by a source that may be restricted to one namespace.
type NamespaceScoped interface {
	// ScopedNamespace returns the namespace, or "" if the source serves all of them or
	// the namespace is unknown.
	ScopedNamespace() string
}

// Hosted is implemented by a source that knows the address of its server. A controller
// waits for a write in the informers of the server that it was sent to.
type Hosted interface {
	// Host returns the address in the form of [rest.View.Host].
	Host() string
}

// Identified is implemented by a source with an identity. The informers of a factory are
// shared if their sources have equal identities. A source without one is its own.
type Identified interface {
	// Identity returns a comparable value.
	Identity() any
}

// The errors of a source may have further methods. Reflectors look for the interfaces
// below in an error and in the errors that it wraps.

// UndecodableError is implemented by an error of a response that cannot be decoded.
type UndecodableError interface {
	error
	// Undecodable reports whether the response cannot be decoded.
	Undecodable() bool
}

// NotSentError is implemented by an error of a request that may not have been sent. Such
// an error says nothing about the availability of the server.
type NotSentError interface {
	error
	// NotSent reports whether the request was not sent.
	NotSent() bool
}

// NoResponseError is implemented by an error of a request that may have no response.
type NoResponseError interface {
	error
	// NoResponse reports whether there is no response, so that the server has not
	// rejected the request.
	NoResponse() bool
}
