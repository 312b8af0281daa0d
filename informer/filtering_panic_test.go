package informer

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// A panic of a FilterFunc loses that notification only, as a panic of the handler does.
func TestFilterPanicLosesOneNotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := preferList()
		o.Logger = slog.New(slog.DiscardHandler)
		inf := New(newScriptedSource("2", "a@1/1", "b@2/2"), o)
		var calls []string
		registration, err := inf.AddEventHandler(FilteringResourceEventHandler[*gadget]{
			FilterFunc: func(g *gadget) bool {
				if g.Name == "a" {
					panic("filter panicked")
				}
				return true
			},
			Handler: textHandler(func(call string) { calls = append(calls, call) }),
		}, HandlerOptions{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- inf.Run(ctx) }()
		<-registration.Synced()
		require.Equal(t, []string{"add b@2/2 (initial)"}, calls)
		require.EqualValues(t, 1, inf.State().Handlers[0].Panics)
		cancel()
		require.NoError(t, <-ended)
	})
}
