package stack

import (
	"context"
	"io"
	"net"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/listwatch"
)

// Dial opens a connection to the server.
type Dial = func(ctx context.Context) (net.Conn, error)

// Transport is the part of step 1. It sends a request on a connection of its own and
// returns the response. The body delivers the data as it arrives.
type Transport = http.RoundTripper

// Client is the part of step 2.
type Client interface {
	// Verb begins a request with an HTTP method, such as "GET".
	Verb(method string) Request
}

// Request is built by its methods, each of which returns it. It keeps the first error
// of a method, which Do and Stream return without sending anything.
type Request interface {
	Namespace(namespace string) Request
	Resource(resource string) Request
	Name(name string) Request
	// VersionedParams sets the query parameters of a list or of a watch. Nil sets none.
	VersionedParams(options *metav1.ListOptions) Request
	// Body sets the object to send, as JSON.
	Body(object any) Request
	// Do sends the request and reads the whole response.
	Do(ctx context.Context) Result
	// Stream sends the request and returns the body of a successful response. It
	// returns any other response as an error. The caller closes the body.
	Stream(ctx context.Context) (io.ReadCloser, error)
}

// Result is a complete response or an error.
type Result interface {
	// Into decodes the response, or returns the error of the request.
	Into(object any) error
}

// Event is an event of a watch, as in package rest of the library.
type Event = listwatch.Event[Object]

// Decoder is the part of step 3.
type Decoder interface {
	// Next reads the next event. It returns io.EOF at the end of the stream, and an
	// ERROR event as a *errors.StatusError.
	Next() (Event, error)
}

// NewDecoder is the function of step 3.
type NewDecoder = func(body io.Reader) Decoder
