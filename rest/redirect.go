package rest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

const maxRedirects = 10

// send sends a request that has its credentials, and follows redirects as far
// as they can be trusted: those of a GET or HEAD, to the same server. Anything
// else is an error, for two reasons: the credentials are meant for this server
// and no other, and a write that is repeated elsewhere is another write.
func (c *connection) send(request *http.Request, long bool) (*http.Response, error) {
	for hops := 0; ; hops++ {
		response, err := c.sendOnce(request, long)
		if err != nil {
			return nil, err
		}
		to, err := redirection(request, response)
		if err == nil && to == nil {
			return response, nil
		}
		drop(response)
		if err != nil {
			return nil, err
		}
		if hops == maxRedirects {
			return nil, fmt.Errorf("the server redirects more than %d times, the last time to %s", maxRedirects, plainURL(to))
		}
		request = request.Clone(request.Context())
		request.URL = to
	}
}

// sendOnce sends a request that has its credentials. A redirect is an answer.
func (c *connection) sendOnce(request *http.Request, long bool) (*http.Response, error) {
	transport := c.short
	if long {
		transport = c.long
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response == nil {
		return nil, errors.New("the transport returned neither a response nor an error")
	}
	if response.Body == nil {
		response.Body = http.NoBody
	}
	if response.StatusCode == http.StatusSwitchingProtocols {
		response.Body.Close() // unread: it is a bare connection that no context ends
		return nil, errors.New("the server switches protocols (101), which nobody asked for")
	}
	return response, nil
}

// redirection is where a response sends a request; nil is nowhere.
func redirection(request *http.Request, response *http.Response) (*url.URL, error) {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	location := response.Header.Get("Location")
	if location == "" {
		return nil, nil
	}
	to, err := request.URL.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("the server redirects from %s to a place that is no URL", plainURL(request.URL))
	}
	refused := ""
	switch {
	case !sameServer(request.URL, to):
		refused = "that is another server, which the credentials are not for"
	case to.User != nil:
		refused = "that names another user"
	case request.Method != http.MethodGet && request.Method != http.MethodHead && request.Method != "" || hasBody(request):
		refused = "only a GET without a body is sent again"
	}
	if refused != "" {
		return nil, fmt.Errorf("the server redirects (%d) from %s to %s, which is not followed: %s",
			response.StatusCode, plainURL(request.URL), plainURL(to), refused)
	}
	return to, nil
}

func sameServer(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// drop lets go of a response that nobody reads. A short body is read, so that
// an HTTP/1.1 connection can be used again.
func drop(response *http.Response) {
	if response.ContentLength >= 0 && response.ContentLength <= 4<<10 {
		_, _ = io.CopyN(io.Discard, response.Body, response.ContentLength)
	}
	response.Body.Close()
}
