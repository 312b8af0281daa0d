package outage

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Proxy forwards requests to a backend, except during an outage.
type Proxy struct {
	// URL is the address of the proxy, https://127.0.0.1:port.
	URL string
	// Authority is the self-signed certificate of the proxy, in PEM.
	Authority []byte

	listener *listener
	server   *http.Server
	forward  *httputil.ReverseProxy
	backend  *http.Transport
	tally    tally
	// running counts the server's goroutine and the requests.
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool // no further request begins
	fault  Fault
	cuts   map[*context.CancelCauseFunc]struct{} // end the forwarded requests
}

// errCut is the cause of the context of a forwarded request that an outage has ended.
var errCut = errors.New("the outage proxy has ended this request")

// New starts a proxy in front of the backend. Call Close to end it.
func New(backend string) (*Proxy, error) {
	to, err := url.Parse(backend)
	if err != nil {
		return nil, fmt.Errorf("outage proxy: %w", err)
	}
	certificate, authority, err := newCertificate()
	if err != nil {
		return nil, fmt.Errorf("outage proxy: certificate: %w", err)
	}
	p := &Proxy{Authority: authority, cuts: map[*context.CancelCauseFunc]struct{}{}}
	if p.listener, err = listen(p.tally.request); err != nil {
		return nil, fmt.Errorf("outage proxy: %w", err)
	}
	p.URL = "https://" + p.listener.Addr().String()
	p.backend = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 100}
	quiet := log.New(io.Discard, "", 0)
	p.forward = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:      p.backend,
		FlushInterval:  -1,
		ErrorLog:       quiet,
		ModifyResponse: p.answered,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p.server = &http.Server{
		Handler: http.HandlerFunc(p.serve), ErrorLog: quiet,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, c)
		},
	}
	p.running.Go(func() { _ = p.server.ServeTLS(p.listener, "", "") })
	return p, nil
}

type connectionKey struct{}

// Dial connects to the proxy. It is for the client's configuration. A refused
// connection counts as a request.
func (p *Proxy) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	conn, err := dialer.DialContext(ctx, network, address)
	if errors.Is(err, syscall.ECONNREFUSED) {
		p.tally.request()
	}
	return conn, err
}

// Begin starts an outage. A fault of requests ends the open requests and keeps their
// connections.
func (p *Proxy) Begin(f Fault) {
	p.mu.Lock()
	p.fault = f
	var open []context.CancelCauseFunc
	for cut := range p.cuts {
		open = append(open, *cut)
	}
	p.mu.Unlock()
	if f.onConnections() {
		p.listener.begin(f.Form)
		return
	}
	for _, cut := range open {
		cut(errCut)
	}
}

// End ends the outage. It returns an error if the proxy cannot listen at its address
// again.
func (p *Proxy) End() error {
	p.mu.Lock()
	p.fault = Fault{}
	p.mu.Unlock()
	return p.listener.end()
}

// LimitConnections closes each connection, including open ones, after the time that
// limit returns for it, as a middlebox does that does not interpret HTTP.
func (p *Proxy) LimitConnections(limit func() time.Duration) { p.listener.limitTo(limit) }

// Requests counts the requests of the client from one time until another.
func (p *Proxy) Requests(from, to time.Time) Requests { return p.tally.between(from, to) }

// FirstAnswer returns when the client was first sent a response header other than 429
// and 5xx since that time. Headers of truncated responses do not count.
func (p *Proxy) FirstAnswer(since time.Time) (at time.Time, answered bool) {
	return p.tally.firstAnswer(since)
}

// LastAnnounced returns the end of the wait of the last Retry-After, or the zero time
// if none was sent.
func (p *Proxy) LastAnnounced() time.Time { return p.tally.lastAnnounced() }

// Close ends all connections and waits for the requests.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.listener.Close() // first, since the server waits for held connections
	_ = p.server.Close()
	p.running.Wait()
	p.listener.accepting.Wait()
	p.backend.CloseIdleConnections()
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("continue") == "" && !isFirstOfCounted(r) {
		p.tally.request()
	}
	ctx, cut := context.WithCancelCause(r.Context())
	defer cut(nil)
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	fault := p.fault
	p.running.Add(1)
	p.cuts[&cut] = struct{}{}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.cuts, &cut)
		p.mu.Unlock()
		p.running.Done()
	}()
	switch fault.Form {
	case Truncated:
		truncate(w, r)
	case Unavailable:
		p.refuse(w, http.StatusServiceUnavailable, "ServiceUnavailable", fault.RetryAfter)
	case TooManyRequests:
		p.refuse(w, http.StatusTooManyRequests, "TooManyRequests", fault.RetryAfter)
	default:
		p.forward.ServeHTTP(w, r.WithContext(ctx))
	}
}

// isFirstOfCounted reports whether the request is the first one on a connection that
// was itself counted.
func isFirstOfCounted(r *http.Request) bool {
	secured, _ := r.Context().Value(connectionKey{}).(*tls.Conn)
	if secured == nil {
		return false
	}
	c, ok := secured.NetConn().(*connection)
	return ok && c.counted.Swap(false)
}

func isWatch(r *http.Request) bool {
	watch, err := strconv.ParseBool(r.URL.Query().Get("watch"))
	return err == nil && watch
}

func (p *Proxy) answered(response *http.Response) error {
	if response.StatusCode < 500 && response.StatusCode != http.StatusTooManyRequests {
		p.tally.answer()
	}
	return nil
}

// refuse answers like an overloaded API server.
func (p *Proxy) refuse(w http.ResponseWriter, code int, reason string, retryAfter time.Duration) {
	w.Header().Set("Content-Type", "application/json")
	if retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
		p.tally.announce(retryAfter)
	}
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"an outage","reason":%q,"code":%d}`, reason, code)
}

// truncate sends the beginning of a response and ends the connection within the body.
func truncate(w http.ResponseWriter, r *http.Request) {
	beginning := `{"kind":"List","apiVersion":"v1","metadata":{"resourceVer`
	if isWatch(r) {
		beginning = `{"type":"MODIFIED","object":{"kind":`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, beginning)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
