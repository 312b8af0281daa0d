package apitest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
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
	// definitions of custom resources, and what is served of them.
	definitions definitions

	listener net.Listener
	tls      *certificates // nil without TLS
	http     *http.Server

	// alive ends with Close, and every watch with it.
	alive context.Context
	end   context.CancelFunc
	done  sync.WaitGroup // Serve
}

// NewServer starts a server. It panics when it cannot listen, as
// httptest.NewServer does.
func NewServer(options Options) *Server {
	s := &Server{
		options:  options,
		store:    newStore(options.history()),
		registry: newRegistry(),
		requests: new(requestLog),
	}
	s.alive, s.end = context.WithCancel(context.Background())
	if err := s.furnish(); err != nil {
		panic(err)
	}
	if err := s.listen(); err != nil {
		panic(fmt.Errorf("apitest: start a server: %w", err))
	}
	return s
}

// furnish registers what is served from the start.
func (s *Server) furnish() error {
	for _, of := range s.options.Resources {
		if err := s.Register(of); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) listen() (err error) {
	scheme := "http"
	switch {
	case s.options.InMemory:
		s.listener = newPipeListener()
	default:
		address := s.options.Address
		if address == "" {
			address = "127.0.0.1:0"
		}
		if s.listener, err = net.Listen("tcp", address); err != nil {
			return err
		}
	}
	s.http = &http.Server{
		Handler:     s,
		BaseContext: func(net.Listener) context.Context { return s.alive },
		ErrorLog:    slog.NewLogLogger(s.options.logger().Handler(), slog.LevelDebug),
	}
	if !s.options.Plain && !s.options.InMemory {
		scheme = "https"
		if s.tls, err = newCertificates(s.listener.Addr()); err != nil {
			return err
		}
		s.http.TLSConfig = s.tls.config()
	}
	s.URL = scheme + "://" + s.listener.Addr().String()
	s.done.Go(func() {
		if s.tls != nil {
			err = s.http.ServeTLS(s.listener, "", "")
		} else {
			err = s.http.Serve(s.listener)
		}
		if !errors.Is(err, http.ErrServerClosed) {
			s.options.logger().Error("apitest: the server has stopped", "url", s.URL, "error", err)
		}
	})
	return nil
}

// Close ends every watch and connection and waits for the server's goroutines.
func (s *Server) Close() {
	s.end()
	s.http.Close()
	s.done.Wait()
}

// Config is how to reach the server as an administrator. It is the caller's
// own.
func (s *Server) Config() *rest.Config {
	config := &rest.Config{Host: s.URL}
	if s.tls != nil {
		config.TLS.CAData = s.tls.authority
	}
	if pipes, ok := s.listener.(*pipeListener); ok {
		config.Dial = pipes.dial
	}
	return config
}

func (o *Options) logger() *slog.Logger {
	if o.Logger != nil {
		return o.Logger
	}
	return slog.Default()
}

func (o *Options) history() int {
	if o.History == 0 {
		return 10_000
	}
	return o.History
}
