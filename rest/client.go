package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/transport"
)

// Client sends requests to one API server, for all groups, versions and resources.
// It is safe for concurrent use.
//
// Its own verbs create requests that are not bound to a group, such as those to
// /version, /healthz and /apis, with [Request.AbsPath].
type Client struct {
	config      *Config
	conn        *transport.Connection
	limiter     RateLimiter    // nil: no limit
	warnings    WarningHandler // never nil
	fieldLosses sync.Map       // *resourceFieldLosses by resource and Go type
	// watchListSupport is shared by all views: see View.WatchListUnsupported.
	watchListSupport watchListSupport
	recovery         *Recovery
	definitions      *definitions
}

// New validates the config and returns a client. It sends nothing.
func New(config *Config) (*Client, error) {
	if config == nil {
		return nil, errors.New("create a client: the config is nil")
	}
	clone := config.Copy()
	limiter, err := newLimiter(clone)
	if err != nil {
		return nil, fmt.Errorf("create a client: %w", err)
	}
	conn, err := connect(clone)
	if err != nil {
		return nil, fmt.Errorf("create a client: %w", err)
	}
	warnings := clone.WarningHandler
	if warnings == nil {
		warnings = &warningLog{logger: clone.Logger}
	}
	c := &Client{config: clone, conn: conn, limiter: limiter, warnings: warnings}
	c.recovery = NewRecovery(c.Reconnect)
	c.definitions = &definitions{client: c}
	return c, nil
}

// connect validates a config and returns a connection for it.
func connect(config *Config) (*transport.Connection, error) {
	base, err := config.serverURL()
	if err != nil {
		return nil, err
	}
	if err := config.validate(); err != nil {
		return nil, err
	}
	return transport.New(config.transport(base))
}

// Close ends all requests and watches in progress, closes the connections and
// returns when no goroutine of the client is left.
func (c *Client) Close() { c.conn.Close() }

// GroupVersion returns the RESTClient of a group and version.
func (c *Client) GroupVersion(gv schema.GroupVersion) *RESTClient {
	return &RESTClient{client: c, version: gv}
}

// Clone returns a client for the same server and user that shares no connections
// with this one. A request that must not wait behind others, such as the renewal of
// a lease, needs a client of its own. Both clients must be closed.
//
// Transport, RateLimiter, Trace and the functions of the Config are shared.
func (c *Client) Clone() (*Client, error) { return New(c.config) }

// Reconnect makes later requests and watches use new connections. Those in progress
// continue, and their connections are closed when they end. Without Reconnect, a
// broken HTTP/2 connection is used for all requests until its pings detect the
// failure.
//
// It does nothing if Config.Transport is set.
func (c *Client) Reconnect() { c.conn.Reconnect() }

// RoundTripper returns an http.RoundTripper with the client's connections and
// credentials, for requests that a proxy forwards. It corresponds to
// rest.TransportFor of client-go.
//
// A request is sent to the path of its URL, below that of Config.Host. Its URL has
// no host or the host of this server, because the credentials are for this server
// only. A request without a body that gets a 401 is sent once more if there are
// newer credentials. There are no other retries, no rate limit, no decoding and no
// Timeout, and redirects are returned. gzip is requested and decompressed if the
// request has no Accept-Encoding. Existing Authorization and impersonation headers
// are preserved. An upgrade to another protocol is an error.
func (c *Client) RoundTripper() http.RoundTripper { return c.conn.RoundTripper() }

// Get returns a GET request.
func (c *Client) Get() *Request { return c.Verb(http.MethodGet) }

// Post returns a POST request, which creates.
func (c *Client) Post() *Request { return c.Verb(http.MethodPost) }

// Put returns a PUT request, which replaces.
func (c *Client) Put() *Request { return c.Verb(http.MethodPut) }

// Patch returns a PATCH request; patchType is the type of its body.
func (c *Client) Patch(patchType types.PatchType) *Request {
	return c.Verb(http.MethodPatch).patch(patchType)
}

// Delete returns a DELETE request.
func (c *Client) Delete() *Request { return c.Verb(http.MethodDelete) }

// Verb returns a request with an HTTP method, in upper case.
func (c *Client) Verb(method string) *Request { return newRequest(c, method) }

// nilClient replaces a nil Client, so that its user gets ErrNoClient instead of a
// panic. It sends nothing.
var nilClient = sync.OnceValue(func() *Client {
	conn, err := transport.New(&transport.Config{Base: &url.URL{Scheme: "http"}, Transport: http.DefaultTransport})
	if err != nil {
		panic(err) // the error of a file or a function, and this config has none
	}
	return &Client{config: &Config{}, conn: conn, warnings: &warningLog{}}
})
