package diary_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/thinformer/thinformer/examples/internal/diary"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Wait ends when all lines are there, whoever wrote them and in whatever order,
// and those of an earlier step do not count.
func TestWaitIsForTheLinesOfOneStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		d := diary.New(&out)
		go fmt.Fprint(d, "one\ntwo\n")
		go fmt.Fprintln(d, "three")
		require.NoError(t, d.Wait(t.Context(), "three", "one"))
		synctest.Wait()
		fmt.Fprintln(d, "four")
		require.ErrorContains(t, d.Wait(t.Context(), "four", "three"), "not happened within 20s: three")
		require.ElementsMatch(t, []string{"one", "two", "three", "four"}, strings.Fields(out.String()))
	})
}

// Wait ends with its context, and says what ended that.
func TestWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the server is gone")
	cancel(why)
	require.ErrorIs(t, diary.New(new(strings.Builder)).Wait(ctx, "never"), why)
}
