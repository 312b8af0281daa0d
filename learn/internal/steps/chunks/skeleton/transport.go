// Package chunks is your step 1: HTTP/1.1 on a connection.
package chunks

import (
	"errors"
	"net/http"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// NewTransport returns a transport that calls dial for each request and writes the
// request to the connection. RoundTrip returns when the head of the response has
// arrived; the body decodes the chunks and delivers their data as it arrives. Closing
// the body, and the end of the request's context, close the connection.
func NewTransport(dial stack.Dial) stack.Transport { return transport{dial} }

type transport struct{ dial stack.Dial }

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	return nil, errors.New("step 1: RoundTrip is not written yet")
}
