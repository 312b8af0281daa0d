package apitest

import (
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/rest"
)

// waitFor is how long Wait and WaitGone wait.
const waitFor = 10 * time.Second

// Wait waits until the object with the kind, namespace and name of like is as it
// should be, and returns it as it was then: it sees the present state and each
// one that follows, without polling. It fails after 10 seconds, and says what
// the object was like last.
func Wait[T rest.Object](t TB, s *Server, like T, until func(T) bool) T {
	if t != nil {
		t.Helper()
	}
	var found T
	h, err := s.handIn(like)
	if err == nil {
		err = s.observe(h, func(rec *record) (bool, error) {
			if rec == nil {
				return false, nil
			}
			var err error
			found, err = handOut[T](h.resource, rec)
			return err == nil && until(found), err
		})
	}
	check(t, "wait", err)
	return found
}

// WaitGone waits until there is no object with the kind, namespace and name of
// like.
func WaitGone[T rest.Object](t TB, s *Server, like T) {
	if t != nil {
		t.Helper()
	}
	h, err := s.handIn(like)
	if err == nil {
		err = s.observe(h, func(rec *record) (bool, error) { return rec == nil, nil })
	}
	check(t, "wait for the end", err)
}

// observe shows an object's present state, nil if there is none, and each that
// follows, until look has seen enough.
func (s *Server) observe(h *handed, look func(*record) (bool, error)) error {
	timer := time.NewTimer(waitFor)
	defer timer.Stop()
	for {
		present, follower := h.resource.table.open()
		var last *record
		if found, ok := present.rows.Get(&record{key: h.key}); ok {
			last = found
		}
		enough, err := look(last)
		for !enough && err == nil {
			last, enough, err = s.observeNext(h, follower, last, timer.C, look)
		}
		// Behind its history, or its past undone: look again from the present.
		if older := (tooOld{}); !errors.As(err, &older) && !errors.Is(err, errDropped) {
			return err
		}
		if !s.refind(h) {
			if enough, err := look(nil); enough || err != nil {
				return err
			}
			return fmt.Errorf("%s: its resource is served no more", h)
		}
	}
}

// refind brings the resource up to date; it reports false if there is none.
func (s *Server) refind(h *handed) bool {
	res := s.registry.find(h.resource.GroupVersionResource)
	if res == nil {
		return false
	}
	h.resource = res
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	return !res.table.dropped
}

// observeNext shows the next states.
func (s *Server) observeNext(h *handed, f *follower, last *record, timeout <-chan time.Time, look func(*record) (bool, error)) (*record, bool, error) {
	changes, wake, err := f.ready()
	if err != nil {
		return last, false, err
	}
	for _, c := range changes {
		if c.now.key != h.key {
			continue
		}
		if last = c.now; last.deleted {
			last = nil
		}
		if enough, err := look(last); enough || err != nil {
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
		return last, false, fmt.Errorf("%s: not within %s: %s", h, waitFor, describeState(last))
	case <-s.alive.Done():
		return last, false, fmt.Errorf("%s: the server is closed: %s", h, describeState(last))
	}
}

// describeState is a state for a failure message.
func describeState(rec *record) string {
	if rec == nil {
		return "there is none"
	}
	return "it is " + string(rec.raw)
}
