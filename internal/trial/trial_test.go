package trial

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEveryFailureEndsATrialWithAnError(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		run  func(*Trial)
		want string // the beginning of the error, "" for none
	}{
		"success":        {func(*Trial) {}, ""},
		"nothing failed": {func(tr *Trial) { tr.Must(nil) }, ""},
		"a failure":      {func(tr *Trial) { tr.Failf("two of %d are missing", 3) }, "two of 3 are missing"},
		"an error": {func(tr *Trial) {
			tr.Step("read %s", "a")
			tr.Must(broken)
		}, "read a: broken"},
		"a panic": {func(tr *Trial) {
			tr.Step("write")
			panic("boom")
		}, "write: panic: boom\ngoroutine"},
		"no return": {func(tr *Trial) {
			tr.Step("wait")
			<-tr.Context.Done()
		}, "timed out after 3s: wait"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				notes, err := Run(3*time.Second, func(tr *Trial) {
					tr.Note("tried with %v", tr.Timeout)
					c.run(tr)
				})
				require.Equal(t, []string{"tried with 3s"}, notes)
				if c.want == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, c.want)
				require.Equal(t, c.want, err.Error()[:len(c.want)])
				if c.want == "read a: broken" {
					require.ErrorIs(t, err, broken)
				}
			})
		})
	}
}

func TestTheDefaultTimeoutEndsATrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		_, err := Run(0, func(tr *Trial) { <-tr.Context.Done() })
		require.Error(t, err)
		require.Equal(t, DefaultTimeout, time.Since(begun))
	})
}
