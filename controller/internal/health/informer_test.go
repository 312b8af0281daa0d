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
