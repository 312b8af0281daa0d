package transport

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

const maxRedirects = 10

// send sends a request that has its credentials, and follows the redirects of a GET
// or HEAD to the same server. Any other redirect is an error: the credentials are
// for this server only, and a write that is repeated elsewhere is another write.
func (c *Connection) send(request *http.Request, long bool) (*http.Response, error) {
	for hops := 0; ; hops++ {
		response, err := c.sendOnce(request, long)
		if err != nil {
			return nil, err
		}
		target, err := redirection(request, response)
		if err == nil && target == nil {
			return response, nil
		}
		discard(response)
		if err != nil {
			return nil, err
		}
		if hops == maxRedirects {
			return nil, fmt.Errorf("the server redirects more than %d times, the last time to %s", maxRedirects, RedactURL(target))
		}
		request = request.Clone(request.Context())
		request.URL = target
	}
}

// sendOnce sends a request that has its credentials. It returns redirects.
func (c *Connection) sendOnce(request *http.Request, long bool) (*http.Response, error) {
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
		response.Body.Close() // not read: it is a raw connection that no context ends
		return nil, errors.New("the server switches protocols (101), which was not requested")
	}
	return response, nil
}

// redirection returns the target of a redirect that may be followed, nil if the
// response is no redirect.
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
	target, err := request.URL.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("the server redirects from %s to an invalid URL", RedactURL(request.URL))
	}
	reason := ""
	switch {
	case !sameServer(request.URL, target):
		reason = "it is another server, which the credentials are not for"
	case target.User != nil:
		reason = "it names another user"
	case request.Method != http.MethodGet && request.Method != http.MethodHead && request.Method != "" || hasBody(request):
		reason = "only a GET or HEAD without a body follows redirects"
	}
	if reason != "" {
		return nil, fmt.Errorf("the server redirects (%d) from %s to %s, which is not followed: %s",
			response.StatusCode, RedactURL(request.URL), RedactURL(target), reason)
	}
	return target, nil
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

// discard closes a response that is not used. It reads a short body, so that an
// HTTP/1.1 connection can be reused.
func discard(response *http.Response) {
	if response.ContentLength >= 0 && response.ContentLength <= 4<<10 {
		_, _ = io.CopyN(io.Discard, response.Body, response.ContentLength)
	}
	response.Body.Close()
}
