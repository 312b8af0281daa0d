package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// RoundTripper returns an http.RoundTripper that sends requests to the path of their
// URL below that of the server, and returns redirects.
func (c *Connection) RoundTripper() http.RoundTripper { return roundTripper{c} }

// roundTripper sends requests over a connection.
type roundTripper struct{ conn *Connection }

// RoundTrip sends the request.
func (t roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	resolved, err := t.conn.resolve(request.URL)
	if err != nil {
		closeBody(request)
		return nil, err
	}
	forwarded := request.WithContext(request.Context())
	forwarded.URL, forwarded.Host = resolved, ""
	return t.conn.doWithoutRedirects(forwarded, isLongRunning(request.URL))
}

// resolve returns the URL to send a request to; u may have no host.
func (c *Connection) resolve(u *url.URL) (*url.URL, error) {
	if u.Host != "" && !sameServer(u, c.base) {
		return nil, fmt.Errorf("send a request to %s: the credentials are for %s", RedactURL(u), RedactURL(c.base))
	}
	resolved := *c.base
	resolved.Path = c.base.Path + absolutePath(u.Path)
	resolved.RawPath = c.base.EscapedPath() + absolutePath(u.EscapedPath())
	resolved.RawQuery = u.RawQuery
	return &resolved, nil
}

func absolutePath(path string) string { return "/" + strings.TrimPrefix(path, "/") }

// isLongRunning reports whether the response to a request may be endless: a watch
// or a log that is followed. It must not delay other requests.
func isLongRunning(u *url.URL) bool {
	if strings.Contains(u.Path, "/watch/") {
		return true
	}
	query := u.Query()
	for _, name := range []string{"watch", "follow"} {
		values := query[name]
		// This parses the parameter as the server does, and does not fail.
		var set bool
		if _ = runtime.Convert_Slice_string_To_bool(&values, &set, nil); set {
			return true
		}
	}
	return false
}
