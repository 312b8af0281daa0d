package reflector

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/thinformer/thinformer/listwatch"
)

// errNoHeader is the cause of a request context that was canceled because
// another request, on a newer connection, is made instead.
var errNoHeader error = &idleTimeoutError{2 * time.Second}

// recoveryReporter reports the requests of one reflector to its Recovery.
// Without a Recovery it does nothing.
type recoveryReporter struct {
	member *listwatch.RecoveryMember
	// inFlight: a request has been sent, and its response has delivered no item
	// yet.
	inFlight bool
	// answered: the response header was received, at answeredAt.
	answered   bool
	answeredAt time.Time
}

// join takes part in the recovery of the source's server.
func (r *recoveryReporter) join(source any) (leave func()) {
	r.member = nil
	if shared, ok := source.(listwatch.Recoverable); ok {
		r.member = shared.Recovery().Join()
	}
	return r.member.Leave
}

// begin reports that a request is sent. The idle timer cancels it if the
// Recovery abandons it.
func (r *recoveryReporter) begin(kind listwatch.RequestKind, idle *idleTimer) {
	r.inFlight, r.answered = true, false
	r.member.RequestSent(kind, func() { idle.cancel(errNoHeader) })
}

// gotHeader reports that the response header was received.
func (r *recoveryReporter) gotHeader() {
	r.answered, r.answeredAt = true, time.Now()
	r.member.ResponseReceived()
}

// gotItem reports that the response has delivered an item.
func (r *recoveryReporter) gotItem() {
	if r.inFlight {
		r.inFlight = false
		r.member.ContentReceived()
	}
}

// failed reports a failure, and returns it with what the Recovery knows about
// it.
func (r *recoveryReporter) failed(f failure) failure {
	if f.reason == ReasonNotFound {
		if next := r.member.NextServedRequest(); !next.IsZero() {
			f.askedIn = max(time.Until(next), 1)
		}
	}
	if r.member == nil || !r.inFlight {
		return f
	}
	r.inFlight = false
	rejected := f.code == http.StatusTooManyRequests || f.code >= 500
	kind := listwatch.RequestFailure(0)
	// complete: the server has sent a complete response, whatever its status.
	complete := f.code > 0 && !rejected || f.reason == ReasonTooLargeVersion
	if complete || f.reason == ReasonUndecodable && !r.answered {
		r.member.ResponseReceived()
	}
	switch {
	case f.isLocal():
	case complete:
		r.member.ContentReceived()
	case r.answered && time.Since(r.answeredAt) < minBrokenWatchTime && (f.connectionLost() || f.cutShort()):
		kind = listwatch.FailureTruncated
	case r.answered:
	case f.connectionLost():
		kind = listwatch.FailureNoResponse
	case rejected:
		kind = listwatch.FailureRejected
	}
	explained := r.member.RequestFailed(kind, min(f.retryAfter, maxRetryAfter), f.err)
	f.sharedWait = kind != 0
	f.ownBackoff = f.sharedWait && !explained
	return f
}

// mustWait reports whether a request has to wait for the server, and passes that
// to the machine.
func (r *Reflector[T]) mustWait(ctx context.Context) bool {
	if r.machine.past.end != notEnded {
		r.recovery.member.WaitToResume(ctx)
	}
	cause, unavailable := r.recovery.member.ServerUnavailable()
	if !unavailable {
		return false
	}
	f := failureOf(cause)
	f.retryAfter = 0
	f.sharedWait = true
	// The status belongs to the request of another reflector. Only its text is
	// kept.
	f.code, f.err = 0, fmt.Errorf("waiting for the server, which does not respond: %v", cause)
	r.step(ctx, input{kind: inputHeld, failure: f, jitter: randomJitter()})
	return true
}

// errorOrAbandoned returns errNoHeader if the request was abandoned, and err
// otherwise.
func errorOrAbandoned(ctx context.Context, err error) error {
	if context.Cause(ctx) == errNoHeader {
		return errNoHeader
	}
	return err
}
