package controller

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// An informer is ready from its first list until it stops, also while its source
// fails.
func TestWhichInformersAreReady(t *testing.T) {
	failing := reflector.State{Err: errors.New("connection refused")}
	assert.NoError(t, notReady(informer.State{Synced: true, Running: true}))
	assert.NoError(t, notReady(informer.State{Synced: true, Running: true, Source: failing}))
	assert.EqualError(t, notReady(informer.State{Running: true, Source: failing}), "connection refused")
	assert.EqualError(t, notReady(informer.State{Running: true, Queued: 3}), "the first list is being stored")
	assert.EqualError(t, notReady(informer.State{Synced: true, Source: reflector.State{Phase: reflector.Stopped}}), "it has stopped")
}
