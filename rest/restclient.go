package rest

import (
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// RESTClient creates requests below the path of one group and version: /api/v1,
// /apis/apps/v1. It is cheap to create and need not be closed: connections, limiter
// and settings are the Client's.
type RESTClient struct {
	client  *Client
	version schema.GroupVersion
}

// Client returns the client that sends the requests.
func (c *RESTClient) Client() *Client {
	if c == nil {
		return nil
	}
	return c.client
}

// APIVersion returns the group and version of this client.
func (c *RESTClient) APIVersion() schema.GroupVersion {
	if c == nil {
		return schema.GroupVersion{}
	}
	return c.version
}

// GetRateLimiter returns the rate limiter of the client; nil is no limit.
func (c *RESTClient) GetRateLimiter() RateLimiter { return c.client.limiter }

// Get returns a GET request.
func (c *RESTClient) Get() *Request { return c.Verb(http.MethodGet) }

// Post returns a POST request, which creates.
func (c *RESTClient) Post() *Request { return c.Verb(http.MethodPost) }

// Put returns a PUT request, which replaces.
func (c *RESTClient) Put() *Request { return c.Verb(http.MethodPut) }

// Patch returns a PATCH request; patchType is the type of its body.
func (c *RESTClient) Patch(patchType types.PatchType) *Request {
	return c.Verb(http.MethodPatch).patch(patchType)
}

// Delete returns a DELETE request.
func (c *RESTClient) Delete() *Request { return c.Verb(http.MethodDelete) }

// Verb returns a request with an HTTP method, in upper case.
func (c *RESTClient) Verb(method string) *Request {
	return newRequest(c.Client(), method).bindGroupVersion(c.APIVersion())
}
