package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// Watches hold a connection each, or a stream each, for as long as they last.
func TestWatchesDoNotStarveOtherRequests(t *testing.T) {
	ca := newAuthority(t, "ca")
	const watches = 30
	for name, change := range map[string]func(*httptest.Server){
		"HTTP/1.1": http1,
		"HTTP/2, few streams": func(s *httptest.Server) {
			s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 4}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			remotes := map[string]map[string]bool{"long": {}, "short": {}}
			note := func(kind, remote string) {
				mu.Lock()
				defer mu.Unlock()
				remotes[kind][remote] = true
			}
			server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/watch" {
					note("long", r.RemoteAddr)
					keepTalking(w, r, "on")
					return
				}
				note("short", r.RemoteAddr)
			}, change)
			conn := connected(t, Config{Host: server.URL, TLS: TLSConfig{CAData: ca.pem}})
			for range watches {
				first, _ := watchLine(t, conn, "/watch")
				require.Equal(t, "on", first)
			}
			for range 3 {
				status, _ := get(t, conn, "/")
				require.Equal(t, http.StatusOK, status)
			}
			mu.Lock()
			defer mu.Unlock()
			for remote := range remotes["short"] {
				require.False(t, remotes["long"][remote], "a short request went over a connection of watches")
			}
			require.Len(t, remotes["short"], 1, "short requests use their connection again")
			conn.close() // before the server, which waits for its handlers
		})
	}
}

// A peer that is gone without a word, such as behind a NAT that has forgotten
// the connection, is found by a ping that nobody answers.
func TestADeadHTTP2ConnectionIsFound(t *testing.T) {
	ca := newAuthority(t, "ca")
	server := ca.serve(func(w http.ResponseWriter, r *http.Request) { keepTalking(w, r, "on") })
	var silent atomic.Bool
	conn := connected(t, Config{
		Host: server.URL, TLS: TLSConfig{CAData: ca.pem},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			return &silenced{conn, &silent}, err
		},
	}, func(t *timing) { t.ping, t.pong = 20*time.Millisecond, 20*time.Millisecond })
	_, body := watchLine(t, conn, "/watch")
	silent.Store(true)
	_, err := body.Read(make([]byte, 1))
	require.ErrorContains(t, err, "client connection lost")
	silent.Store(false)
	_, _ = watchLine(t, conn, "/watch") // on another connection
	conn.close()
}

// silenced is a connection whose written bytes get lost on the way.
type silenced struct {
	net.Conn
	on *atomic.Bool
}

func (s *silenced) Write(p []byte) (int, error) {
	if s.on.Load() {
		return len(p), nil
	}
	return s.Conn.Write(p)
}

func TestCloseEndsEverythingAndReturnsWhenNothingIsLeft(t *testing.T) {
	ca := newAuthority(t, "ca")
	for name, change := range map[string]func(*httptest.Server){"HTTP/1.1": http1, "HTTP/2": func(*httptest.Server) {}} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{}, 1)
			server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/watch" {
					keepTalking(w, r, "on")
					return
				}
				arrived <- struct{}{}
				<-r.Context().Done()
			}, change)
			dialling := make(chan struct{})
			var open, dials atomic.Int32
			conn := connected(t, Config{
				Host: server.URL, TLS: TLSConfig{CAData: ca.pem},
				Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
					if dials.Add(1) == 3 {
						close(dialling)
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return countingDial(&open)(ctx, network, address)
				},
			})
			_, body := watchLine(t, conn, "/watch")
			failed := make(chan error)
			waiting := func(long bool) {
				response, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), long)
				if err == nil {
					response.Body.Close()
				}
				failed <- err
			}
			go waiting(false) // the second connection
			<-arrived
			pending := 1
			if name == "HTTP/1.1" {
				go waiting(false) // the third, which is never made
				<-dialling
				pending++
			}
			conn.close()
			require.Zero(t, open.Load(), "connections are open")
			for range pending {
				require.ErrorIs(t, <-failed, ErrClosed)
			}
			_, err := body.Read(make([]byte, 1))
			require.ErrorIs(t, err, ErrClosed)
			_, err = conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
			require.ErrorIs(t, err, ErrClosed)
			conn.close() // again does nothing
		})
	}
}

// countingDial counts the connections that are open.
func countingDial(open *atomic.Int32) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		open.Add(1)
		return &counted{Conn: conn, open: open}, nil
	}
}

// counted is a connection that is counted while it is open.
type counted struct {
	net.Conn
	open *atomic.Int32
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

func TestTheCallersContextEndsARequestAndItsBody(t *testing.T) {
	ca := newAuthority(t, "ca")
	arrived := make(chan struct{})
	server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/watch" {
			keepTalking(w, r, "on")
			return
		}
		close(arrived)
		<-r.Context().Done()
	})
	conn := connected(t, Config{Host: server.URL, TLS: TLSConfig{CAData: ca.pem}})
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	response, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/watch", "").WithContext(ctx), true)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, "on", line(t, response.Body))
	failed := make(chan error)
	go func() {
		_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", "").WithContext(ctx), false)
		failed <- err
	}()
	<-arrived
	cancel(why)
	err = <-failed
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, why)
	_, err = response.Body.Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled)
}

// In a bubble no request may wait for a lock while another writes to its
// connection: that would stop the fake clock.
func TestHTTP11OverAPipeWorksInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{accept: make(chan net.Conn), done: make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour)
			fmt.Fprint(w, r.Header.Get("Authorization"))
		})}
		go server.Serve(listener)
		conn, err := newConnection(&Config{Host: "http://server", BearerToken: "t", Dial: listener.dial})
		require.NoError(t, err)
		begun := time.Now()
		_, body := get(t, conn, "/")
		require.Equal(t, "Bearer t", body)
		require.Equal(t, time.Hour, time.Since(begun))
		conn.close()
		server.Close()
		synctest.Wait()
	})
}

// pipes is a listener whose connections are in memory.
type pipes struct {
	accept chan net.Conn
	done   chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accept <- server:
		return client, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accept:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "pipe"} }

func TestARequestGoesThroughAProxy(t *testing.T) {
	ca := newAuthority(t, "ca")
	server := ca.serve(func(w http.ResponseWriter, r *http.Request) {
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
	config := Config{Host: "https://server:6443", BearerToken: "TOKEN", TLS: TLSConfig{CAData: ca.pem}, Proxy: through("u:PROXY@")}
	conn := connected(t, config)
	_, body := get(t, conn, "/")
	require.Equal(t, "Bearer TOKEN  HTTP/2.0", body)
	require.EqualValues(t, 1, connects.Load())
	require.NotContains(t, fmt.Sprint(seen.Load()), "TOKEN", "the proxy saw what it is not told")
	conn.close()

	config.Proxy = through("u:WRONG@")
	conn = connected(t, config)
	_, err := conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "Proxy Authentication Required")
	require.NotContains(t, err.Error(), "WRONG")

	config.Proxy = func(*http.Request) (*url.URL, error) { return nil, &url.Error{Op: "parse", URL: "http://u:WRONG@%zz", Err: url.EscapeError("%zz")} }
	conn = connected(t, config)
	_, err = conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.ErrorContains(t, err, "no proxy can be chosen")
	require.NotContains(t, err.Error(), "WRONG")

	config.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("gopher://u:WRONG@proxy") }
	conn = connected(t, config)
	_, err = conn.do(newRequestFor(t, conn, http.MethodGet, "/", ""), false)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "WRONG")
}

// tunnel is the answer to a CONNECT.
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
