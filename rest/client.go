package rest

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Client is one server: every group and version, every resource. It is for use
// by any number of goroutines.
type Client struct {
	config *Config
	conn   *connection
}

// New checks the config and makes a client. Nothing is sent yet.
func New(config *Config) (*Client, error) {
	own := *config
	conn, err := newConnection(&own)
	if err != nil {
		return nil, err
	}
	return &Client{config: &own, conn: conn}, nil
}

// Close ends every request and watch that is under way, closes the connections
// and returns when nothing is left running.
func (c *Client) Close() { c.conn.close() }

// GroupVersion is the RESTClient of one group and version.
func (c *Client) GroupVersion(gv schema.GroupVersion) *RESTClient {
	return &RESTClient{client: c, version: gv}
}

// RESTClient makes requests below the path of one group and version:
// /api/v1, /apis/apps/v1.
type RESTClient struct {
	client  *Client
	version schema.GroupVersion
}

// Client is the server that the requests go to.
func (c *RESTClient) Client() *Client { return c.client }

// APIVersion is the group and version that this client is bound to.
func (c *RESTClient) APIVersion() schema.GroupVersion { return c.version }
