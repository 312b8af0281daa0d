package httpserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Options configures a Server.
type Options struct {
	// MaxConnections limits the number of open connections. 0 means 100. If negative,
	// there is no limit.
	MaxConnections int
	// Logger receives the errors of connections, as warnings.
	Logger *slog.Logger
}

// Server serves a handler on a listener.
type Server struct {
	listener net.Listener
	server   *http.Server
}

// New returns a server that does nothing until Serve is called.
func New(listener net.Listener, handler http.Handler, o Options) *Server {
	return &Server{
		listener: writeTimeoutListener{listener},
		server: &http.Server{
			Handler:           limitBodyTime(handler),
			ConnState:         newConnections(o.MaxConnections).changed,
			ReadHeaderTimeout: 10 * time.Second,
			IdleTimeout:       2 * time.Minute,
			MaxHeaderBytes:    64 << 10,
			ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelWarn),
		},
	}
}

// Serve responds to requests until Stop is called or the listener fails. It returns the
// failure of the listener, and nil after Stop.
func (s *Server) Serve() error {
	if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Stop closes the listener and waits for requests in progress, at most for bound. Then
// it closes their connections.
func (s *Server) Stop(bound time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	if s.server.Shutdown(ctx) != nil { // a slow client is not an error
		_ = s.server.Close()
	}
}
