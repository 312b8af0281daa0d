package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// RoundTripper is the client's connections and credentials for requests that
// are not built here: those that a proxy passes on. It is what client-go makes
// with rest.TransportFor.
//
// A request goes to the path of its URL, below that of Config.Host. Its URL
// names no server, or this one: the credentials are for no other. Nothing is
// repeated, except that what the server refuses with 401 is tried once more if
// there are fresher credentials and no body; nothing is limited or decoded, there
// is no Timeout, and a redirect is an answer. gzip is asked for and undone where
// the request does not speak of encodings. An Authorization header
// that a request has is left as it is, and so is an impersonated user. An
// upgrade to another protocol is an error.
func (c *Client) RoundTripper() http.RoundTripper { return passing{c.conn} }

// passing is a RoundTripper over a connection.
type passing struct{ conn *connection }

// RoundTrip sends the request.
func (p passing) RoundTrip(request *http.Request) (*http.Response, error) {
	at, err := p.conn.at(request.URL)
	if err != nil {
		closeBody(request)
		return nil, err
	}
	passed := request.WithContext(request.Context())
	passed.URL, passed.Host = at, ""
	return p.conn.relay(passed, lasting(request.URL))
}

// at is where a URL leads that may leave the server out.
func (c *connection) at(u *url.URL) (*url.URL, error) {
	if u.Host != "" && !sameServer(u, c.base) {
		return nil, fmt.Errorf("send a request to %s: the credentials are for %s", plainURL(u), plainURL(c.base))
	}
	at := *c.base
	at.Path = c.base.Path + rooted(u.Path)
	at.RawPath = c.base.EscapedPath() + rooted(u.EscapedPath())
	at.RawQuery = u.RawQuery
	return &at, nil
}

func rooted(path string) string { return "/" + strings.TrimPrefix(path, "/") }

// lasting is whether a request is for an answer that may last for ever: a watch
// or a log that is followed. It must not hold up the others.
func lasting(u *url.URL) bool {
	if strings.Contains(u.Path, "/watch/") {
		return true
	}
	query := u.Query()
	for _, name := range []string{"watch", "follow"} {
		values := query[name]
		// It reads parameters as the server does, and cannot fail.
		var set bool
		if _ = runtime.Convert_Slice_string_To_bool(&values, &set, nil); set {
			return true
		}
	}
	return false
}
