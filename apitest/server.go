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
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/rest"
)

// Server is an API server. Make one with [NewServer], and Close it.
type Server struct {
	// URL of the server, https://127.0.0.1:port as a rule.
	URL string

	options  Options
	store    *store
	registry *registry
	requests *requestLog
	watches  atomic.Int64 // open ones
	// token is the administrator's own; expired are tokens that were good once.
	token   string
	expired sync.Map
	// definitions of custom resources, and what is served of them.
	definitions definitions
	faults      faults
	seed        uint64
	// identities are the uids and names that the server gives.
	identities *identities

	door    *door
	stopped *shutter      // of Stop
	tls     *certificates // nil without TLS
	http    *http.Server
	guests  guests

	// alive ends with Close, and every watch with it.
	alive context.Context
	end   context.CancelFunc
	// controllers end with it, and are waited for.
	controllers sync.WaitGroup
}

// NewServer starts a server. It panics when it cannot listen, as
// httptest.NewServer does, or when one of the resources cannot be served.
func NewServer(options Options) *Server {
	s := &Server{
		options:  options,
		store:    newStore(options.history()),
		registry: newRegistry(),
		requests: new(requestLog),
		seed:     options.Seed,
	}
	if s.seed == 0 {
		s.seed = rand.Uint64()
	}
	s.identities = newIdentities(s.seed)
	if options.Tokens != nil {
		s.token = cryptorand.Text()
	}
	s.alive, s.end = context.WithCancel(context.Background())
	if err := s.furnish(); err != nil {
		panic(err)
	}
	if err := s.listen(); err != nil {
		panic(fmt.Errorf("apitest: start a server: %w", err))
	}
	if options.Controllers {
		s.controllers.Go(s.control)
	}
	return s
}

// furnish registers what is served from the start.
func (s *Server) furnish() error {
	if !s.options.Bare {
		s.registerBuiltin()
	}
	if err := s.createNamespaces(); err != nil {
		return err
	}
	for _, of := range s.options.Resources {
		if err := s.Register(of); err != nil {
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
	s.stopped = new(shutter)
	s.door = &door{address: address, inMemory: s.options.InMemory, serve: s.accept}
	s.http = &http.Server{
		Handler:     s,
		BaseContext: func(net.Listener) context.Context { return s.alive },
		ConnContext: withConnection,
		ConnState:   s.guests.connected,
		ErrorLog:    slog.NewLogLogger(s.options.logger().Handler(), slog.LevelDebug),
	}
	secure := !s.options.Plain && !s.options.InMemory
	if secure {
		if s.tls, err = newCertificates(address); err != nil {
			return err
		}
		s.http.TLSConfig = s.tls.config()
	}
	if err = s.door.open(); err != nil {
		return err
	}
	switch {
	case s.options.InMemory:
		s.URL = "http://" + pipeAddress{}.String()
	case secure:
		s.URL = "https://" + reachable(s.door.address)
	default:
		s.URL = "http://" + reachable(s.door.address)
	}
	return nil
}

// reachable is an address to go to: who listens everywhere is here as well.
func reachable(address string) string {
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", at.Port())
	}
	return address
}

// accept serves connections until the door is shut.
func (s *Server) accept(through net.Listener) {
	var err error
	if s.tls != nil {
		err = s.http.ServeTLS(through, "", "")
	} else {
		err = s.http.Serve(through)
	}
	if !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		s.options.logger().Error("apitest: the server has stopped", "url", s.URL, "error", err)
	}
}

// Close ends every watch and connection and waits for the server's goroutines:
// no hook is called and nothing is logged after it. A hook that does not return
// keeps it waiting, so that none may call it.
func (s *Server) Close() {
	s.end()
	s.door.close()
	s.http.Close()
	s.guests.wait()
	s.controllers.Wait()
}

// Config is how to reach the server as an administrator. It is the caller's
// own.
func (s *Server) Config() *rest.Config {
	config := &rest.Config{Host: s.URL, BearerToken: s.token}
	if s.tls != nil {
		config.TLS.CAData = s.tls.authority
	}
	if s.options.InMemory {
		config.Dial = s.door.dial
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
	return min(o.MaxRequestBytes, 1<<40) // more is none
}

func (o *Options) history() (changes, room int) {
	if o.History == 0 {
		return 10_000, 128 << 20
	}
	return o.History, 0
}
