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
func (a *recoveryReporter) join(source any) (leave func()) {
	a.member = nil
	if shared, ok := source.(listwatch.Recoverable); ok {
		a.member = shared.Recovery().Join()
	}
	return a.member.Leave
}

// begin reports that a request is sent. The idle timer cancels it if the
// Recovery abandons it.
func (a *recoveryReporter) begin(kind listwatch.RequestKind, s *idleTimer) {
	a.inFlight, a.answered = true, false
	a.member.RequestSent(kind, func() { s.cancel(errNoHeader) })
}

// gotHeader reports that the response header was received.
func (a *recoveryReporter) gotHeader() {
	a.answered, a.answeredAt = true, time.Now()
	a.member.ResponseReceived()
}

// gotItem reports that the response has delivered an item.
func (a *recoveryReporter) gotItem() {
	if a.inFlight {
		a.inFlight = false
		a.member.ContentReceived()
	}
}

// failed reports a failure, and returns it with what the Recovery knows about
// it.
func (a *recoveryReporter) failed(f failure) failure {
	if a.member == nil || !a.inFlight {
		return f
	}
	a.inFlight = false
	rejected := f.code == http.StatusTooManyRequests || f.code >= 500
	kind := listwatch.RequestFailure(0)
	said := f.code > 0 && !rejected || f.reason == ReasonTooLargeVersion
	if said || f.reason == ReasonUndecodable && !a.answered {
		a.member.ResponseReceived()
	}
	switch {
	case f.isLocal():
	case said: // a complete response, whatever its status
		a.member.ContentReceived()
	case a.answered && time.Since(a.answeredAt) < minBrokenWatchTime && (f.connectionLost() || f.reason == ReasonUndecodable && f.code == 0):
		kind = listwatch.FailureTruncated
	case a.answered:
	case f.connectionLost():
		kind = listwatch.FailureNoResponse
	case rejected:
		kind = listwatch.FailureRejected
	}
	explained := a.member.RequestFailed(kind, min(f.retryAfter, maxRetryAfter), f.err)
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
	because, down := r.recovery.member.ServerUnavailable()
	if !down {
		return false
	}
	f := failureOf(because)
	f.retryAfter = 0
	f.sharedWait = true
	// The status belongs to the request of another reflector. Only its text is
	// kept.
	f.code, f.err = 0, fmt.Errorf("waiting for the server, which does not respond: %v", because)
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
