package apitest

import (
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/rest"
)

// waitTimeout bounds Wait and WaitDeleted.
const waitTimeout = 10 * time.Second

// Wait waits until a function returns true for the object with the kind,
// namespace and name of like, and returns the object in that state. It sees the
// current state and each later one, without polling. It fails after 10 seconds;
// the failure contains the last state.
func Wait[T rest.Object](t TB, s *Server, like T, until func(T) bool) T {
	if t != nil {
		t.Helper()
	}
	var found T
	h, err := s.readInput(like)
	if err == nil {
		err = s.observeObject(h, func(rec *storage.Record) (bool, error) {
			if rec == nil {
				return false, nil
			}
			var err error
			found, err = decodeRecord[T](h.resource, rec)
			return err == nil && until(found), err
		})
	}
	check(t, "wait", err)
	return found
}

// WaitDeleted waits until no object exists with the kind, namespace and name of
// like.
func WaitDeleted[T rest.Object](t TB, s *Server, like T) {
	if t != nil {
		t.Helper()
	}
	h, err := s.readInput(like)
	if err == nil {
		err = s.observeObject(h, func(rec *storage.Record) (bool, error) { return rec == nil, nil })
	}
	check(t, "wait for the deletion", err)
}

// observeObject calls done with the current state of an object, nil if there is
// none, and with each later state, until done returns true.
func (s *Server) observeObject(h *inputObject, done func(*storage.Record) (bool, error)) error {
	timer := time.NewTimer(waitTimeout)
	defer timer.Stop()
	for {
		snapshot, follower := h.resource.Table.Open()
		last := snapshot.Get(h.Key)
		enough, err := done(last)
		for !enough && err == nil {
			last, enough, err = s.observeChanges(h, follower, last, timer.C, done)
		}
		// The follower is behind the history, or the store was rewound: continue from
		// the current state.
		if older := (storage.TooOld{}); !errors.As(err, &older) && !errors.Is(err, storage.ErrDropped) {
			return err
		}
		if !s.refreshResource(h) {
			if enough, err := done(nil); enough || err != nil {
				return err
			}
			return fmt.Errorf("%s: its resource is no longer served", h)
		}
	}
}

// refreshResource updates the resource. It reports false if it is no longer
// served.
func (s *Server) refreshResource(h *inputObject) bool {
	res := s.registry.Find(h.resource.GroupVersionResource)
	if res == nil {
		return false
	}
	h.resource = res
	return !res.Table.IsDropped()
}

// observeChanges calls done with the next states.
func (s *Server) observeChanges(h *inputObject, f *storage.Follower, last *storage.Record, timeout <-chan time.Time, done func(*storage.Record) (bool, error)) (*storage.Record, bool, error) {
	changes, wake, err := f.Ready()
	if err != nil {
		return last, false, err
	}
	for _, c := range changes {
		if c.New.Key != h.Key {
			continue
		}
		if last = c.New; last.Deleted {
			last = nil
		}
		if enough, err := done(last); enough || err != nil {
			return last, enough, err
		}
	}
	if wake == nil {
		return last, false, nil
	}
	select {
	case <-wake:
		return last, false, nil
	case <-timeout:
		return last, false, fmt.Errorf("%s: condition not met within %s: %s", h, waitTimeout, describeState(last))
	case <-s.ctx.Done():
		return last, false, fmt.Errorf("%s: the server is closed: %s", h, describeState(last))
	}
}

// describeState describes a state for a failure message.
func describeState(rec *storage.Record) string {
	if rec == nil {
		return "the object does not exist"
	}
	return "the object is " + string(rec.Raw)
}
