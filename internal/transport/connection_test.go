package transport

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/tlstest"
)

// connected returns a connection whose timing the test may change.
func connected(t testing.TB, config Config, change ...func(*timeouts)) *Connection {
	t.Helper()
	timing := defaultTimeouts
	for _, c := range change {
		c(&timing)
	}
	c, err := connect(&config, timing)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// address returns the URL of a server.
func address(server string) *url.URL {
	base, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	return base
}

// write replaces a file atomically, as programs that renew credentials do.
func write(t testing.TB, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", content, 0o600))
	require.NoError(t, os.Rename(path+".new", path))
}

// newRequestFor returns a request to a path below the server's address.
func newRequestFor(t testing.TB, c *Connection, method, path string, body string) *http.Request {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, c.base.String()+path, reader)
	require.NoError(t, err)
	return request
}

// get sends a short GET and reads the response.
func get(t testing.TB, c *Connection, path string) (status int, body string) {
	t.Helper()
	response, err := c.Do(newRequestFor(t, c, http.MethodGet, path, ""), false)
	require.NoError(t, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(read)
}

// watch sends a long request and reads the first line of the response.
func watchLine(t testing.TB, c *Connection, path string) (first string, body io.ReadCloser) {
	t.Helper()
	response, err := c.Do(newRequestFor(t, c, http.MethodGet, path, ""), true)
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

// serveUntilHangUp writes a line and keeps the response open until the client hangs up.
func serveUntilHangUp(w http.ResponseWriter, r *http.Request, first string) {
	fmt.Fprintln(w, first)
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func TestRequestsCarryCredentialsAndUserAgent(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		set    http.Header
		want   http.Header
	}{
		"token":          {Config{BearerToken: "t"}, nil, http.Header{"Authorization": {"Bearer t"}}},
		"basic":          {Config{Username: "u", Password: "p:w"}, nil, http.Header{"Authorization": {"Basic dTpwOnc="}}},
		"no credentials": {Config{}, nil, http.Header{"Authorization": nil}},
		"user agent":     {Config{UserAgent: "me/1"}, nil, http.Header{"User-Agent": {"me/1"}}},
		"credentials of the request take precedence": {Config{BearerToken: "t"}, http.Header{"Authorization": {"Bearer own"}},
			http.Header{"Authorization": {"Bearer own"}}},
		"the user agent of the request takes precedence": {Config{UserAgent: "me/1"}, http.Header{"User-Agent": {"own"}}, http.Header{"User-Agent": {"own"}}},
		"impersonation": {
			Config{Impersonate: ImpersonationConfig{UserName: "jane", UID: "7", Groups: []string{"a", "b"}, Extra: map[string][]string{
				"example.org/sc%pe": {"x", "y"}, "ü": {"z"},
			}}}, nil,
			http.Header{
				"Impersonate-User": {"jane"}, "Impersonate-Uid": {"7"}, "Impersonate-Group": {"a", "b"},
				"Impersonate-Extra-Example.org%2fsc%25pe": {"x", "y"}, "Impersonate-Extra-%c3%bc": {"z"},
			},
		},
		"impersonation of the request takes precedence": {
			Config{Impersonate: ImpersonationConfig{UserName: "jane", Groups: []string{"a"}}}, http.Header{"Impersonate-User": {"own"}},
			http.Header{"Impersonate-User": {"own"}, "Impersonate-Group": nil},
		},
		"one impersonation header of the request replaces all of the config": {
			Config{Impersonate: ImpersonationConfig{UserName: "jane", UID: "7"}}, http.Header{"Impersonate-Group": {"own"}},
			http.Header{"Impersonate-User": nil, "Impersonate-Uid": nil, "Impersonate-Group": {"own"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got http.Header
			c.config.Base = address("https://server")
			c.config.Transport = roundTripperFunc(func(r *http.Request) (*http.Response, error) {
				got = r.Header
				return answerOf(200, ""), nil
			})
			conn := connected(t, c.config)
			request := newRequestFor(t, conn, http.MethodGet, "/", "")
			for key, values := range c.set {
				request.Header[key] = values
			}
			before := request.Header.Clone()
			response, err := conn.Do(request, false)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			for key, values := range c.want {
				require.Equal(t, values, got[key], "%s in %v", key, got)
			}
			require.Equal(t, before, request.Header, "the caller's request was changed")
			require.Same(t, request, response.Request, "the response contains credentials")
		})
	}
}

// roundTripperFunc is a function that implements http.RoundTripper.
type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answerOf(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
}

func TestTheServerCertificateIsVerified(t *testing.T) {
	trusted, untrusted := tlstest.NewAuthority(t, "trusted"), tlstest.NewAuthority(t, "untrusted")
	server := trusted.Serve(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }, tlstest.DiscardLog)
	for name, c := range map[string]struct {
		tls TLSConfig
		why string
	}{
		"authority by data":  {TLSConfig{CAData: trusted.PEM}, ""},
		"server name":        {TLSConfig{CAData: trusted.PEM, ServerName: "server"}, ""},
		"wrong name":         {TLSConfig{CAData: trusted.PEM, ServerName: "other"}, "valid for server, not other"},
		"another authority":  {TLSConfig{CAData: untrusted.PEM}, "unknown authority"},
		"system authorities": {TLSConfig{}, "unknown authority"},
		"insecure":           {TLSConfig{Insecure: true}, ""},
	} {
		conn := connected(t, Config{Base: address(server.URL), TLS: c.tls})
		response, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		if c.why != "" {
			require.ErrorContains(t, err, c.why, name)
			continue
		}
		require.NoError(t, err, name)
		require.NoError(t, response.Body.Close())
	}
}

func TestHTTP2IsUsedIfTheServerSupportsIt(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	proto := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }
	both, old := ca.Serve(proto), ca.Serve(proto, tlstest.HTTP1)
	plain := httptest.NewServer(http.HandlerFunc(proto))
	t.Cleanup(plain.Close)
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"both":                     {Config{Base: address(both.URL), TLS: TLSConfig{CAData: ca.PEM}}, "HTTP/2.0"},
		"disabled":                 {Config{Base: address(both.URL), TLS: TLSConfig{CAData: ca.PEM}, DisableHTTP2: true}, "HTTP/1.1"},
		"not offered":              {Config{Base: address(both.URL), TLS: TLSConfig{CAData: ca.PEM, NextProtos: []string{"http/1.1"}}}, "HTTP/1.1"},
		"a server without HTTP/2":  {Config{Base: address(old.URL), TLS: TLSConfig{CAData: ca.PEM}}, "HTTP/1.1"},
		"with a dial hook":         {Config{Base: address(both.URL), TLS: TLSConfig{CAData: ca.PEM}, Dial: new(net.Dialer).DialContext}, "HTTP/2.0"},
		"without TLS":              {Config{Base: address(plain.URL)}, "HTTP/1.1"},
		"disabled, without HTTP/2": {Config{Base: address(old.URL), TLS: TLSConfig{CAData: ca.PEM}, DisableHTTP2: true}, "HTTP/1.1"},
	} {
		_, got := get(t, connected(t, c.config), "/")
		require.Equal(t, c.want, got, name)
	}
}

func TestWrapTransportReceivesShortAndLongRequestsWithCredentials(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	server := ca.Serve(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.Header.Get("Hook")) })
	var wraps int
	conn := connected(t, Config{
		Base: address(server.URL), BearerToken: "t", TLS: TLSConfig{CAData: ca.PEM},
		WrapTransport: func(inner http.RoundTripper) http.RoundTripper {
			wraps++
			return roundTripperFunc(func(r *http.Request) (*http.Response, error) {
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

func TestACustomTransportMustKeepItsContract(t *testing.T) {
	nothing := roundTripperFunc(func(*http.Request) (*http.Response, error) { return nil, nil })
	conn := connected(t, Config{Base: address("http://server"), Transport: nothing})
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "neither a response nor an error")

	bodiless := roundTripperFunc(func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 200}, nil })
	conn = connected(t, Config{Base: address("http://server"), Transport: bodiless})
	_, body := get(t, conn, "/")
	require.Empty(t, body)
}

func TestGzipIsAcceptedByDefault(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Accept-Encoding"))
	}))
	t.Cleanup(server.Close)
	_, asked := get(t, connected(t, Config{Base: address(server.URL)}), "/")
	require.Equal(t, "gzip", asked)
	_, asked = get(t, connected(t, Config{Base: address(server.URL), DisableCompression: true}), "/")
	require.Empty(t, asked)
}

func TestResponseHeadersAreBounded(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": tlstest.HTTP1, "HTTP/2": func(*httptest.Server) {}} {
		server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Long", string(bytes.Repeat([]byte("x"), 2*maxHeaderBytes)))
		}, change, tlstest.DiscardLog)
		conn := connected(t, Config{Base: address(server.URL), TLS: TLSConfig{CAData: ca.PEM}})
		_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		require.Error(t, err, name)
		conn.Close()
	}
}

// A handshake with a server that accepts and never responds times out.
func TestTheHandshakeHasATimeout(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	conn := connected(t, Config{Base: address("https://" + listener.Addr().String())}, func(t *timeouts) { t.handshake = 20 * time.Millisecond })
	_, err = conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "TLS handshake timeout")
}

func TestTLS12IsTheMinimumVersion(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	server := ca.Serve(func(http.ResponseWriter, *http.Request) {}, tlstest.DiscardLog, func(s *httptest.Server) {
		s.TLS.MinVersion, s.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	})
	conn := connected(t, Config{Base: address(server.URL), TLS: TLSConfig{CAData: ca.PEM}})
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "protocol version")
}

func TestAPlainHTTPServerIsNamedInTheError(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	conn := connected(t, Config{Base: address("https://" + server.Listener.Addr().String())})
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "perhaps Config.Host should begin with http://")
}
