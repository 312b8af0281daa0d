package controller

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/thinformer/thinformer/controller/internal/httpserver"
	"github.com/thinformer/thinformer/informer/debug"
	"github.com/thinformer/thinformer/internal/nilcheck"
)

// Server serves the health endpoints and debug pages of a program while it runs.
// [HTTP] is the implementation. It is an interface so that programs without one do not
// link an HTTP server.
type Server interface {
	// open opens the address, before anything starts. serve responds to requests until
	// stop is called. stop waits for requests in progress, at most for bound.
	open(p *Program) (serve func(), stop func(bound time.Duration), err error)
}

// HTTP serves, on one address,
//
//	/healthz   200 unless only a restart would help: see HealthzChecks
//	/readyz    200 when all informers have synced, lack no object of their list, and the
//	           program is not stopping; else 503 and the reason. A standby replica is ready.
//	           The line of an informer whose source fails later has the reason, and for
//	           several namespaces how many fail; that does not make it fail. Neither does
//	           an informer that was added when all others had synced, until it has synced.
//	/debug/    what controllers and informers are doing; see package informer/debug
//
// The first two list each check with ?verbose, and whenever a check fails. There is no
// authentication: use an address that only users with permission to read the names of
// your objects can reach.
type HTTP struct {
	// Address is the address to listen on, such as ":8080" or "127.0.0.1:8080". Port 0
	// selects a free port.
	Address string

	// Listener is used instead of Address. Run closes it.
	Listener net.Listener

	// OnListen is called with the address before anything else starts, for example to
	// find out the port if Address has port 0. Default: none; the address is logged.
	OnListen func(net.Addr)

	// Hosts are the DNS names that are accepted in the Host header besides localhost
	// and IP addresses, if Address or Listener is on loopback. Requests for other
	// names get the response 403, since any web site can point its name at 127.0.0.1;
	// see [debug.CheckHost]. Default: none.
	Hosts []string

	// MaxConnections limits the number of open connections. At the limit, a new
	// connection closes the one that has been idle longest; if all are in use, the new
	// one is closed. Default, if 0: 100. If negative: no limit.
	MaxConnections int

	// Handlers are served in addition, by patterns of [http.ServeMux]: "/metrics",
	// "/debug/pprof/". A request body must arrive within ten seconds; a handler that
	// needs more time sets it with [http.ResponseController]. Default: none.
	Handlers map[string]http.Handler

	// HealthzChecks holds additional checks of /healthz, by name, for failures that only a
	// restart fixes. Two checks are built in: that the election works, and that no
	// controller has all its workers in reconciles that have exceeded ReconcileTimeout
	// by far. Default: none.
	HealthzChecks map[string]func(*http.Request) error

	// ReadyzChecks holds additional checks of /readyz, by name. Default: none.
	ReadyzChecks map[string]func(*http.Request) error

	// Debug configures what /debug/ shows besides keys and states: objects and
	// timelines. Its Informers and Sections are added to those of Run. Default:
	// only those of Run, without objects and timelines.
	Debug debug.Options

	// NoDebug disables /debug/. Default: it is served.
	NoDebug bool
}

var _ Server = HTTP{}

// open implements Server.
func (h HTTP) open(p *Program) (serve func(), stop func(time.Duration), err error) {
	if h.Address == "" && h.Listener == nil {
		return nil, nil, fmt.Errorf("%w: HTTP needs an Address or a Listener", ErrOptions)
	}
	mux, err := h.mux(p)
	if err != nil {
		return nil, nil, err
	}
	listener := h.Listener
	if listener == nil {
		if listener, err = net.Listen("tcp", h.Address); err != nil {
			return nil, nil, fmt.Errorf("controller: serve /healthz, /readyz and /debug/ at %q: %w", h.Address, withAddressForm(err))
		}
	}
	if h.OnListen != nil {
		h.OnListen(listener.Addr())
	}
	p.logger.Info("Serving /healthz, /readyz and /debug/", "address", listener.Addr().String())
	var handler http.Handler = mux
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		handler = debug.CheckHost(mux, h.Hosts...)
	}
	server := httpserver.New(listener, handler, httpserver.Options{MaxConnections: h.MaxConnections, Logger: p.logger})
	serve = func() {
		if err := server.Serve(); err != nil {
			p.fail(fmt.Errorf("controller: serve /healthz, /readyz and /debug/ at %s: %w", listener.Addr(), err))
		}
	}
	return serve, server.Stop, nil
}

// withAddressForm adds the expected form of an address to an error.
func withAddressForm(err error) error {
	if wrong := (*net.AddrError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%w: the form is host:port, or :port for all addresses of this host", err)
	}
	return err
}

// mux returns the built-in and the additional handlers.
func (h HTTP) mux(p *Program) (*http.ServeMux, error) {
	mux := http.NewServeMux()
	alive, ready := h.checks(p)
	own := map[string]http.Handler{"/healthz": alive, "/readyz": ready}
	if !h.NoDebug {
		own["/debug/"] = debug.New(h.debugOptions(p))
	}
	for pattern, handler := range own {
		mux.Handle(pattern, handler)
	}
	for pattern, handler := range h.Handlers {
		if err := handle(mux, pattern, handler); err != nil {
			return nil, err
		}
	}
	return mux, nil
}

// handle is mux.Handle with an error instead of a panic.
func handle(mux *http.ServeMux, pattern string, handler http.Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: HTTP.Handlers[%q]: %v", ErrOptions, pattern, p)
		}
	}()
	if nilcheck.IsNilPointer(handler) {
		return fmt.Errorf("%w: HTTP.Handlers[%q] is nil", ErrOptions, pattern)
	}
	mux.Handle(pattern, handler)
	return nil
}

// serve starts the server, if there is one. closeServer stops it.
func (p *Program) serve() (closeServer func(), err error) {
	if p.options.Serve == nil {
		return func() {}, nil
	}
	serve, stop, err := p.options.Serve.open(p)
	if err != nil {
		return nil, err
	}
	var serving sync.WaitGroup
	serving.Go(serve)
	return func() {
		stop(p.options.StopTimeout)
		serving.Wait()
	}, nil
}
