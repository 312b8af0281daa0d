package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/thinformer/thinformer/internal/brief"
)

// Connection sends requests to one server and adds the credentials. It does not
// depend on the contents of requests.
type Connection struct {
	base          *url.URL
	config        *Config
	userAgent     string
	authenticator authenticator
	// short and long are two connection pools. Watches hold theirs for long and
	// must not delay other requests.
	short, long http.RoundTripper
	// transports are the base of short and long; nil with Config.Transport.
	transports *transports
	operations *operations
}

// timeouts are the time limits of a connection.
type timeouts struct {
	dial, handshake, idle time.Duration
	// pingInterval is how long an HTTP/2 connection may be silent before a ping is
	// sent, and pingTimeout how long its response may take.
	pingInterval, pingTimeout time.Duration
	// fileCheckInterval is the minimum time between two checks of certificate
	// files, and tokenReadInterval that between two reads of a token file.
	fileCheckInterval, tokenReadInterval time.Duration
}

var defaultTimeouts = timeouts{
	dial: 30 * time.Second, handshake: 10 * time.Second, idle: 90 * time.Second,
	pingInterval: 10 * time.Second, pingTimeout: 5 * time.Second,
	fileCheckInterval: 5 * time.Second, tokenReadInterval: time.Minute,
}

// New returns a connection. It sends nothing. The config must not be modified later.
func New(config *Config) (*Connection, error) { return connect(config, defaultTimeouts) }

func connect(config *Config, t timeouts) (*Connection, error) {
	c := &Connection{base: config.Base, config: config, userAgent: config.userAgent(), operations: newOperations()}
	if c.short, c.long = config.Transport, config.Transport; config.Transport == nil {
		var err error
		if c.transports, err = newTransports(config, t, c.operations); err != nil {
			return nil, err
		}
		c.short, c.long = pool{c.transports, false}, pool{c.transports, true}
	}
	if config.WrapTransport != nil {
		if c.short, c.long = config.WrapTransport(c.short), config.WrapTransport(c.long); c.short == nil || c.long == nil {
			return nil, errors.New("Config.WrapTransport returned nil")
		}
	}
	c.authenticator = config.newAuthenticator(t)
	if config.Exec != nil {
		c.authenticator = newExecAuthenticator(config, c.operations, c.transports)
	}
	return c, nil
}

// Base returns the URL of the server. It must not be modified.
func (c *Connection) Base() *url.URL { return c.base }

// Do sends one request. long is set for watches and streams, which do not share the
// connections of short requests. The caller closes the response body. Its end, the
// request's context and Close end it.
//
// The request is not modified. An existing Authorization header, User-Agent or
// impersonated user is preserved.
func (c *Connection) Do(request *http.Request, long bool) (*http.Response, error) {
	return c.doWith(request, long, c.send)
}

// doWithoutRedirects is like Do, but returns redirects to the caller.
func (c *Connection) doWithoutRedirects(request *http.Request, long bool) (*http.Response, error) {
	return c.doWith(request, long, c.sendOnce)
}

// maxFailureLen bounds the error of a failed request: net/http quotes bytes from
// the server in place of a response.
const maxFailureLen = 4096

// sendFunc sends a request that has its credentials.
type sendFunc func(request *http.Request, long bool) (*http.Response, error)

func (c *Connection) doWith(request *http.Request, long bool, send sendFunc) (*http.Response, error) {
	if !c.operations.begin() {
		closeBody(request)
		return nil, ErrClosed
	}
	defer c.operations.end()
	ctx, release := c.operations.bind(request.Context())
	explain := func(err error) error { return brief.Error(c.explain(request.Context(), err), maxFailureLen) }

	response, err := c.sendAuthorized(c.withHeaders(ctx, request), long, send)
	if err != nil {
		err = explain(err)
		release()
		return nil, err
	}
	response.Request = request // not the one with the credentials
	onEnd(response, release, explain)
	return response, nil
}

// withHeaders returns a copy of the request with all headers except the
// credentials.
func (c *Connection) withHeaders(ctx context.Context, request *http.Request) *http.Request {
	clone := request.Clone(ctx)
	if clone.Header == nil {
		clone.Header = http.Header{}
	}
	if len(clone.Header.Values("User-Agent")) == 0 {
		clone.Header.Set("User-Agent", c.userAgent)
	}
	c.config.Impersonate.addTo(clone.Header)
	return clone
}

// sendAuthorized sends the request with credentials. After a 401 it sends it once
// more if there are newer credentials.
func (c *Connection) sendAuthorized(request *http.Request, long bool, send sendFunc) (*http.Response, error) {
	if len(request.Header.Values("Authorization")) > 0 {
		return send(request, long)
	}
	auth, err := c.authenticator.authorize(request.Context())
	if err != nil {
		closeBody(request)
		return nil, &notSentError{err}
	}
	response, err := send(withAuthorization(request, auth), long)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	// Newer credentials are fetched even if this request cannot be repeated: the
	// next one needs them.
	if !c.authenticator.rejected(request.Context(), auth) || !canRepeat(request) {
		return response, nil
	}
	repeated, err := cloneToRepeat(request)
	if err != nil {
		return response, nil // the 401 says more than this error
	}
	discard(response)
	if auth, err = c.authenticator.authorize(request.Context()); err != nil {
		closeBody(repeated)
		return nil, &notSentError{err}
	}
	return send(withAuthorization(repeated, auth), long)
}

// notSentError is the error of a request that was not sent because there were no
// credentials.
type notSentError struct{ error }

func (e *notSentError) Unwrap() error { return e.error }

// NotSent implements listwatch.NotSentError.
func (e *notSentError) NotSent() bool { return true }

// Reconnect makes later requests use new connections. It does nothing if the config
// has a transport.
func (c *Connection) Reconnect() {
	if c.transports != nil {
		c.transports.replace()
	}
}

// ExpiredCertificate describes the expiry of the client certificate; "" if it is
// valid or there is none.
func (c *Connection) ExpiredCertificate(now time.Time) string {
	if c.transports == nil {
		return ""
	}
	return c.transports.files.expired(now)
}

// IsClosed reports whether Close has been called.
func (c *Connection) IsClosed() bool { return c.operations.isClosed() }

// Close ends all operations and returns when none is left.
func (c *Connection) Close() {
	c.operations.stop()
	if c.transports != nil {
		c.transports.close()
	}
	c.operations.wait()
}

func withAuthorization(request *http.Request, auth authorization) *http.Request {
	if auth.header == "" {
		return request
	}
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", auth.header)
	return request
}

// canRepeat reports whether the request's body can be sent again.
func canRepeat(request *http.Request) bool { return !hasBody(request) || request.GetBody != nil }

func hasBody(request *http.Request) bool {
	return request.Body != nil && request.Body != http.NoBody
}

func cloneToRepeat(request *http.Request) (*http.Request, error) {
	clone := request.Clone(request.Context())
	if !hasBody(request) {
		return clone, nil
	}
	body, err := request.GetBody()
	if err != nil {
		return nil, err
	}
	clone.Body = body
	return clone, nil
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		request.Body.Close()
	}
}

// explain returns the cause of err if the caller's context or the connection has
// ended.
func (c *Connection) explain(caller context.Context, err error) error {
	callerErr := caller.Err()
	switch {
	case speaksHTTP(err):
		return fmt.Errorf("the server speaks http, not https: perhaps Config.Host should begin with http://: %w", err)
	case callerErr == nil && c.operations.ctx.Err() != nil:
		return ErrClosed
	case callerErr == nil:
		return err
	}
	if cause := context.Cause(caller); cause != callerErr {
		return fmt.Errorf("%w: %w", callerErr, cause)
	}
	if !errors.Is(err, callerErr) {
		return fmt.Errorf("%w: %w", callerErr, err)
	}
	return err
}

// speaksHTTP reports whether a handshake failed because the server responded in
// plain HTTP.
func speaksHTTP(err error) bool {
	var headerErr tls.RecordHeaderError
	return errors.As(err, &headerErr) && string(headerErr.RecordHeader[:]) == "HTTP/"
}
