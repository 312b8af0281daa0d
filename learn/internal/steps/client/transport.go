package client

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// transport is a transport with scripted responses. It records the requests.
type transport struct {
	t        *judge.T
	respond  func() (*http.Response, error)
	requests []recorded
	// bodies are those of the responses.
	bodies []*responseBody
}

// recorded is a request that the transport has received.
type recorded struct {
	*http.Request
	content string
}

func (r *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	content := ""
	if request.Body != nil {
		read, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		request.Body.Close()
		content = string(read)
		if request.ContentLength != int64(len(content)) {
			r.t.Errorf("the ContentLength of the request is %d, and its body has %d bytes", request.ContentLength, len(content))
		}
	}
	r.requests = append(r.requests, recorded{request, content})
	response, err := r.respond()
	if err != nil {
		return nil, err
	}
	body := &responseBody{Reader: response.Body}
	r.bodies = append(r.bodies, body)
	response.Body, response.Request = body, request
	return response, nil
}

// sent sends a request whose response is a success, and returns what was received.
func (r *transport) sent(b builder) recorded {
	if err := b.into(nil); err != nil {
		r.t.Fatalf("the response is a success: Do and Into(nil) return %s, want none", judge.ShortError(err))
	}
	if len(r.requests) != 1 {
		r.t.Fatalf("%d requests were sent by one call of Do", len(r.requests))
	}
	return r.requests[0]
}

// responseBody records that it has been closed.
type responseBody struct {
	io.Reader
	closed bool
}

func (b *responseBody) Close() error { b.closed = true; return nil }

// responding returns a transport that responds to each request.
func responding(t *judge.T, code int, contentType, content string) *transport {
	return respondingWith(t, code, contentType, func() io.Reader { return bytes.NewReader([]byte(content)) })
}

func respondingWith(t *judge.T, code int, contentType string, content func() io.Reader) *transport {
	return &transport{t: t, respond: func() (*http.Response, error) {
		return &http.Response{
			Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), StatusCode: code, Proto: "HTTP/1.1",
			Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(content()), ContentLength: -1,
		}, nil
	}}
}

// failing returns a transport that sends nothing.
func failing(t *judge.T, err error) *transport {
	return &transport{t: t, respond: func() (*http.Response, error) { return nil, err }}
}

const jsonType = "application/json"

// object is the response to most requests.
const object = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","resourceVersion":"7"},"data":{"color":"blue"}}`

// newClient returns the client of the solution for the server at http://server.
func newClient(t *judge.T, parts stack.Parts, transport stack.Transport) stack.Client {
	client := parts.NewClient(&url.URL{Scheme: "http", Host: "server"}, transport)
	if client == nil {
		t.Fatalf("NewClient returns nil")
	}
	return client
}

// builder calls the methods of a request, and fails if one returns nil.
type builder struct {
	t *judge.T
	stack.Request
}

func verb(t *judge.T, client stack.Client, method string) builder {
	return builder{t: t}.after("Verb", client.Verb(method))
}

func (b builder) after(method string, request stack.Request) builder {
	if request == nil {
		b.t.Fatalf("%s returns nil instead of the request", method)
	}
	return builder{b.t, request}
}

func (b builder) namespace(namespace string) builder {
	return b.after("Namespace", b.Namespace(namespace))
}

func (b builder) resource(resource string) builder { return b.after("Resource", b.Resource(resource)) }

func (b builder) name(name string) builder { return b.after("Name", b.Name(name)) }

func (b builder) body(object any) builder { return b.after("Body", b.Body(object)) }

// into sends the request and decodes the response.
func (b builder) into(object any) (err error) {
	b.t.Unblocked("Do", func() {
		result := b.Do(b.t.Context())
		if result == nil {
			b.t.Fatalf("Do returns nil instead of a Result")
		}
		err = result.Into(object)
	})
	return err
}

// stream sends the request and returns the body of the response.
func (b builder) stream() (body io.ReadCloser, err error) {
	b.t.Unblocked("Stream", func() { body, err = b.Stream(b.t.Context()) })
	if err == nil && body == nil {
		b.t.Fatalf("Stream returns neither a body nor an error")
	}
	return body, err
}

// getWeb is a request that reads the object "web".
func getWeb(t *judge.T, parts stack.Parts, transport stack.Transport) builder {
	return verb(t, newClient(t, parts, transport), "GET").namespace("shop").resource("configmaps").name("web")
}
