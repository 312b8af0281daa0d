package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/internal/transport"
	"github.com/thinformer/thinformer/internal/wire"
)

// open sends the request with the limiter, the credentials and the retries. It
// returns the response if its status is a 2xx; everything else is an error, an
// *errors.StatusError if the server has responded. The caller closes the body. With
// the error it returns the error response, with the part of its body that was read
// in memory.
//
// longRunning is set for watches and streams, whose response may be endless. See
// requestTimer for the meaning of Timeout.
func (r *Request) open(ctx context.Context, longRunning bool) (*http.Response, error) {
	defer r.body.closeUnsent()
	if err := r.check(); err != nil {
		return nil, err
	}
	timeoutCtx, timer := startTimer(ctx, r.timeout, r.client.conn.Base())
	response, err := r.send(timeoutCtx, longRunning)
	if err != nil {
		timer.stop()
		return response, err
	}
	if timer.timer == nil {
		return response, nil
	}
	if longRunning || r.incremental {
		timer.pause()
	}
	response.Body = &timeoutBody{ReadCloser: response.Body, ctx: timeoutCtx, timer: timer, incremental: r.incremental}
	return response, nil
}

// send makes attempts until one succeeds or the retry policy permits no other.
func (r *Request) send(ctx context.Context, longRunning bool) (*http.Response, error) {
	hooks := tracesOf(ctx, r.client.config.Trace)
	var info RequestInfo
	if len(hooks) > 0 {
		info = r.info()
	}
	info.Verb = r.apiVerb() // throttle needs it
	policy := r.newRetryPolicy(ctx, longRunning, time.Now())
	last := &failedAttempt{}
	for attempt := 1; ; attempt++ {
		info.Attempt = attempt
		if err := r.throttle(ctx, hooks, info); err != nil {
			return last.response, r.failed(ctx, err, last.err)
		}
		response, failed := r.attempt(ctx, longRunning, hooks, info)
		if failed == nil {
			return response, nil
		}
		wait, retry := policy.after(failed, time.Now())
		if !retry {
			return failed.response, r.failed(ctx, failed.err, last.asPrevious(failed))
		}
		hooks.retry(info, wait, failed.err)
		last = failed
		if err := sleep(ctx, wait); err != nil {
			return last.response, r.failed(ctx, fmt.Errorf("wait for the retry: %w", err), last.err)
		}
	}
}

// attempt sends the request once.
func (r *Request) attempt(ctx context.Context, longRunning bool, hooks traces, info RequestInfo) (*http.Response, *failedAttempt) {
	request, err := r.httpRequest(ctx, longRunning)
	if err != nil {
		return nil, &failedAttempt{err: err}
	}
	hooks.requestStart(info)
	start := time.Now()
	response, err := r.client.conn.Do(request, longRunning)
	if err != nil {
		err = transport.WithoutURL(err)
		hooks.requestDone(info, ResponseInfo{Err: err, Latency: time.Since(start)})
		return nil, &failedAttempt{err: &noResponseError{transport.RedactURL(r.client.conn.Base()), err}}
	}
	hooks.requestDone(info, ResponseInfo{Status: response.StatusCode, Latency: time.Since(start)})
	r.warn(ctx, response.Header)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		wait := retryAfter(response.Header, time.Now())
		return nil, &failedAttempt{err: r.statusError(response), response: response, retryAfter: wait}
	}
	return response, nil
}

// noResponseError is the error of a request without a response.
type noResponseError struct {
	server string
	err    error
}

func (e *noResponseError) Error() string { return e.server + ": " + e.err.Error() }
func (e *noResponseError) Unwrap() error { return e.err }

// NoResponse implements listwatch.NoResponseError. The cause may be missing credentials,
// for example, or an untrusted server certificate.
func (e *noResponseError) NoResponse() bool { return true }

// httpRequest returns the request for one attempt.
func (r *Request) httpRequest(ctx context.Context, longRunning bool) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, r.method, r.url(!longRunning && !r.incremental).String(), nil)
	if err != nil {
		return nil, transport.WithoutURL(err)
	}
	if err := r.body.attach(request); err != nil {
		return nil, err
	}
	if contentType := r.sentType(); contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	accept := r.client.config.AcceptContentTypes
	if accept == "" {
		accept = wire.JSONType + ", */*"
	}
	request.Header.Set("Accept", accept)
	for key, values := range r.header {
		if request.Header[key] = values; len(values) == 0 {
			delete(request.Header, key)
		}
	}
	return request, nil
}

// failed adds the request to an error. A StatusError stays unwrapped, so that
// callers can test its type, unless an earlier attempt adds to it.
func (r *Request) failed(ctx context.Context, err, previous error) error {
	repeated := previous != nil && previous.Error() == err.Error()
	if _, isStatus := err.(*apierrors.StatusError); !isStatus {
		err = orTimeout(ctx, err)
		if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) && !isTimeout(err) {
			err = fmt.Errorf("%w: %w", ended, err)
		}
		err = fmt.Errorf("%s: %w", r.describe(), err)
	}
	if previous != nil && !repeated {
		err = fmt.Errorf("%w; previous attempt: %w", err, previous)
	}
	return err
}

// sleep waits for d or for the end of the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
