package controller

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/thinformer/thinformer/informer"
)

// No key is reconciled before the first list is complete. State has the reason, and after
// a delay it is logged. The controller starts when the list succeeds.
func TestControllerWaitsForAMissingResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource("x")
		s.listErr = errors.New("the server could not find the requested resource (get books.example.com)")
		books, _ := s.runInformer(t)
		l := &logRecorder{}
		n := 0
		c := New("books", Func(func(context.Context, Request) (Result, error) { n++; return Result{}, nil }), Options{Logger: l.logger(0)})
		For(c, books)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		time.Sleep(time.Second)
		synctest.Wait()
		state := c.State()
		assert.True(t, state.Running)
		assert.False(t, state.Synced)
		assert.Len(t, state.UnreadyInformers, 1)
		assert.Equal(t, "books", state.UnreadyInformers[0].Resource.Resource)
		assert.ErrorIs(t, state.UnreadyInformers[0].Reason, s.listErr)
		assert.Empty(t, l.all())
		time.Sleep(4 * time.Minute)
		synctest.Wait()
		assert.Len(t, l.all(), 1)
		assert.Contains(t, l.all()[0], `level=WARN msg="Waiting for the first list of an informer" controller=books`)
		assert.Contains(t, l.all()[0], "the server could not find the requested resource (get books.example.com)")
		assert.Zero(t, n)
		s.mu.Lock()
		s.listErr = nil
		s.mu.Unlock()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		assert.Equal(t, 1, n)
		assert.True(t, c.State().Synced)
		assert.Empty(t, c.State().UnreadyInformers)
		stop()
		assert.NoError(t, <-ended)
	})
}

// Run returns nil if it is stopped while it waits for the first list.
func TestStopWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource("x")
		s.listErr = errors.New("unavailable")
		books, _ := s.runInformer(t)
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{})
		For(c, books)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.NoError(t, c.Run(ctx))
		assert.Equal(t, State{Name: "books"}, c.State())
	})
}

// An informer that is not run is an error with a hint.
func TestInformerThatDoesNotRunIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{})
		For(c, informer.New(newFakeSource(), informer.Options[*book]{PreferList: true}))
		err := c.Run(t.Context())
		assert.ErrorIs(t, err, informer.ErrNotRunning)
		assert.ErrorContains(t, err, "controller books: books.example.com")
		assert.ErrorContains(t, err, "run it, or start its factory")
	})
}
