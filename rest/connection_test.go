package rest

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// connected is a connection with a timing that tests may change.
func connected(t testing.TB, config Config, change ...func(*timing)) *connection {
	t.Helper()
	timing := usualTiming
	for _, c := range change {
		c(&timing)
	}
	c, err := connect(config.Copy(), timing)
	require.NoError(t, err)
	t.Cleanup(c.close)
	return c
}

func newRequestFor(t testing.TB, c *connection, method, path string, body string) *http.Request {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, c.base.String()+path, reader)
	require.NoError(t, err)
	return request
}

// get sends a short GET and reads the answer.
func get(t testing.TB, c *connection, path string) (status int, body string) {
	t.Helper()
	response, err := c.do(newRequestFor(t, c, http.MethodGet, path, ""), false)
	require.NoError(t, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(read)
}

// watch opens a long request and reads the first line of its answer.
func watchLine(t testing.TB, c *connection, path string) (first string, body io.ReadCloser) {
	t.Helper()
	response, err := c.do(newRequestFor(t, c, http.MethodGet, path, ""), true)
	require.NoError(t, err)
	t.Cleanup(func() { response.Body.Close() })
	return line(t, response.Body), response.Body
}

func line(t testing.TB, from io.Reader) string {
	t.Helper()
	var read []byte
	for b := make([]byte, 1); ; {
		_, err := io.ReadFull(from, b)
		require.NoError(t, err)
		if b[0] == '\n' {
			return string(read)
		}
		read = append(read, b[0])
	}
}

// keepTalking answers with a line and goes on until the client leaves.
func keepTalking(w http.ResponseWriter, r *http.Request, first string) {
	fmt.Fprintln(w, first)
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func TestARequestGoesOutWithWhoIsAsking(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		set    http.Header
		want   http.Header
	}{
		"token":      {Config{BearerToken: "t"}, nil, http.Header{"Authorization": {"Bearer t"}}},
		"basic":      {Config{Username: "u", Password: "p:w"}, nil, http.Header{"Authorization": {"Basic dTpwOnc="}}},
		"nobody":     {Config{}, nil, http.Header{"Authorization": nil}},
		"user agent": {Config{UserAgent: "me/1"}, nil, http.Header{"User-Agent": {"me/1"}}},
		"the request's own credentials win": {Config{BearerToken: "t"}, http.Header{"Authorization": {"Bearer own"}},
			http.Header{"Authorization": {"Bearer own"}}},
		"the request's own user agent wins": {Config{UserAgent: "me/1"}, http.Header{"User-Agent": {"own"}}, http.Header{"User-Agent": {"own"}}},
		"impersonation": {
			Config{Impersonate: ImpersonationConfig{UserName: "jane", UID: "7", Groups: []string{"a", "b"}, Extra: map[string][]string{
				"example.org/sc%pe": {"x", "y"}, "ü": {"z"},
			}}}, nil,
			http.Header{
				"Impersonate-User": {"jane"}, "Impersonate-Uid": {"7"}, "Impersonate-Group": {"a", "b"},
				"Impersonate-Extra-Example.org%2fsc%25pe": {"x", "y"}, "Impersonate-Extra-%c3%bc": {"z"},
			},
		},
		"the request's own impersonation wins": {
			Config{Impersonate: ImpersonationConfig{UserName: "jane", Groups: []string{"a"}}}, http.Header{"Impersonate-User": {"own"}},
			http.Header{"Impersonate-User": {"own"}, "Impersonate-Group": nil},
		},
		"any of the request's own impersonation takes the place of all": {
			Config{Impersonate: ImpersonationConfig{UserName: "jane", UID: "7"}}, http.Header{"Impersonate-Group": {"own"}},
			http.Header{"Impersonate-User": nil, "Impersonate-Uid": nil, "Impersonate-Group": {"own"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got http.Header
			c.config.Host = "https://server"
			c.config.Transport = transport(func(r *http.Request) (*http.Response, error) {
				got = r.Header
				return answerOf(200, ""), nil
			})
			conn := connected(t, c.config)
			request := newRequestFor(t, conn, http.MethodGet, "/", "")
			for key, values := range c.set {
				request.Header[key] = values
			}
			before := request.Header.Clone()
			response, err := conn.do(request, false)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			for key, values := range c.want {
				require.Equal(t, values, got[key], "%s in %v", key, got)
			}
			require.Equal(t, before, request.Header, "the caller's request was changed")
			require.Same(t, request, response.Request, "credentials came back with the response")
		})
	}
}

// transport is a RoundTripper made of a function.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answerOf(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
}

func TestTheServerIsVerified(t *testing.T) {
	ours, theirs := newAuthority(t, "ours"), newAuthority(t, "theirs")
	server := ours.serve(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }, quiet)
	for name, c := range map[string]struct {
		tls TLSConfig
		why string
	}{
		"by data":           {TLSConfig{CAData: ours.pem}, ""},
		"by its name":       {TLSConfig{CAData: ours.pem, ServerName: "server"}, ""},
		"wrong name":        {TLSConfig{CAData: ours.pem, ServerName: "other"}, "valid for server, not other"},
		"another authority": {TLSConfig{CAData: theirs.pem}, "unknown authority"},
		"the system's":      {TLSConfig{}, "unknown authority"},
		"not at all":        {TLSConfig{Insecure: true}, ""},
	} {
		conn := connected(t, Config{Host: server.URL, TLS: c.tls})
		response, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		if c.why != "" {
			require.ErrorContains(t, err, c.why, name)
			continue
		}
		require.NoError(t, err, name)
		require.NoError(t, response.Body.Close())
	}
}

// quiet keeps a server's complaints about handshakes out of the test's output.
func quiet(server *httptest.Server) { server.Config.ErrorLog = log.New(io.Discard, "", 0) }

func TestHTTP2IsSpokenWhereItCanBe(t *testing.T) {
	ca := newAuthority(t, "ca")
	proto := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }
	both, old := ca.serve(proto), ca.serve(proto, http1)
	plain := httptest.NewServer(http.HandlerFunc(proto))
	t.Cleanup(plain.Close)
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"both":                  {Config{Host: both.URL, TLS: TLSConfig{CAData: ca.pem}}, "HTTP/2.0"},
		"disabled":              {Config{Host: both.URL, TLS: TLSConfig{CAData: ca.pem}, DisableHTTP2: true}, "HTTP/1.1"},
		"not offered":           {Config{Host: both.URL, TLS: TLSConfig{CAData: ca.pem, NextProtos: []string{"http/1.1"}}}, "HTTP/1.1"},
		"a server without":      {Config{Host: old.URL, TLS: TLSConfig{CAData: ca.pem}}, "HTTP/1.1"},
		"with a dial hook":      {Config{Host: both.URL, TLS: TLSConfig{CAData: ca.pem}, Dial: new(net.Dialer).DialContext}, "HTTP/2.0"},
		"without TLS":           {Config{Host: plain.URL}, "HTTP/1.1"},
		"disabled without need": {Config{Host: old.URL, TLS: TLSConfig{CAData: ca.pem}, DisableHTTP2: true}, "HTTP/1.1"},
	} {
		_, got := get(t, connected(t, c.config), "/")
		require.Equal(t, c.want, got, name)
	}
}

func TestTheTransportHookSeesBothKindsOfRequestsWithTheirCredentials(t *testing.T) {
	ca := newAuthority(t, "ca")
	server := ca.serve(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.Header.Get("Hook")) })
	var wraps int
	conn := connected(t, Config{
		Host: server.URL, BearerToken: "t", TLS: TLSConfig{CAData: ca.pem},
		WrapTransport: func(inner http.RoundTripper) http.RoundTripper {
			wraps++
			return transport(func(r *http.Request) (*http.Response, error) {
				r = r.Clone(r.Context())
				r.Header.Set("Hook", r.Header.Get("Authorization"))
				return inner.RoundTrip(r)
			})
		},
	})
	_, body := get(t, conn, "/")
	require.Equal(t, "Bearer t\n", body)
	first, _ := watchLine(t, conn, "/")
	require.Equal(t, "Bearer t", first)
	require.Equal(t, 2, wraps)
}

func TestATransportOfTheCallersIsHeldToItsWord(t *testing.T) {
	nothing := transport(func(*http.Request) (*http.Response, error) { return nil, nil })
	conn := connected(t, Config{Host: "http://server", Transport: nothing})
	_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "neither a response nor an error")

	bodiless := transport(func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 200}, nil })
	conn = connected(t, Config{Host: "http://server", Transport: bodiless})
	_, body := get(t, conn, "/")
	require.Empty(t, body)
}

func TestTheAnswerIsGzippedUnlessToldOtherwise(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Accept-Encoding"))
	}))
	t.Cleanup(server.Close)
	_, asked := get(t, connected(t, Config{Host: server.URL}), "/")
	require.Equal(t, "gzip", asked)
	_, asked = get(t, connected(t, Config{Host: server.URL, DisableCompression: true}), "/")
	require.Empty(t, asked)
}

func TestHeadersOfAnAnswerAreBounded(t *testing.T) {
	ca := newAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": http1, "HTTP/2": func(*httptest.Server) {}} {
		server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Long", string(bytes.Repeat([]byte("x"), 2*maxHeaderBytes)))
		}, change, quiet)
		conn := connected(t, Config{Host: server.URL, TLS: TLSConfig{CAData: ca.pem}})
		_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		require.Error(t, err, name)
		conn.close()
	}
}

// A handshake with a server that has accepted and says nothing has an end.
func TestAHandshakeIsBounded(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	conn := connected(t, Config{Host: "https://" + listener.Addr().String()}, func(t *timing) { t.handshake = 20 * time.Millisecond })
	_, err = conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "TLS handshake timeout")
}

func TestNothingOlderThanTLS12IsSpoken(t *testing.T) {
	ca := newAuthority(t, "ca")
	server := ca.serve(func(http.ResponseWriter, *http.Request) {}, quiet, func(s *httptest.Server) {
		s.TLS.MinVersion, s.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	})
	conn := connected(t, Config{Host: server.URL, TLS: TLSConfig{CAData: ca.pem}})
	_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "protocol version")
}

func TestAServerThatSpeaksPlainHTTPIsSaidToDoSo(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	conn := connected(t, Config{Host: "https://" + server.Listener.Addr().String()})
	_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "perhaps Config.Host should begin with http://")
}
