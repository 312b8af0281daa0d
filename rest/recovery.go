package rest

import (
	"cmp"
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/election"
)

// Recovery is the state that the informers of one server share about whether the
// server responds. While the server does not respond, one informer sends a request
// about twice a second and the others wait; after a response they resume, spread
// over up to half a second. A response header other than 429 and 5xx counts as a
// response.
//
// A Client has a Recovery that its views share. Other sources provide one with a
// method Recovery() *Recovery; nil disables sharing. The reflector calls the other
// methods. A Recovery has no goroutine and need not be closed. It is safe for
// concurrent use.
type Recovery struct {
	*recovery
	group string
	// server is the Recovery that NewRecovery returned, nil for itself. It stays in
	// memory as long as this one does.
	server *Recovery
	// definitions finds out when resource is served. It is nil if the source is not a
	// View.
	definitions *definitions
	resource    schema.GroupVersionResource
}

// recovery is the state of all groups of a server.
type recovery struct {
	// reconnect makes later requests use new connections; nil does nothing.
	reconnect func()

	mu       sync.Mutex
	election *election.Election
	// members maps the members of the election to those of the Recovery.
	members map[*election.Member]*RecoveryMember
	// timer runs tick when a decision is due. It is nil before the first.
	timer *time.Timer
}

// NewRecovery returns the state for one server. reconnect, unless it is nil, is
// called when a connection does not respond; requests that begin later must then
// use another connection. reconnect must not block.
func NewRecovery(reconnect func()) *Recovery {
	return &Recovery{recovery: &recovery{
		reconnect: reconnect,
		election:  election.New(rand.Float64, reconnect != nil),
		members:   map[*election.Member]*RecoveryMember{},
	}}
}

// InGroup returns the same state for the readers of an API group. A 429 or a 5xx
// counts as a failure of the group, and a missing response as a failure of the whole
// server. Without InGroup, the group is "". For a nil Recovery it is nil.
func (r *Recovery) InGroup(group string) *Recovery {
	if r == nil { // of a View without a Client
		return nil
	}
	return &Recovery{recovery: r.recovery, group: group, server: cmp.Or(r.server, r)}
}

// Recovery returns the Recovery that all readers of this client share.
func (c *Client) Recovery() *Recovery { return c.recovery }

// Recovery returns the Recovery of the Client, for the view's API group and resource: an
// informer of this view recovers together with all others of the Client.
func (v *View[T]) Recovery() *Recovery {
	r := v.client.recovery.InGroup(v.info.Group)
	if r == nil {
		return nil
	}
	r.definitions, r.resource = v.client.definitions, v.info.GroupVersionResource
	return r
}

// Join adds a reader. A nil Recovery returns a nil member, whose methods do
// nothing.
func (r *Recovery) Join() *RecoveryMember {
	if r == nil {
		return nil
	}
	m := &RecoveryMember{recovery: r.recovery, definitions: r.definitions, resource: r.resource, ready: make(chan struct{}, 1)}
	r.update(func(e *election.Election, _ time.Time) {
		m.member = e.Join(r.group)
		r.members[m.member] = m
	})
	return m
}

// update changes the election and executes its decisions.
func (r *recovery) update(change func(*election.Election, time.Time)) {
	r.mu.Lock()
	now := time.Now()
	change(r.election, now)
	due := r.decide(now)
	r.mu.Unlock()
	r.act(due)
}

// tick is called by the timer.
func (r *recovery) tick() { r.update(func(*election.Election, time.Time) {}) }

// decision is an action and its member.
type decision struct {
	election.Action
	member  *RecoveryMember
	abandon func()
}

// decide returns the decisions that are due, and sets the timer for the next one.
// The caller holds mu.
func (r *recovery) decide(now time.Time) []decision {
	actions, next := r.election.Decide(now)
	switch {
	case next.IsZero():
		if r.timer != nil {
			r.timer.Stop()
		}
	case r.timer == nil:
		r.timer = time.AfterFunc(next.Sub(now), r.tick)
	default:
		r.timer.Reset(next.Sub(now))
	}
	if len(actions) == 0 {
		return nil
	}
	due := make([]decision, len(actions))
	for i, action := range actions {
		m := r.members[action.Member]
		due[i] = decision{Action: action, member: m, abandon: m.abandon}
	}
	return due
}

func (r *recovery) act(due []decision) {
	for _, d := range due {
		switch {
		case !d.Grant:
			if d.abandon != nil {
				d.abandon()
			}
			continue
		case d.Fresh && r.reconnect != nil:
			r.reconnect()
		}
		select {
		case d.member.ready <- struct{}{}:
		default: // the member has left, or its wait has ended with its context
		}
	}
}

// RecoveryMember is one reader of a Recovery, used by one goroutine.
type RecoveryMember struct {
	recovery *recovery
	member   *election.Member
	// definitions is nil if it is not known which resource the member reads.
	definitions *definitions
	resource    schema.GroupVersionResource
	// ready has an element when Wait is over.
	ready chan struct{}
	// abandon cancels the attempt in progress. Guarded by recovery.mu.
	abandon func()
}

// RequestFailure classifies a failed request by what has failed. The zero value
// means that the failure says nothing about the state of the server.
type RequestFailure uint8

const (
	// FailureNoResponse means that no response header was received: the server has
	// failed.
	FailureNoResponse = RequestFailure(election.NoAnswer)
	// FailureTruncated means that the response ended after its header, before any
	// content: all responses of the server may be affected.
	FailureTruncated = RequestFailure(election.Truncated)
	// FailureRejected means that the response is a 429 or a 5xx: the API group has
	// failed.
	FailureRejected = RequestFailure(election.Rejected)
)

// Leave ends the membership. If other members wait for this one, another takes its
// place.
func (m *RecoveryMember) Leave() {
	if m == nil {
		return
	}
	m.recovery.update(func(e *election.Election, now time.Time) {
		e.Leave(m.member, now)
		delete(m.recovery.members, m.member)
	})
}

// ServerUnavailable reports whether the server is known not to respond, and why. The
// member must then call Wait before its next request.
func (m *RecoveryMember) ServerUnavailable() (reason error, unavailable bool) {
	if m == nil {
		return nil, false
	}
	m.recovery.mu.Lock()
	defer m.recovery.mu.Unlock()
	return m.recovery.election.ServerUnavailable(m.member)
}

// WaitToResume returns when a member that has lost its connection may resume: at
// once, unless another member has just lost the same connection and is about to find
// out whether the server responds. WaitToResume waits at most a tenth of a second.
func (m *RecoveryMember) WaitToResume(ctx context.Context) {
	if m == nil {
		return
	}
	wait := false
	m.discardReady()
	m.recovery.update(func(e *election.Election, now time.Time) { wait = e.WaitToResume(m.member, now) })
	if wait {
		_ = m.await(ctx)
	}
}

// discardReady discards the signal of a wait that ended with its context.
func (m *RecoveryMember) discardReady() {
	select {
	case <-m.ready:
	default:
	}
}

func (m *RecoveryMember) await(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-m.ready:
		return nil
	}
}

// RequestKind determines what happens if a request gets no response header in time.
type RequestKind struct {
	// SlowResponse is set if the server may take long to begin its response, as for a
	// list. Such a request is abandoned only after another one was answered on a newer
	// connection.
	SlowResponse bool
	// Reconnect is set if the previous connection of the member was lost.
	Reconnect bool
}

// RequestSent records that a request is sent. abandon cancels the request, and may be
// called from any goroutine until the request is over.
func (m *RecoveryMember) RequestSent(kind RequestKind, abandon func()) {
	if m == nil {
		return
	}
	m.recovery.update(func(e *election.Election, now time.Time) {
		m.abandon = abandon
		e.RequestSent(m.member, now, election.Kind(kind))
	})
}

// ResponseReceived records a response header other than 429 and 5xx.
func (m *RecoveryMember) ResponseReceived() {
	if m != nil {
		m.recovery.update(func(e *election.Election, now time.Time) { e.ResponseReceived(m.member, now) })
	}
}

// ContentReceived records that the response has had content.
func (m *RecoveryMember) ContentReceived() {
	if m != nil {
		m.recovery.update(func(e *election.Election, now time.Time) { e.ContentReceived(m.member, now) })
	}
}

// RequestFailed records that a request has failed with cause. retryAfter is the wait
// that the server requested. RequestFailed reports whether all members in the same
// situation share the failure; otherwise the member uses its own back-off.
func (m *RecoveryMember) RequestFailed(kind RequestFailure, retryAfter time.Duration, cause error) (shared bool) {
	if m == nil {
		return false
	}
	m.recovery.update(func(e *election.Election, now time.Time) {
		shared = e.RequestFailed(m.member, now, election.Failure(kind), retryAfter, cause)
	})
	return shared
}

// Wait returns when the member may make its next request, which is not before
// notBefore, or when ctx is done.
func (m *RecoveryMember) Wait(ctx context.Context, notBefore time.Time) error {
	m.discardReady()
	m.recovery.update(func(e *election.Election, _ time.Time) { e.Wait(m.member, notBefore) })
	return m.await(ctx)
}

// WaitUntilServed returns when a member may try again whose resource was not found: when
// the server begins to list the resource as served. If it lists the resource already, the
// wait ends at notBefore, and repeated is true: notBefore should then grow.
//
// As long as members wait, one of them asks for the resources of all members of the Client
// every three seconds. At most one member per request tries although its resource is not
// listed, each about once a minute, since a server may serve resources that it does not
// list. If the source is not a View, WaitUntilServed returns at notBefore.
func (m *RecoveryMember) WaitUntilServed(ctx context.Context, notBefore time.Time) (repeated bool, err error) {
	if m == nil || m.definitions == nil {
		return true, sleep(ctx, time.Until(notBefore))
	}
	return m.definitions.wait(ctx, m.resource, notBefore)
}

// NextServedRequest returns when the server is asked next whether it serves the resource
// of the member, if it does not serve it now. It returns the zero time if WaitUntilServed
// does not ask.
func (m *RecoveryMember) NextServedRequest() time.Time {
	if m == nil || m.definitions == nil {
		return time.Time{}
	}
	return m.definitions.nextRound()
}
