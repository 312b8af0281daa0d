package informer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// Promise: the reason of a failure is in State, in the error of WaitForSync and in the
// WatchErrorHandler after the first attempt, even if the server sends Retry-After. The
// informer waits as long as the server asks.
func TestReasonIsAvailableAfterFirstAttemptDespiteRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		code   int
		reason reflector.Reason
	}{"503": {503, reflector.ReasonServerError}, "429": {429, reflector.ReasonThrottled}, "500": {500, reflector.ReasonServerError}} {
		for _, preferList := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
					r.srv.Fault(apitest.Fault{Action: apitest.Fail(c.code, 30*time.Second)})
					var reported []error
					inf, stop := r.run(informer.Options[*Pod]{PreferList: preferList, WatchErrorHandler: func(_ context.Context, err error) { reported = append(reported, err) }})
					defer stop()
					began := time.Now()
					synctest.Wait()
					require.NotEmpty(t, reported)
					var failed *reflector.Error
					require.ErrorAs(t, reported[0], &failed)
					require.Equal(t, c.reason, failed.Reason)
					require.ErrorAs(t, inf.State().Source.Err, &failed)
					require.Equal(t, c.reason, failed.Reason)
					// With several namespaces, only the first may send a request: the others wait.
					first := slices.IndexFunc(reported, func(err error) bool { return errors.As(err, &failed) && !failed.RetryAt.IsZero() })
					require.GreaterOrEqual(t, first, 0, "no error has the time of the next attempt")
					require.GreaterOrEqual(t, failed.RetryAt.Sub(began), 30*time.Second, "RetryAt is before the end of Retry-After")

					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					err := inf.WaitForSync(ctx)
					require.ErrorIs(t, err, context.DeadlineExceeded)
					status := apierrors.APIStatus(nil)
					text, _, _ := strings.Cut(failed.Err.Error(), " (") // without the request
					require.ErrorContains(t, err, text)
					require.ErrorAs(t, failed, &status)
					require.EqualValues(t, c.code, status.Status().Code)
					requests := len(r.srv.Requests(apitest.Match{}))
					time.Sleep(28 * time.Second)
					require.Len(t, r.srv.Requests(apitest.Match{}), requests, "a request was sent before the end of Retry-After")
				})
			})
		}
	}
}
