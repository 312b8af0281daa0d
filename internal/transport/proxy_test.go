package transport

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/tlstest"
)

func TestARequestGoesThroughAProxy(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Authorization"), " ", r.Header.Get("Proxy-Authorization"), " ", r.Proto)
	})
	var connects atomic.Int32
	var seen atomic.Value
	proxyServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.Header.Clone())
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != "Basic dTpQUk9YWQ==" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		connects.Add(1)
		tunnel(w, server.Listener.Addr().String())
	}))
	t.Cleanup(proxyServer.Close)
	through := func(userinfo string) func(*http.Request) (*url.URL, error) {
		return func(*http.Request) (*url.URL, error) {
			return url.Parse(strings.Replace(proxyServer.URL, "://", "://"+userinfo, 1))
		}
	}
	config := Config{Base: address("https://server:6443"), BearerToken: "TOKEN", TLS: TLSConfig{CAData: ca.PEM}, Proxy: through("u:PROXY@")}
	conn := connected(t, config)
	_, body := get(t, conn, "/")
	require.Equal(t, "Bearer TOKEN  HTTP/2.0", body)
	require.EqualValues(t, 1, connects.Load())
	require.NotContains(t, fmt.Sprint(seen.Load()), "TOKEN", "the proxy received a secret")
	conn.Close()

	config.Proxy = through("u:WRONG@")
	conn = connected(t, config)
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "Proxy Authentication Required")
	require.NotContains(t, err.Error(), "WRONG")

	config.Proxy = func(*http.Request) (*url.URL, error) {
		return nil, &url.Error{Op: "parse", URL: "http://u:WRONG@%zz", Err: url.EscapeError("%zz")}
	}
	conn = connected(t, config)
	_, err = conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "no proxy can be chosen")
	require.NotContains(t, err.Error(), "WRONG")

	proxyErr := errors.New("no proxy is known")
	config.Proxy = func(*http.Request) (*url.URL, error) { return nil, proxyErr }
	conn = connected(t, config)
	_, err = conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorIs(t, err, proxyErr)
	require.ErrorContains(t, err, "no proxy can be chosen: Config.Proxy: ")

	for _, wrong := range []string{"gopher://u:WRONG@proxy", "socks4://u:WRONG@proxy", "//proxy", "http://", "https://:3128", "socks5://:1080"} {
		config.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(wrong) }
		config.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("dialled") }
		conn = connected(t, config)
		_, err = conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
		require.ErrorIs(t, err, errProxyURL, wrong)
		require.NotContains(t, err.Error(), "WRONG")
	}
}

// An https proxy is another host than the server: it receives neither the client
// certificate nor the token, and is verified with its own name.
func TestAnHTTPSProxyReceivesNoCredentials(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	server := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, tlstest.CommonName(r), " ", r.Header.Get("Authorization"), " ", r.Proto)
	})
	var seen, connects atomic.Int32
	proxyServer := ca.Serve(func(w http.ResponseWriter, r *http.Request) {
		if tlstest.CommonName(r) != "" || r.Header.Get("Authorization") != "" || r.Header.Get("Proxy-Authorization") != "Basic dTpw" {
			seen.Add(1)
		}
		connects.Add(1)
		tunnel(w, server.Listener.Addr().String())
	}, tlstest.HTTP1, func(s *httptest.Server) { s.TLS = ca.ServerConfig("proxy") }, tlstest.DiscardLog)
	cert, key := ca.Issue("client")
	config := Config{
		Base: address("https://10.11.12.13:6443"), BearerToken: "t",
		TLS: TLSConfig{CAData: ca.PEM, CertData: cert, KeyData: key, ServerName: "server"},
		Proxy: func(*http.Request) (*url.URL, error) {
			return url.Parse(strings.Replace(proxyServer.URL, "://", "://u:p@", 1))
		},
	}
	conn := connected(t, config)
	_, body := get(t, conn, "/")
	require.Equal(t, "client Bearer t HTTP/2.0", body)
	require.EqualValues(t, 1, connects.Load())
	require.Zero(t, seen.Load())
	conn.Close()

	other := tlstest.NewAuthority(t, "other")
	config.TLS.CAData = other.PEM
	conn = connected(t, config)
	_, err := conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "proxyconnect")
	require.ErrorContains(t, err, "unknown authority")

	config.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("https://u:SECRET@pröxy") }
	conn = connected(t, config)
	_, err = conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorIs(t, err, errProxyName)
	config.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("socks5://u:SECRET@pröxy") }
	conn = connected(t, config)
	_, err = conn.Do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorIs(t, err, errProxyName)
}

func TestSystemAuthoritiesAreTrustedForAnHTTPSProxy(t *testing.T) {
	ca := tlstest.NewAuthority(t, "ca")
	files, err := loadTLSFiles(&TLSConfig{CAData: ca.PEM})
	require.NoError(t, err)
	want, err := x509.SystemCertPool()
	require.NoError(t, err)
	want.AddCert(ca.Certificate)
	require.True(t, want.Equal(files.proxyConfig().RootCAs))
	require.True(t, ca.Pool().Equal(files.tlsConfig(nil).RootCAs), "not for the server")
}

// tunnel is the response to a CONNECT.
func tunnel(w http.ResponseWriter, address string) {
	up, err := net.Dial("tcp", address)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusOK)
	down, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		up.Close()
		return
	}
	go func() {
		defer up.Close()
		io.Copy(up, buffered)
	}()
	go func() {
		defer down.Close()
		io.Copy(down, up)
	}()
}
