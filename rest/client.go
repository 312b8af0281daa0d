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
