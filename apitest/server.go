package apitest

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/apitest/internal/listener"
	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/rest"
)

// Server is an API server. [NewServer] starts one, and Close ends it.
type Server struct {
	// URL of the server, usually https://127.0.0.1:port.
	URL string

	options  Options
	store    *storage.Store
	registry *registry.Registry
	requests *requestLog
	watches  atomic.Int64 // number of open watches
	// token is the administrator's token. expired holds the tokens that were
	// revoked.
	token   string
	expired sync.Map
	// definitions of custom resources, and the resources that they define.
	definitions definitions
	faults      faults
	seed        uint64
	// identities generates the uids and names of objects.
	identities *objects.Identities

	listener *listener.Listener
	outages  outages
	// traffic counts each connection and request.
	traffic traffic
	stopped *listener.Suspension   // set by Stop
	tls     *listener.Certificates // nil without TLS
	http    *http.Server
	active  listener.ActiveConnections

	// ctx is canceled by Close, which ends every watch.
	ctx    context.Context
	cancel context.CancelFunc
	// controllers end with ctx. Close waits for them.
	controllers sync.WaitGroup
}

// NewServer starts a server. It panics if it cannot listen, as
// httptest.NewServer does, or if one of the resources is invalid.
func NewServer(options Options) *Server {
	s := &Server{
		options:  options,
		store:    storage.New(options.history()),
		registry: registry.New(),
		requests: new(requestLog),
		seed:     options.Seed,
	}
	if s.seed == 0 {
		s.seed = rand.Uint64()
	}
	s.identities = objects.NewIdentities(s.seed)
	if options.Tokens != nil {
		s.token = cryptorand.Text()
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := s.registerInitial(); err != nil {
		panic(err)
	}
	if err := s.listen(); err != nil {
		panic(fmt.Errorf("apitest: start a server: %w", err))
	}
	if options.Controllers {
		s.controllers.Go(s.runControllers)
	}
	return s
}

// registerInitial registers the resources that are served from the start.
func (s *Server) registerInitial() error {
	if !s.options.NoBuiltinKinds {
		s.registry.RegisterBuiltin(s.store)
	}
	if err := s.createNamespaces(); err != nil {
		return err
	}
	for _, resource := range s.options.Resources {
		if err := s.Register(resource); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) listen() (err error) {
	address := s.options.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	s.stopped = new(listener.Suspension)
	s.listener = listener.New(address, s.options.InMemory, s.acceptFrom, s.admitConnection)
	s.http = &http.Server{
		Handler:     s,
		BaseContext: func(net.Listener) context.Context { return s.ctx },
		ConnContext: listener.WithConnection,
		ConnState:   s.active.StateChanged,
		ErrorLog:    slog.NewLogLogger(s.options.logger().Handler(), slog.LevelDebug),
	}
	secure := !s.options.PlainHTTP && !s.options.InMemory
	if secure {
		if s.tls, err = listener.NewCertificates(address); err != nil {
			return err
		}
		s.http.TLSConfig = s.tls.TLSConfig()
	}
	if err = s.listener.Open(); err != nil {
		return err
	}
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	s.URL = scheme + s.listener.DialAddress()
	return nil
}

// acceptFrom serves connections until the listener is closed.
func (s *Server) acceptFrom(from net.Listener) {
	var err error
	if s.tls != nil {
		err = s.http.ServeTLS(from, "", "")
	} else {
		err = s.http.Serve(from)
	}
	if !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		s.options.logger().Error("apitest: server stopped", "url", s.URL, "err", err)
	}
}

// Close ends every watch and connection and waits for the server's goroutines.
// After Close, no hook is called and nothing is logged. A hook must not call
// Close: Close waits for hooks that are running.
func (s *Server) Close() {
	s.cancel()
	s.listener.Close()
	s.http.Close()
	s.active.Wait()
	s.controllers.Wait()
}

// Config returns the configuration of an administrator's client. The caller may
// change it.
func (s *Server) Config() *rest.Config {
	config := &rest.Config{Host: s.URL, BearerToken: s.token}
	if s.tls != nil {
		config.TLS.CAData = s.tls.Authority
	}
	if s.options.InMemory {
		config.Dial = s.Dial
	}
	return config
}

func (o *Options) logger() *slog.Logger {
	if o.Logger != nil {
		return o.Logger
	}
	return slog.Default()
}

func (o *Options) maxRequestBytes() int64 {
	if o.MaxRequestBytes <= 0 {
		return 3 << 20
	}
	return min(o.MaxRequestBytes, 1<<40) // a larger limit has no effect
}

func (o *Options) history() (changes, maxBytes int) {
	if o.History == 0 {
		return 10_000, 128 << 20
	}
	return o.History, 0
}
