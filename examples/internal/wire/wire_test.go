package wire_test

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/thinformer/thinformer/examples/internal/wire"
	"github.com/thinformer/thinformer/internal/tlstest"
	"github.com/thinformer/thinformer/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// observed is a connection that keeps what was last read.
type observed struct {
	net.Conn
	text *atomic.Value
}

func (c observed) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.text.Store(string(p[:n]))
	}
	return n, err
}

// secured returns a server that answers with the name in the client's certificate.
func secured(authority *tlstest.Authority) *httptest.Server {
	return authority.Serve(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello "+tlstest.CommonName(r)+" on "+r.Proto)
	}, tlstest.DiscardLog, func(srv *httptest.Server) { srv.TLS.ClientAuth = tls.RequireAndVerifyClientCert })
}

// get sends a request, and returns the body of the response and the observed bytes.
func get(t *testing.T, config *rest.Config, http2 bool) (body, seen string, err error) {
	t.Helper()
	var text atomic.Value
	text.Store("")
	opened, transport, err := wire.Open(config, http2, func(conn net.Conn) net.Conn { return observed{conn, &text} })
	if err != nil {
		return "", "", err
	}
	defer transport.CloseIdleConnections()
	require.Equal(t, strings.Replace(config.Host, "https:", "http:", 1), opened.Host)
	response, err := (&http.Client{Transport: opened.Transport}).Get(opened.Host)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return string(data), text.Load().(string), err
}

// The observed bytes are those below TLS. Certificates can be data or files.
func TestClientCertificates(t *testing.T) {
	authority := tlstest.NewAuthority(t, "authority")
	srv := secured(authority)
	cert, key := authority.Issue("me")
	data := rest.TLSConfig{CAData: authority.PEM, CertData: cert, KeyData: key}
	file := func(name string, content []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	files := rest.TLSConfig{CAFile: file("ca", authority.PEM), CertFile: file("cert", cert), KeyFile: file("key", key)}
	for _, settings := range []rest.TLSConfig{data, files} {
		body, seen, err := get(t, &rest.Config{Host: srv.URL, TLS: settings}, false)
		require.NoError(t, err)
		require.Equal(t, "hello me on HTTP/1.1", body)
		require.Contains(t, seen, body)

		body, _, err = get(t, &rest.Config{Host: srv.URL, TLS: settings}, true)
		require.NoError(t, err)
		require.Equal(t, "hello me on HTTP/2.0", body)
	}
}

// A server of another authority is refused, and so are settings that cannot work.
func TestRefusedSettings(t *testing.T) {
	authority := tlstest.NewAuthority(t, "authority")
	srv := secured(authority)
	cert, key := authority.Issue("me")
	_, other := authority.Issue("other")
	for want, config := range map[string]*rest.Config{
		"certificate signed by unknown authority": {Host: srv.URL, TLS: rest.TLSConfig{CAData: tlstest.NewAuthority(t, "authority").PEM, CertData: cert, KeyData: key}},
		"the certificate authority has no cert":   {Host: srv.URL, TLS: rest.TLSConfig{CAData: []byte("x")}},
		"read the client's certificate":           {Host: srv.URL, TLS: rest.TLSConfig{CAData: authority.PEM, CertData: cert, KeyData: other}},
		"no such file":                            {Host: srv.URL, TLS: rest.TLSConfig{CAFile: filepath.Join(t.TempDir(), "absent")}},
		"is not the URL of a server":              {Host: "server"},
	} {
		_, _, err := get(t, config, false)
		require.ErrorContains(t, err, want)
	}
}
