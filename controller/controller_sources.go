package controller

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// addedSource is a source that was added to a Controller and has not been removed.
type addedSource struct {
	keySource
	// removal is done when the source has been removed. remove ends it.
	removal context.Context
	remove  context.CancelFunc
}

func (s *addedSource) isRemoved() bool { return s.removal.Err() != nil }

// add adds a source. During a run it is attached as soon as it has synced.
func (c *Controller) add(w keySource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &addedSource{keySource: w}
	s.removal, s.remove = context.WithCancel(context.Background())
	c.watches = append(c.watches, s)
	c.refreshOwners()
	r := c.current
	if r == nil {
		return
	}
	err := c.validateLocked()
	if err == nil && s.needsFor() && len(c.ownerKinds()) == 0 {
		err = fmt.Errorf("%w: %s", ErrNoOwner, c.name)
	}
	if err != nil {
		c.failLocked(err)
		return
	}
	if r.started { // else the start of the run attaches it
		r.attachLater(s)
	}
}

// removeSource removes a source, and detaches it from the current run without waiting.
func (c *Controller) removeSource(w keySource) {
	if detach := c.dropSource(w); detach != nil {
		detach()
	}
}

// dropSource removes a source. It returns a function that detaches it, nil if it is not
// attached.
func (c *Controller) dropSource(w keySource) (detach func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.watches, func(s *addedSource) bool { return s.keySource == w })
	if i < 0 {
		return nil
	}
	s := c.watches[i]
	c.watches = slices.Delete(c.watches, i, i+1)
	c.refreshOwners()
	s.remove()
	r := c.current
	if r == nil {
		return nil
	}
	// Under mu, so that another source of the same informer is either seen here, or
	// attached afterwards.
	if inf := w.informer(); inf != nil && !c.hasSourceLocked(inf) {
		r.gate.removeInformer(inf)
		if t := r.tracking(); t != nil {
			t.removed(inf)
		}
	}
	attached := slices.Clone(r.attached)
	return func() {
		for _, a := range attached {
			if a.source == s {
				a.remove()
			}
		}
	}
}

// refreshOwners sets the kinds of For, which Owns uses. It needs mu.
func (c *Controller) refreshOwners() {
	var kinds []rest.ResourceInfo
	for _, s := range c.watches {
		if w, ok := s.keySource.(interface{ ownerKind() rest.ResourceInfo }); ok && w.ownerKind().Kind != "" {
			kinds = append(kinds, w.ownerKind())
		}
	}
	c.owners.Store(&kinds)
}

// ownerKinds returns the resources passed to For. It is safe during a run.
func (c *Controller) ownerKinds() []rest.ResourceInfo {
	if kinds := c.owners.Load(); kinds != nil {
		return *kinds
	}
	return nil
}

// attachment is a source that a run has attached.
type attachment struct {
	attachedSource
	source *addedSource
}

// attachLater attaches a source that was added during the run. It needs Controller.mu.
func (r *run) attachLater(s *addedSource) {
	r.pending.Add(1)
	r.goroutines.Go(func() {
		own := func() []informer.AnyInformer { return []informer.AnyInformer{s.informer()} }
		err := r.waitForSource(s, &syncLog{informers: own})
		if err == nil {
			err = r.attach(s)
		} else {
			r.sourceSynced()
		}
		if err != nil {
			r.quit(&configError{err})
		}
	})
}

// attach attaches a source, which is counted in pending, unless it was removed or the
// run ends.
func (r *run) attach(s *addedSource) error {
	if !r.admit(s) {
		r.sourceSynced()
		return nil
	}
	attached, err := s.keySource.attach(r)
	if err != nil {
		r.sourceSynced()
		if s.isRemoved() {
			return nil
		}
		return fmt.Errorf("controller %s: %w", r.c.name, err)
	}
	attached.remove = sync.OnceFunc(attached.remove)
	a := &attachment{attachedSource: attached, source: s}
	r.c.mu.Lock()
	r.attached = append(r.attached, a)
	stopping := r.stopping
	r.c.mu.Unlock()
	switch {
	case stopping:
		a.remove()
		r.goroutines.Go(func() { <-a.done })
		return nil
	case s.isRemoved():
		a.remove()
	}
	r.goroutines.Go(func() { r.monitor(a) })
	if watch, ok := s.keySource.(resyncable); ok && watch.isFor() && r.c.options.ResyncPeriod > 0 {
		r.goroutines.Go(func() { r.resync(watch, s.removal) })
	}
	return nil
}

// admit makes the gate wait for the informer of a source, unless the source was removed
// or the run ends.
func (r *run) admit(s *addedSource) bool {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if s.isRemoved() || r.ctx.Err() != nil {
		return false
	}
	r.gate.addInformer(s.informer())
	return true
}

// monitor records when the initial keys of a source have been enqueued. It ends the
// run if the source ends by itself.
func (r *run) monitor(a *attachment) {
	select {
	case <-a.synced:
	case <-a.done:
	case <-r.ctx.Done():
		return
	}
	r.sourceSynced()
	select {
	case <-a.done:
	case <-r.ctx.Done():
		return
	}
	if !a.source.isRemoved() {
		r.quit(&sourceEndedError{a.name})
		return
	}
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.attached = slices.DeleteFunc(r.attached, func(other *attachment) bool { return other == a })
}

// sourceSynced records that the existing objects of a source have been enqueued, or that
// it was removed.
func (r *run) sourceSynced() {
	if r.pending.Add(-1) > 0 {
		return
	}
	if t := r.tracking(); t != nil {
		t.synced()
	}
}

// beginStop makes sources that are added from now on detach, and returns the others.
func (r *run) beginStop() []*attachment {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.stopping, r.started = true, false
	return slices.Clone(r.attached)
}

// attachments returns the sources that are attached now.
func (r *run) attachments() []*attachment {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	return slices.Clone(r.attached)
}

// sourceEndedError ends a run whose informer has ended.
type sourceEndedError struct{ name string }

func (e *sourceEndedError) Error() string {
	return fmt.Sprintf("the informer %s ended before the controller, which would miss changes: end or release an informer after the controller has ended (Program.Remove) or the watch was removed (Watch.Remove)", e.name)
}

func (e *sourceEndedError) Unwrap() error { return informer.ErrStopped }
