package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// open sends the request, with everything that belongs to it: the limiter, the
// credentials, the repetitions. It returns the answer when its status is a 2xx;
// everything else is an error, an *errors.StatusError if the server has
// answered. The caller closes the body. With the error comes the answer that
// was one, for its status and headers: its body has been read and closed.
//
// long is a watch or a stream, whose answer may last for ever. See stall for
// what Timeout bounds.
func (r *Request) open(ctx context.Context, long bool) (*http.Response, error) {
	defer r.body.abandon()
	if err := r.check(); err != nil {
		return nil, err
	}
	under, clock := watchStall(ctx, r.timeout, r.client.conn.base)
	response, err := r.send(under, long)
	if err != nil {
		clock.stop()
		return response, err
	}
	if clock.timer == nil {
		return response, nil
	}
	if long || r.parts {
		clock.pause()
	}
	response.Body = &stallingBody{ReadCloser: response.Body, ctx: under, stall: clock, parts: r.parts}
	return response, nil
}

// send makes one attempt after the other until one has succeeded, or another
// one would be wrong or in vain.
func (r *Request) send(ctx context.Context, long bool) (*http.Response, error) {
	told := tracesOf(ctx, r.client.config.Trace)
	var info RequestInfo
	if len(told) > 0 {
		info = r.info()
	}
	info.Verb = r.apiVerb() // the limiter asks
	again := r.repetition(ctx, long, time.Now())
	last := &failedAttempt{}
	for attempt := 1; ; attempt++ {
		info.Attempt = attempt
		if err := r.throttle(ctx, told, info); err != nil {
			return last.answer, r.failed(ctx, err, last.err)
		}
		response, failed := r.attempt(ctx, long, told, info)
		if failed == nil {
			return response, nil
		}
		wait, ok := again.after(failed, time.Now())
		if !ok {
			return failed.answer, r.failed(ctx, failed.err, last.before(failed))
		}
		told.retry(info, wait, failed.err)
		last = failed
		if err := sleep(ctx, wait); err != nil {
			return last.answer, r.failed(ctx, fmt.Errorf("wait to try again: %w", err), last.err)
		}
	}
}

// attempt sends the request once.
func (r *Request) attempt(ctx context.Context, long bool, told traces, info RequestInfo) (*http.Response, *failedAttempt) {
	request, err := r.httpRequest(ctx, long)
	if err != nil {
		return nil, &failedAttempt{err: err}
	}
	told.requestStart(info)
	begun := time.Now()
	response, err := r.client.conn.do(request, long)
	if err != nil {
		err = withoutURL(err)
		told.requestDone(info, ResponseInfo{Err: err, Latency: time.Since(begun)})
		return nil, &failedAttempt{err: &unansweredError{plainURL(r.client.conn.base), err}}
	}
	told.requestDone(info, ResponseInfo{Status: response.StatusCode, Latency: time.Since(begun)})
	r.warn(ctx, response.Header)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer response.Body.Close()
		named := retryAfter(response.Header, time.Now())
		return nil, &failedAttempt{err: r.statusError(response), answer: response, named: named}
	}
	return response, nil
}

// unansweredError is a request to which no answer has come.
type unansweredError struct {
	server string
	err    error
}

func (e *unansweredError) Error() string { return e.server + ": " + e.err.Error() }
func (e *unansweredError) Unwrap() error { return e.err }

// Unanswered tells a reflector that the server has refused nothing: credentials
// could not be had, say, or the server's certificate was not to be trusted.
func (e *unansweredError) Unanswered() bool { return true }

// httpRequest is the request for one attempt.
func (r *Request) httpRequest(ctx context.Context, long bool) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, r.method, r.url(!long && !r.parts).String(), nil)
	if err != nil {
		return nil, withoutURL(err)
	}
	if err := r.body.on(request); err != nil {
		return nil, err
	}
	if sent := r.sentType(); sent != "" {
		request.Header.Set("Content-Type", sent)
	}
	accept := r.client.config.AcceptContentTypes
	if accept == "" {
		accept = jsonType + ", */*"
	}
	request.Header.Set("Accept", accept)
	for key, values := range r.header {
		if request.Header[key] = values; len(values) == 0 {
			delete(request.Header, key)
		}
	}
	return request, nil
}

// failed says what was being done when err happened. What the server itself has
// said stays as it is, so that it can be told by its type, unless an earlier
// attempt has something to add.
func (r *Request) failed(ctx context.Context, err, before error) error {
	same := before != nil && before.Error() == err.Error()
	if _, answered := err.(*apierrors.StatusError); !answered {
		err = orTimeout(ctx, err)
		if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) && !isTimeout(err) {
			err = fmt.Errorf("%w: %w", ended, err)
		}
		err = fmt.Errorf("%s: %w", r.what(), err)
	}
	if before != nil && !same {
		err = fmt.Errorf("%w; the attempt before: %w", err, before)
	}
	return err
}

// withoutURL takes the error out of a *url.Error: its URL may hold what nobody
// else should read.
func withoutURL(err error) error {
	for {
		wrapped, ok := err.(*url.Error)
		if !ok {
			return err
		}
		err = wrapped.Err
	}
}

// sleep waits, and no longer than the context lasts.
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
