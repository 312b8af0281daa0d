package stack

import (
	"context"
	"io"
	"net"
	"net/http"

	"github.com/thinformer/thinformer/listwatch"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Dial opens a connection to the server.
type Dial = func(ctx context.Context) (net.Conn, error)

// Transport is the part of step 1. It sends each request on a connection of its own. The
// body of the response delivers the data as it arrives.
type Transport = http.RoundTripper

// Client is the part of step 2.
type Client interface {
	// Verb begins a request with an HTTP method, such as "GET".
	Verb(method string) Request
}

// Request is built by its methods, each of which returns it. Do and Stream return the
// first error of a method without sending anything.
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
	// Stream sends the request and returns the body of a successful response, which the
	// caller closes. Any other response is an error.
	Stream(ctx context.Context) (io.ReadCloser, error)
}

// Result is a complete response or an error.
type Result interface {
	// Into decodes the response unless object is nil, or returns the error.
	Into(object any) error
}

// Event is an event of a watch: a type of the library.
type Event = listwatch.Event[Object]

// Decoder is the part of step 3.
type Decoder interface {
	// Next returns io.EOF at the end, and an ERROR event as a *errors.StatusError.
	Next() (Event, error)
}

// NewDecoder is the function of step 3.
type NewDecoder = func(body io.Reader) Decoder

// ConfigMap is the kind of all objects in the course.
type ConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Data              map[string]string `json:"data,omitempty"`
}

// Object is the type of all objects. It is not modified once it has been passed on.
type Object = *ConfigMap

// Key returns the key of an object: its namespace and its name, "shop/api".
func Key(object Object) string { return object.Namespace + "/" + object.Name }
