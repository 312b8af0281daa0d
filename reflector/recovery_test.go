package reflector

import (
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/jsonobj"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// eventError is an error of package rest for an event.
type eventError struct{ error }

func (eventError) Undecodable() bool { return true }
func (u eventError) Unwrap() error   { return u.error }

// Promise: the readers of a server share a failure if the response to a watch was cut
// short. They do not share a complete event that cannot be decoded: the server has
// responded, and the other collections are not affected.
func TestOnlyResponsesThatAreCutShortAreShared(t *testing.T) {
	for _, c := range []struct {
		err    error
		shared bool
	}{
		{io.ErrUnexpectedEOF, true},
		{eventError{fmt.Errorf("event 1: %w", io.ErrUnexpectedEOF)}, true},
		{&jsonobj.SyntaxError{Msg: "an event without a type"}, false},
		{eventError{fmt.Errorf("event 1: no type")}, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var r recoveryReporter
			leave := r.join(&listwatch.ListWatch[*pod]{SharedRecovery: rest.NewRecovery(nil)})
			defer leave()
			_, idle := withIdleTimeout(t.Context(), -1)
			r.begin(listwatch.RequestKind{}, idle)
			r.gotHeader()
			require.Equal(t, c.shared, r.failed(failureOf(c.err)).sharedWait, "%v", c.err)
		})
	}
}
