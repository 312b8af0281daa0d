package rest

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Client is one server: every group and version, every resource. It is for use
// by any number of goroutines.
//
// Its own verbs make requests that are bound to no group: to /version, to
// /healthz, to /apis, with [Request.AbsPath].
type Client struct {
	config   *Config
	conn     *connection
	limiter  RateLimiter    // nil: requests are not held back
	warnings WarningHandler // never nil
	losses   sync.Map       // *losses by resource and Go type
	// watchLists is shared by all views: see View.WatchListTrouble.
	watchLists watchLists
}

// New checks the config and makes a client. Nothing is sent yet.
func New(config *Config) (*Client, error) {
	if config == nil {
		return nil, errors.New("make a client: the config is nil")
	}
	own := config.Copy()
	limiter, err := limiterOf(own)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	conn, err := newConnection(own)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	warnings := own.WarningHandler
	if warnings == nil {
		warnings = &warningLog{logger: own.Logger}
	}
	return &Client{config: own, conn: conn, limiter: limiter, warnings: warnings}, nil
}

// Close ends every request and watch that is under way, closes the connections
// and returns when nothing is left running.
func (c *Client) Close() { c.conn.close() }

// GroupVersion is the RESTClient of one group and version.
func (c *Client) GroupVersion(gv schema.GroupVersion) *RESTClient {
	return &RESTClient{client: c, version: gv}
}

// Clone is a client of the same server, for the same user, that shares no
// connections with this one: what must not wait behind the others' requests, such
// as the renewal of a lease, has a client of its own. Both are to be closed.
//
// Transport, RateLimiter, Trace and the functions of the Config are the same.
func (c *Client) Clone() (*Client, error) { return New(c.config) }

// Reconnect sends requests and watches on new connections from now on. Those that
// are under way stay where they are, and their connections end with them. A
// connection of HTTP/2 on which an answer does not come is otherwise used for
// all other requests, until its pings have found out that it is dead.
//
// A Config.Transport is its owner's: where there is one, nothing happens.
func (c *Client) Reconnect() {
	if c.conn.transports != nil {
		c.conn.transports.renew()
	}
}

// Get begins a request that reads.
func (c *Client) Get() *Request { return c.Verb(http.MethodGet) }

// Post begins a request that creates.
func (c *Client) Post() *Request { return c.Verb(http.MethodPost) }

// Put begins a request that replaces.
func (c *Client) Put() *Request { return c.Verb(http.MethodPut) }

// Patch begins a request that changes a part, in the form that the body has.
func (c *Client) Patch(form types.PatchType) *Request { return c.Verb(http.MethodPatch).patch(form) }

// Delete begins a request that deletes.
func (c *Client) Delete() *Request { return c.Verb(http.MethodDelete) }

// Verb begins a request with an HTTP method, in upper case.
func (c *Client) Verb(method string) *Request { return newRequest(c, method) }
