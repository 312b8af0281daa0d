package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// connection carries requests to one server: it adds who is asking, and knows
// nothing of what is asked.
type connection struct {
	base       *url.URL
	config     *Config
	userAgent  string
	credential credential
	// short and long are where requests are sent: two pools of connections, so
	// that watches, which hold theirs for long, leave the others alone.
	short, long http.RoundTripper
	// transports are what short and long end in; nil with Config.Transport.
	transports *transports
	running    *running
}

// timing is how long a connection waits for what.
type timing struct {
	dial, handshake, idle time.Duration
	// ping is how long an HTTP/2 connection may be silent before it is asked
	// whether it lives, and pong how long the answer may take.
	ping, pong time.Duration
	// fileCheck is the least time between two looks at certificate files, and
	// tokenLife that between two reads of a token file.
	fileCheck, tokenLife time.Duration
}

var usualTiming = timing{
	dial: 30 * time.Second, handshake: 10 * time.Second, idle: 90 * time.Second,
	ping: 30 * time.Second, pong: 15 * time.Second,
	fileCheck: 5 * time.Second, tokenLife: time.Minute,
}

func newConnection(config *Config) (*connection, error) { return connect(config, usualTiming) }

func connect(config *Config, t timing) (*connection, error) {
	base, err := config.serverURL()
	if err != nil {
		return nil, err
	}
	if err := config.validate(); err != nil {
		return nil, err
	}
	c := &connection{base: base, config: config, userAgent: config.userAgent(), running: newRunning()}
	if c.short, c.long = config.Transport, config.Transport; config.Transport == nil {
		if c.transports, err = newTransports(config, t, c.running); err != nil {
			return nil, err
		}
		c.short, c.long = pool{c.transports, false}, pool{c.transports, true}
	}
	if config.WrapTransport != nil {
		if c.short, c.long = config.WrapTransport(c.short), config.WrapTransport(c.long); c.short == nil || c.long == nil {
			return nil, errors.New("Config.WrapTransport returned nil")
		}
	}
	c.credential = config.credential(t)
	if config.Exec != nil {
		c.credential = newExecCredential(config, base, c.running, c.transports)
	}
	return c, nil
}

// do sends one request. long is set for watches and streams, which do not share
// the connections of short requests. The response's body is the caller's to
// close; its end, the request's context and close() end it.
//
// The request is not changed. An Authorization header, a User-Agent or an
// impersonated user that it has is left as it is.
func (c *connection) do(request *http.Request, long bool) (*http.Response, error) {
	return c.carry(request, long, c.send)
}

// relay is do for a request of somebody else's, who is told of redirects.
func (c *connection) relay(request *http.Request, long bool) (*http.Response, error) {
	return c.carry(request, long, c.sendOnce)
}

// sending sends a request that has its credentials.
type sending func(request *http.Request, long bool) (*http.Response, error)

func (c *connection) carry(request *http.Request, long bool, send sending) (*http.Response, error) {
	if !c.running.begin() {
		closeBody(request)
		return nil, ErrClosed
	}
	defer c.running.end()
	ctx, release := c.running.bind(request.Context())
	explain := func(err error) error { return c.whyEnded(request.Context(), err) }

	response, err := c.authorized(c.dressed(ctx, request), long, send)
	if err != nil {
		err = explain(err)
		release()
		return nil, err
	}
	response.Request = request // not the one with the credentials
	onEnd(response, release, explain)
	return response, nil
}

// dressed is a copy of the request with everything but the credentials.
func (c *connection) dressed(ctx context.Context, request *http.Request) *http.Request {
	dressed := request.Clone(ctx)
	if dressed.Header == nil {
		dressed.Header = http.Header{}
	}
	if len(dressed.Header.Values("User-Agent")) == 0 {
		dressed.Header.Set("User-Agent", c.userAgent)
	}
	c.config.Impersonate.addTo(dressed.Header)
	return dressed
}

// authorized sends the request with credentials, and once more with others if
// the server refuses these and there are others.
func (c *connection) authorized(request *http.Request, long bool, send sending) (*http.Response, error) {
	if len(request.Header.Values("Authorization")) > 0 {
		return send(request, long)
	}
	shown, err := c.credential.pass(request.Context())
	if err != nil {
		closeBody(request)
		return nil, err
	}
	response, err := send(withPass(request, shown), long)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	// Also for a request that cannot be repeated: the next one needs it.
	if !c.credential.refused(request.Context(), shown) || !canRepeat(request) {
		return response, nil
	}
	again, err := repeated(request)
	if err != nil {
		return response, nil // the refusal says more than why it stands
	}
	drop(response)
	if shown, err = c.credential.pass(request.Context()); err != nil {
		closeBody(again)
		return nil, err
	}
	return send(withPass(again, shown), long)
}

// close ends everything that is under way and returns when nothing is left.
func (c *connection) close() {
	c.running.stop()
	if c.transports != nil {
		c.transports.close()
	}
	c.running.wait()
}

func withPass(request *http.Request, p pass) *http.Request {
	if p.authorization == "" {
		return request
	}
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", p.authorization)
	return request
}

// canRepeat is whether the request's body can be sent for a second time.
func canRepeat(request *http.Request) bool { return !hasBody(request) || request.GetBody != nil }

func hasBody(request *http.Request) bool {
	return request.Body != nil && request.Body != http.NoBody
}

func repeated(request *http.Request) (*http.Request, error) {
	again := request.Clone(request.Context())
	if !hasBody(request) {
		return again, nil
	}
	body, err := request.GetBody()
	if err != nil {
		return nil, err
	}
	again.Body = body
	return again, nil
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		request.Body.Close()
	}
}

// whyEnded names the true reason of an error where it came because something
// was over: the caller's context, or the connection.
func (c *connection) whyEnded(caller context.Context, err error) error {
	over := caller.Err()
	switch {
	case speaksHTTP(err):
		return fmt.Errorf("the server speaks http, not https: perhaps Config.Host should begin with http://: %w", err)
	case over == nil && c.running.ctx.Err() != nil:
		return ErrClosed
	case over == nil:
		return err
	}
	if cause := context.Cause(caller); cause != over {
		return fmt.Errorf("%w: %w", over, cause)
	}
	if !errors.Is(err, over) {
		return fmt.Errorf("%w: %w", over, err)
	}
	return err
}

// speaksHTTP is whether a handshake failed because the server has answered it
// in plain HTTP.
func speaksHTTP(err error) bool {
	var record tls.RecordHeaderError
	return errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/"
}
