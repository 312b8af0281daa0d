package informer

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// Promise: a filter that panics, or the function of Changed, costs that
// notification, as a panic of the handler does, and nothing else.
func TestAFilterThatPanicsCostsItsNotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := listed()
		o.Logger = slog.New(slog.DiscardHandler)
		inf := New(aStock("2", "a@1/1", "b@2/2"), o)
		var told []string
		registration, err := inf.AddEventHandler(FilteringResourceEventHandler[*gadget]{
			FilterFunc: func(g *gadget) bool {
				if g.Name == "a" {
					panic("no answer")
				}
				return true
			},
			Handler: shown(func(call string) { told = append(told, call) }),
		}, HandlerOptions{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- inf.Run(ctx) }()
		<-registration.Synced()
		require.Equal(t, []string{"add b@2/2 (initial)"}, told)
		require.EqualValues(t, 1, inf.State().Handlers[0].Panics)
		cancel()
		require.NoError(t, <-ended)
	})
}
