package controller

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Who ends informer and controller with one context ends one of them first: that
// is no error of the controller's.
func TestAnInformerMayEndJustBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, stopBooks := newShelf("x").read(t)
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{})
		For(c, books)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		stopBooks()
		time.Sleep(sameEnd / 2)
		stop()
		assert.NoError(t, <-ended)
	})
}
