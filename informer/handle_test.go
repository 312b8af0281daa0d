package informer

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

// A handler that its user has removed is not held on to, and one that is added
// while the informer is released is not kept.
func TestHandleHoldsWhatIsRegistered(t *testing.T) {
	p := newProcessor("", Parts[*gadget]{}.withDefaults(nil), slog.New(slog.DiscardHandler), nil)
	letGo := 0
	h := &handle{letGo: func() { letGo++ }}
	register := func() *Registration {
		r, err := p.add(ResourceEventHandlerFuncs[*gadget]{}, HandlerOptions{})
		require.NoError(t, err)
		return r
	}
	first, err := h.keep(register())
	require.NoError(t, err)
	second, err := h.keep(register())
	require.NoError(t, err)
	first.Remove()
	<-first.Done()
	require.Len(t, h.registrations, 1)
	h.release()
	<-second.Done()
	h.release()
	require.Equal(t, 1, letGo)

	late := register()
	_, err = h.keep(late)
	require.ErrorIs(t, err, ErrReleased)
	<-late.Done()
	require.Empty(t, p.states())
}
