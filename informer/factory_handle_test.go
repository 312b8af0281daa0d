package informer

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

// A handle drops removed handlers, and removes a handler that is added during the
// release.
func TestHandleTracksRegistrations(t *testing.T) {
	p := newProcessor("", StoreConfig[*gadget]{}.withDefaults(nil), slog.New(slog.DiscardHandler), nil)
	released := 0
	h := &handle{onRelease: func() { released++ }}
	register := func() *Registration {
		r, err := p.add(ResourceEventHandlerFuncs[*gadget]{}, HandlerOptions{})
		require.NoError(t, err)
		return r
	}
	first, err := h.track(register())
	require.NoError(t, err)
	second, err := h.track(register())
	require.NoError(t, err)
	first.Remove()
	<-first.Done()
	require.Len(t, h.registrations, 1)
	h.release()
	<-second.Done()
	h.release()
	require.Equal(t, 1, released)

	late := register()
	_, err = h.track(late)
	require.ErrorIs(t, err, ErrReleased)
	<-late.Done()
	require.Empty(t, p.states())
}
