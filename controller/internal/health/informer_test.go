package health

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// An informer is ready from its first list until it stops, also while its source
// fails.
func TestReadinessOfInformers(t *testing.T) {
	failing := reflector.State{Err: errors.New("connection refused")}
	assert.NoError(t, NotReady(informer.State{Synced: true, Running: true}))
	assert.NoError(t, NotReady(informer.State{Synced: true, Running: true, Source: failing}))
	assert.EqualError(t, NotReady(informer.State{Running: true, Source: failing}), "connection refused")
	assert.EqualError(t, NotReady(informer.State{Running: true, Queued: 3}), "the first list is being stored")
	assert.EqualError(t, NotReady(informer.State{Synced: true, Source: reflector.State{Phase: reflector.PhaseStopped}}), "stopped")
}

// An informer of several namespaces is not ready while objects of one of them are missing
// from the cache, also if another one fails.
func TestUndecodableObjectsOfOneNamespace(t *testing.T) {
	failing := reflector.State{Err: errors.New("a is forbidden")}
	broken := reflector.State{ListUndecodable: 1, ListErr: errors.New("metadata.labels is a string")}
	s := informer.State{Synced: true, Running: true, Source: failing, Namespaces: []informer.NamespaceState{{Source: failing}, {Source: broken}, {}}, NamespaceCount: 3}
	assert.ErrorContains(t, NotReady(s), "1 object of the list could not be decoded")
	assert.ErrorContains(t, NotReady(s), "metadata.labels is a string")
}

// An informer of several namespaces is ready while one of them fails, and the remark of
// the check names it.
func TestRemarkNamesTheFailingNamespace(t *testing.T) {
	failing := func(namespace string) informer.NamespaceState {
		return informer.NamespaceState{Namespace: namespace, Synced: true, Source: reflector.State{Err: errors.New(namespace + " is forbidden")}}
	}
	ready := informer.State{Synced: true, Running: true, Namespaces: []informer.NamespaceState{{Namespace: "a"}, {Namespace: "b"}}, NamespaceCount: 2}
	assert.Empty(t, Remark(ready))
	ready.Namespaces[0] = failing("a")
	assert.NoError(t, NotReady(ready))
	assert.Equal(t, "1 of 2 namespaces is not healthy: a is forbidden", Remark(ready))
	ready.Namespaces[1] = failing("b")
	assert.Equal(t, "2 of 2 namespaces are not healthy; the first: a is forbidden", Remark(ready))
	ready.Namespaces[0].Source.Recovering = true
	assert.Equal(t, "1 of 2 namespaces is not healthy: b is forbidden", Remark(ready), "a watches again")
	ready.Namespaces[0].Source.Recovering = false
	ready.NamespaceCount = 500 // State lists some of them
	assert.Equal(t, "at least 2 of 500 namespaces are not healthy; the first: a is forbidden", Remark(ready))
}

// An informer with one source is ready while that fails, and the remark of the check has
// the reason with a hint, until the source watches again.
func TestRemarkHasTheFailureOfTheSource(t *testing.T) {
	s := informer.State{Synced: true, Running: true, Source: reflector.State{Phase: reflector.PhaseWatching}}
	assert.Empty(t, Remark(s))
	s.Source = reflector.State{Phase: reflector.PhaseWaiting, Err: &reflector.Error{Name: "pods", Verb: "watch", Reason: reflector.ReasonForbidden, Err: errors.New("no")}}
	assert.NoError(t, NotReady(s))
	assert.Contains(t, Remark(s), "the cache keeps its last state, since the source fails: watch pods: no (allow the user named in the error to list and watch ")
	s.Source.Recovering = true
	assert.Empty(t, Remark(s))
}
