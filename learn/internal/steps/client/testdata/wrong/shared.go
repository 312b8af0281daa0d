// want: requests are independent: each has its own fields

package client

import (
	"net/url"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func NewClient(base *url.URL, transport stack.Transport) stack.Client {
	c := &sharing{}
	c.request = request{client: client{base, transport}}
	return c
}

type sharing struct{ request request }

func (c *sharing) Verb(method string) stack.Request {
	c.request = request{client: c.request.client, method: method}
	return &c.request
}
