package informer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/thinformer/thinformer/reflector"
)

// A signal is a channel that is closed once, by any goroutine.
type signal struct {
	once sync.Once
	done chan struct{}
}

func newSignal() *signal { return &signal{done: make(chan struct{})} }

func (s *signal) set() { s.once.Do(func() { close(s.done) }) }

// observeRefusals returns trace with a function that observes whether attempts to get the
// first list of a namespace fail, and whether the server refuses them.
func (n *namespaceSet[T]) observeRefusals(f *namespaceFeed[T], trace *reflector.Trace) *reflector.Trace {
	var with reflector.Trace
	if trace != nil {
		with = *trace
	}
	changed, failures := with.Changed, 0
	with.Changed = func(state reflector.State) {
		if state.Failures != failures && !f.listed.Load() { // another attempt has failed
			var failed *reflector.Error
			n.setForbidden(f, errors.As(state.Err, &failed) && failed.Reason == reflector.ReasonForbidden)
			f.attempted.set()
		}
		failures = state.Failures
		if changed != nil {
			changed(state)
		}
	}
	return &with
}

// setForbidden records whether the server refuses the first list of a member.
func (n *namespaceSet[T]) setForbidden(f *namespaceFeed[T], forbidden bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !forbidden || f.forbidden {
		f.forbidden = forbidden
		return
	}
	listed, settled := n.countLists()
	if n.allForbidden && listed == 0 {
		return
	}
	if listed == 0 && settled == len(n.members)-1 {
		n.allForbidden = true
		for _, member := range n.members {
			member.forbidden = false
		}
		return
	}
	f.forbidden = true
	f.settled.set()
	n.wake()
}

// countLists returns the number of members whose first list the store has, and that of
// members for whose list the sync does not wait. It needs mu.
func (n *namespaceSet[T]) countLists() (listed, settled int) {
	for _, f := range n.members {
		switch {
		case f.listed.Load():
			listed++
			settled++
		case f.forbidden:
			settled++
		}
	}
	return listed, settled
}

// completes reports whether the initial list of the informer is complete: the store has
// the first list of every member, except those that the server forbids. If it forbids
// all of them, the informer cannot work, and is not synced. turn is held.
func (n *namespaceSet[T]) completes(*feed[T]) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	listed, settled := n.countLists()
	return n.pending == nil && settled == len(n.members) && (listed > 0 || settled == 0)
}

// listTimeout is how long a tracked read waits for the first list of a namespace.
const listTimeout = 10 * time.Second

// waitForListOf waits until the store has the first list of the namespace of a key, while
// the first attempt is in progress. It returns an error if there is no list: a namespace
// that fails must not delay the reads of each reconcile.
func (n *namespaceSet[T]) waitForListOf(ctx context.Context, key string) error {
	namespace, _, namespaced := strings.Cut(key, "/")
	f := n.of(namespace)
	if f == nil || !namespaced || f.listed.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	err := n.shared.wait(ctx, f, f.attempted.done)
	if err == nil {
		if err = f.controller.State().Err; err == nil { // a later attempt has succeeded
			err = n.shared.wait(ctx, f, f.stored.done)
		}
	}
	if err == nil || f.listed.Load() || errors.Is(err, ErrNotCovered) {
		return nil
	}
	return fmt.Errorf("%s: %w of namespace %q: %w", n.shared.name, ErrNotListed, namespace, err)
}
