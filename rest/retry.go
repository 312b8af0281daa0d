package rest

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/attempt"
)

const (
	// maxRetryAfterWait bounds the total wait of a request for Retry-After. If the
	// server asks for more, its response is returned at once, because an earlier
	// retry would ignore it.
	maxRetryAfterWait = time.Minute
	// maxConnectionLossWait bounds the retries after a lost or refused connection.
	// A single lost connection is replaced immediately. If the server is down, the
	// caller is informed soon and decides how long to wait, as an informer does.
	maxConnectionLossWait = 2 * time.Second
	// minRetryAfterWait is the wait for a Retry-After of 0; 1 is its next value.
	minRetryAfterWait = time.Second
	// initialBackoff is the wait without Retry-After. It doubles.
	initialBackoff = 50 * time.Millisecond
)

// failedAttempt is the result of an attempt that did not succeed.
type failedAttempt struct {
	err error
	// response is the error response, nil if there was none. Its body is in memory.
	response *http.Response
	// retryAfter is the wait that the server requested, negative if it requested
	// none.
	retryAfter time.Duration
}

// asPrevious returns this error for inclusion in the error of a later attempt. If
// the later one got no response, only the text is included: the server's error in
// this attempt must not be taken for the result of the later one.
func (f *failedAttempt) asPrevious(later *failedAttempt) error {
	if f.err == nil || later.response != nil {
		return f.err
	}
	return errors.New(f.err.Error())
}

// retryPolicy decides whether a request is retried. It does not wait and does not
// read the clock.
type retryPolicy struct {
	remaining   int  // remaining retries
	longRunning bool // a watch or stream: its caller retries
	readOnly    bool // changes nothing on the server
	idempotent  func() bool
	repeatable  bool // the body can be sent again
	deadline    time.Time

	retryAfterTotal     time.Duration // total wait for Retry-After
	backoff             time.Duration
	firstConnectionLoss time.Time
}

func (r *Request) newRetryPolicy(ctx context.Context, longRunning bool, now time.Time) *retryPolicy {
	deadline, _ := ctx.Deadline()
	if r.timeout > 0 {
		if end := now.Add(r.timeout); deadline.IsZero() || end.Before(deadline) {
			deadline = end
		}
	}
	retries := r.maxRetries
	if attempt.IsOnce(ctx) {
		retries = 0
	}
	return &retryPolicy{
		remaining: retries, longRunning: longRunning, deadline: deadline, backoff: initialBackoff,
		readOnly:   r.method == http.MethodGet || r.method == http.MethodHead,
		idempotent: r.isIdempotent, repeatable: r.body.repeatable(),
	}
}

// after returns the wait after a failure, and whether to retry.
func (p *retryPolicy) after(f *failedAttempt, now time.Time) (wait time.Duration, retry bool) {
	if p.remaining == 0 || !p.repeatable {
		return 0, false
	}
	switch {
	case f.response != nil:
		wait, retry = p.afterResponse(f)
	case !p.longRunning:
		wait, retry = p.afterConnectionLoss(f.err, now)
	}
	if !retry || !p.deadline.IsZero() && !now.Add(wait).Before(p.deadline) {
		return 0, false
	}
	p.remaining--
	return wait, true
}

// afterResponse decides after an error response. The server has not processed a
// request that it answered with 429; after a 5xx that is unknown.
func (p *retryPolicy) afterResponse(f *failedAttempt) (time.Duration, bool) {
	status := f.response.StatusCode
	if f.retryAfter < 0 || status != http.StatusTooManyRequests && (status < 500 || !p.idempotent()) {
		return 0, false
	}
	wait := max(f.retryAfter, minRetryAfterWait)
	if p.retryAfterTotal += wait; p.retryAfterTotal > maxRetryAfterWait {
		return 0, false
	}
	// Jitter, so that rejected clients do not retry at the same time.
	return wait + jitter(min(wait/4, time.Second)), true
}

// afterConnectionLoss decides after an attempt without a response.
func (p *retryPolicy) afterConnectionLoss(err error, now time.Time) (time.Duration, bool) {
	if !neverSent(err) && !(p.readOnly && isConnectionLoss(err)) {
		return 0, false
	}
	if p.firstConnectionLoss.IsZero() {
		p.firstConnectionLoss = now
	}
	wait := p.nextBackoff()
	return wait, now.Add(wait).Sub(p.firstConnectionLoss) <= maxConnectionLossWait
}

func (p *retryPolicy) nextBackoff() time.Duration {
	wait := p.backoff/2 + jitter(p.backoff/2)
	p.backoff *= 2
	return wait
}

// jitter returns a random duration up to d.
func jitter(d time.Duration) time.Duration { return rand.N(d + 1) }

// isIdempotent reports whether the request can be repeated although the server may
// have processed it, and other clients may have made changes since.
// docs/design/requests.md gives the reasons.
func (r *Request) isIdempotent() bool {
	switch r.method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	case http.MethodPut:
		return hasResourceVersion(r.body.bytes)
	case http.MethodDelete:
		preconditions := r.deleteOptions().Preconditions
		return preconditions != nil && (preconditions.UID != nil || preconditions.ResourceVersion != nil)
	case http.MethodPatch:
		switch r.patchType {
		case types.ApplyPatchType, types.ApplyCBORPatchType:
			return r.params.Get("force") != "true" || hasResourceVersion(r.body.bytes)
		case types.MergePatchType, types.StrategicMergePatchType:
			return hasResourceVersion(r.body.bytes)
		}
	}
	return false
}

// hasResourceVersion reports whether an object or a merge patch has a
// resourceVersion, so that the server rejects it the second time. The server
// ignores the version "0".
func hasResourceVersion(body []byte) bool {
	version := parseStored("", body).ResourceVersion
	return version != "" && version != "0"
}

// neverSent reports whether a request has not reached the server because no connection
// could be made. It returns false for a timeout and for a host name that does not
// exist: a retry would not help.
func neverSent(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "dial" && op.Op != "proxyconnect" || op.Timeout() {
		return false
	}
	var dns *net.DNSError
	return !errors.As(err, &dns) || !dns.IsNotFound
}

// isConnectionLoss reports whether the connection was lost during the request.
func isConnectionLoss(err error) bool {
	for _, loss := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE} {
		if errors.Is(err, loss) {
			return true
		}
	}
	// Package net/http does not export these errors.
	text := err.Error()
	for _, loss := range []string{
		"GOAWAY", "http2: client conn",
		"server closed idle connection", "write HTTP request on broken connection",
	} {
		if strings.Contains(text, loss) {
			return true
		}
	}
	return false
}

// retryAfter returns the wait that a response requests, in seconds or as a date;
// negative if there is none.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return -1
	}
	// Relative to the server's clock, if it is known.
	if serverDate, err := http.ParseTime(header.Get("Date")); err == nil {
		now = serverDate
	}
	return max(date.Sub(now), 0)
}
