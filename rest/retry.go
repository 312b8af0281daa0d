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
)

const (
	// mostAsked is how long a request waits in all because the server has asked
	// it to. A server that asks for more gets its answer handed on at once: to
	// come back earlier than it said would be no answer to it.
	mostAsked = time.Minute
	// mostLost is how long a request tries to get through after its connection
	// was lost or refused. A connection that was cut is made anew in no time; a
	// server that is down is waited for by whoever has more patience, such as
	// an informer, and should not be kept in the dark until then.
	mostLost = 2 * time.Second
	// firstBackoff is the wait where the server has named none. It doubles.
	firstBackoff = 50 * time.Millisecond
)

// failedAttempt is what came of an attempt that did not succeed.
type failedAttempt struct {
	err error
	// answer that was the failure, nil if there was none. Its body is closed.
	answer *http.Response
	// named is the wait that the server has asked for, negative if it has not
	// asked for another attempt.
	named time.Duration
}

// before is what the error of a later attempt tells of this one. If nobody has
// answered that one it is no more than words: what the server has said of this
// attempt must not be taken for what became of the other.
func (f *failedAttempt) before(later *failedAttempt) error {
	if f.err == nil || later.answer != nil {
		return f.err
	}
	return errors.New(f.err.Error())
}

// repetition decides whether a request is sent once more. It does not wait, and
// knows of time only what it is told.
type repetition struct {
	left       int  // repetitions
	long       bool // its owner knows better when to try again
	read       bool // it changes nothing on the server
	harmless   func() bool
	repeatable bool // the body can be sent once more
	deadline   time.Time

	asked     time.Duration // waited because the server asked for it
	backoff   time.Duration
	firstLoss time.Time
}

func (r *Request) repetition(ctx context.Context, long bool, now time.Time) *repetition {
	deadline, _ := ctx.Deadline()
	if r.timeout > 0 {
		if own := now.Add(r.timeout); deadline.IsZero() || own.Before(deadline) {
			deadline = own
		}
	}
	return &repetition{
		left: r.maxRetries, long: long, deadline: deadline, backoff: firstBackoff,
		read:     r.method == http.MethodGet || r.method == http.MethodHead,
		harmless: r.harmlessAgain, repeatable: r.body.repeatable(),
	}
}

// after is how long to wait after a failure before the next attempt, and
// whether there is one.
func (p *repetition) after(f *failedAttempt, now time.Time) (wait time.Duration, again bool) {
	if p.left == 0 || !p.repeatable {
		return 0, false
	}
	switch {
	case f.answer != nil:
		wait, again = p.afterAnswer(f)
	case !p.long:
		wait, again = p.afterLoss(f.err, now)
	}
	if !again || !p.deadline.IsZero() && !now.Add(wait).Before(p.deadline) {
		return 0, false
	}
	p.left--
	return wait, true
}

// afterAnswer: the server is there and asks for patience. With 429 it has done
// nothing yet; with a 5xx nobody knows.
func (p *repetition) afterAnswer(f *failedAttempt) (time.Duration, bool) {
	status := f.answer.StatusCode
	if f.named < 0 || status != http.StatusTooManyRequests && (status < 500 || !p.harmless()) {
		return 0, false
	}
	wait := f.named
	if wait == 0 {
		wait = p.nextBackoff()
	}
	if p.asked += wait; p.asked > mostAsked {
		return 0, false
	}
	// Those who were turned away together should not come back together.
	return wait + jitter(min(wait/4, time.Second)), true
}

// afterLoss: nobody has answered.
func (p *repetition) afterLoss(err error, now time.Time) (time.Duration, bool) {
	if !neverSent(err) && !(p.read && isLost(err)) {
		return 0, false
	}
	if p.firstLoss.IsZero() {
		p.firstLoss = now
	}
	wait := p.nextBackoff()
	return wait, now.Add(wait).Sub(p.firstLoss) <= mostLost
}

func (p *repetition) nextBackoff() time.Duration {
	wait := p.backoff/2 + jitter(p.backoff/2)
	p.backoff *= 2
	return wait
}

// jitter is anything up to d.
func jitter(d time.Duration) time.Duration { return rand.N(d + 1) }

// harmlessAgain is whether the request can be repeated after the server may
// have carried it out already, and others have done something since.
// docs/design/requests.md gives the reasons.
func (r *Request) harmlessAgain() bool {
	switch r.method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	case http.MethodPut:
		return namesVersion(r.body.bytes)
	case http.MethodDelete:
		only := r.deleteOptions().Preconditions
		return only != nil && (only.UID != nil || only.ResourceVersion != nil)
	case http.MethodPatch:
		switch r.form {
		case types.ApplyPatchType, types.ApplyCBORPatchType:
			return r.params.Get("force") != "true" || namesVersion(r.body.bytes)
		case types.MergePatchType, types.StrategicMergePatchType:
			return namesVersion(r.body.bytes)
		}
	}
	return false
}

// namesVersion is whether an object, or a merge patch, is for one version of
// what it replaces or changes: the server refuses it the second time. It takes
// the version "0" for none.
func namesVersion(body []byte) bool {
	version := storedIn("", body).ResourceVersion
	return version != "" && version != "0"
}

// neverSent is whether a request has certainly not reached the server.
func neverSent(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "dial" && op.Op != "proxyconnect" || op.Timeout() {
		return false
	}
	var dns *net.DNSError
	return !errors.As(err, &dns) || !dns.IsNotFound
}

// isLost is whether the connection was lost on the way.
func isLost(err error) bool {
	for _, lost := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE} {
		if errors.Is(err, lost) {
			return true
		}
	}
	// Package net/http has no names for these.
	said := err.Error()
	for _, lost := range []string{
		"GOAWAY", "http2: client conn",
		"server closed idle connection", "write HTTP request on broken connection",
	} {
		if strings.Contains(said, lost) {
			return true
		}
	}
	return false
}

// retryAfter is the wait that an answer asks for, in seconds or as a date;
// negative if it asks for none.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return -1
	}
	// By the server's own clock, if it shows it.
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return max(at.Sub(now), 0)
}
