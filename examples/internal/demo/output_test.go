package demo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/thinformer/thinformer/examples/internal/demo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Wait ends when all lines have been written, in any order. Lines before the previous Wait
// do not count.
func TestWaitCountsLinesSincePreviousWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		d := demo.NewOutput(&out)
		go fmt.Fprint(d, "one\ntwo\n")
		go fmt.Fprintln(d, "three")
		require.NoError(t, d.Wait(t.Context(), "three", "one"))
		synctest.Wait()
		fmt.Fprintln(d, "four")
		require.ErrorContains(t, d.Wait(t.Context(), "four", "three"), "not printed within 20s: three")
		require.ElementsMatch(t, []string{"one", "two", "three", "four"}, strings.Fields(out.String()))
	})
}

// Wait ends with its context, and returns its cause.
func TestWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the server has stopped")
	cancel(cause)
	require.ErrorIs(t, demo.NewOutput(new(strings.Builder)).Wait(ctx, "never"), cause)
}
