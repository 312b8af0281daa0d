package rest

import (
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// RESTClient makes requests below the path of one group and version:
// /api/v1, /apis/apps/v1. It costs nothing to make one, and there is nothing
// to close: connections, limiter and settings are the Client's.
type RESTClient struct {
	client  *Client
	version schema.GroupVersion
}

// Client is the server that the requests go to.
func (c *RESTClient) Client() *Client { return c.client }

// APIVersion is the group and version that this client is bound to.
func (c *RESTClient) APIVersion() schema.GroupVersion { return c.version }

// GetRateLimiter is what holds the client's requests back; nil when nothing
// does.
func (c *RESTClient) GetRateLimiter() RateLimiter { return c.client.limiter }

// Get begins a request that reads.
func (c *RESTClient) Get() *Request { return c.Verb(http.MethodGet) }

// Post begins a request that creates.
func (c *RESTClient) Post() *Request { return c.Verb(http.MethodPost) }

// Put begins a request that replaces.
func (c *RESTClient) Put() *Request { return c.Verb(http.MethodPut) }

// Patch begins a request that changes a part, in the form that the body has.
func (c *RESTClient) Patch(form types.PatchType) *Request {
	return c.Verb(http.MethodPatch).patch(form)
}

// Delete begins a request that deletes.
func (c *RESTClient) Delete() *Request { return c.Verb(http.MethodDelete) }

// Verb begins a request with an HTTP method, in upper case.
func (c *RESTClient) Verb(method string) *Request {
	return newRequest(c.client, method).bind(c.version)
}
