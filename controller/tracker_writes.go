package controller

import (
	"github.com/thinformer/thinformer/rest"
)

// ownSources returns the sources with NotOwnWrites that may store a written object. It
// calls functions of the user.
func (t *tracker) ownSources(w rest.WriteInfo) (own []*trackedSource) {
	t.mu.Lock()
	all := t.all
	t.mu.Unlock()
	for _, s := range all {
		if !s.mayBeOwn.Load() {
			continue
		}
		if p := t.run.gate.informerOf(s.informer); p != nil && p.covers(w) {
			own = append(own, s)
		}
	}
	return own
}

// sending implements readTracker. A patch that changes nothing returns the version of
// another client's write. If the store has that version before the patch is sent, it is
// known not to be the result of the patch.
func (t *tracker) sending(job *reconcileContext, info rest.RequestInfo) {
	if info.Name == "" || info.Verb != "patch" && info.Verb != "update" {
		return
	}
	key := keyOf(info.Namespace, info.Name)
	for _, s := range t.ownSources(rest.WriteInfo{Resource: info.GroupVersionResource, Namespace: info.Namespace, Name: info.Name}) {
		obj, found := s.informer.Object(key)
		if !found {
			continue
		}
		version := obj.(rest.Object).GetResourceVersion()
		t.mu.Lock()
		if t.beginLocked(job) {
			attemptOf(job).Own.Sent(s, key, version)
		}
		t.mu.Unlock()
	}
}

// wrote implements readTracker.
func (t *tracker) wrote(job *reconcileContext, w rest.WriteInfo) {
	if w.ResourceVersion == "" || w.Deleted || w.Verb == "delete" {
		return // the event of a deletion always enqueues the request
	}
	for _, s := range t.ownSources(w) {
		epoch := s.epoch(w.Namespace)
		t.mu.Lock()
		if t.beginLocked(job) {
			attemptOf(job).Own.Wrote(s, keyOf(w.Namespace, w.Name), string(w.UID), w.ResourceVersion, epoch, w.Created)
		}
		t.mu.Unlock()
	}
}
