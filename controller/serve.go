package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/thinformer/thinformer/informer/debug"
)

// Server serves what there is to see of a program, while it runs. [HTTP] is one;
// whoever does not name it does not link a server.
type Server interface {
	// open takes the address, before anything starts. serve answers until stop,
	// which waits for requests that are being answered, and no longer than that.
	open(p *program) (serve func(), stop func(bound time.Duration), err error)
}

// HTTP serves, on one address,
//
//	/healthz   200 unless only a restart would help: see Alive
//	/readyz    200 when all informers have synced and the program was not told to
//	           stop; else 503, and what is missing. Who stands by is ready.
//	/debug/    what controllers and informers are doing; see package informer/debug
//
// The first two tell each check with ?verbose, and without it when one fails.
// Nobody is asked who they are: give it an address that only those reach who may
// know the names of your objects.
type HTTP struct {
	// Address to listen at, such as ":8080" or "127.0.0.1:8080". Port 0 is a free
	// one.
	Address string

	// Listener is listened at in place of Address. Run closes it.
	Listener net.Listener

	// Listening is told the address before anything else starts: to learn which
	// port 0 has become. Default: nobody; it is logged.
	Listening func(net.Addr)

	// Handlers are served beside, by the patterns of [http.ServeMux]: "/metrics",
	// "/debug/pprof/". Default: none.
	Handlers map[string]http.Handler

	// Alive are checks of your own for /healthz, by name: what goes wrong so that
	// only a restart helps. There are two already: that the election works, and
	// that no controller has all its workers in reconciles that should have ended
	// long ago by ReconcileTimeout. Default: none.
	Alive map[string]func(*http.Request) error

	// Ready are checks of your own for /readyz, by name. Default: none.
	Ready map[string]func(*http.Request) error

	// Debug is what /debug/ shows besides keys and states: objects, timelines.
	// Informers and Sections are added to what Run knows. Default: no more.
	Debug debug.Options

	// NoDebug leaves /debug/ out. Default: it is served.
	NoDebug bool
}

var _ Server = HTTP{}

// open implements Server.
func (h HTTP) open(p *program) (serve func(), stop func(time.Duration), err error) {
	if h.Address == "" && h.Listener == nil {
		return nil, nil, fmt.Errorf("%w: HTTP has neither an Address nor a Listener", ErrOptions)
	}
	mux, err := h.mux(p)
	if err != nil {
		return nil, nil, err
	}
	listener := h.Listener
	if listener == nil {
		if listener, err = net.Listen("tcp", h.Address); err != nil {
			return nil, nil, fmt.Errorf("controller: serve /healthz, /readyz and /debug/ at %q: %w", h.Address, withForm(err))
		}
	}
	if h.Listening != nil {
		h.Listening(listener.Addr())
	}
	p.logger.Info("Serving /healthz, /readyz and /debug/", "address", listener.Addr().String())
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.logger.Handler(), slog.LevelWarn),
	}
	serve = func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.fail(fmt.Errorf("controller: serve /healthz, /readyz and /debug/ at %s: %w", listener.Addr(), err))
		}
	}
	stop = func(bound time.Duration) {
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		if server.Shutdown(ctx) != nil { // somebody reads slowly: no reason to fail
			_ = server.Close()
		}
	}
	return serve, stop, nil
}

// withForm adds what an address looks like to an error that it has none.
func withForm(err error) error {
	if wrong := (*net.AddrError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%w: it is host:port, or :port for all addresses of this host", err)
	}
	return err
}

// mux serves ours and the user's.
func (h HTTP) mux(p *program) (*http.ServeMux, error) {
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

// handle is mux.Handle with an error in place of a panic.
func handle(mux *http.ServeMux, pattern string, handler http.Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: HTTP.Handlers[%q]: %v", ErrOptions, pattern, p)
		}
	}()
	if isNil(handler) {
		return fmt.Errorf("%w: HTTP.Handlers[%q] is nil", ErrOptions, pattern)
	}
	mux.Handle(pattern, handler)
	return nil
}

// serve begins to, if that is asked for; closeServer ends it.
func (p *program) serve() (closeServer func(), err error) {
	if p.options.Serve == nil {
		return func() {}, nil
	}
	serve, stop, err := p.options.Serve.open(p)
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() { defer close(ended); serve() }()
	return func() {
		stop(p.options.StopTimeout)
		<-ended
	}, nil
}
