package informer_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
)

// A panic of a WatchErrorHandler ends only that call, for failures of a request, of
// decoding and of a transform. The informer follows the server.
func TestWatchErrorHandlerPanicEndsOneCall(t *testing.T) {
	for name, preferList := range map[string]bool{"streamed": false, "listed": true} {
		t.Run(name, func(t *testing.T) {
			withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
				r.pod("a")
				r.pod("refused")
				apitest.Create(t, r.srv, &untypedPod{
					TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
					ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "undecodable"}, Status: "not an object",
				})
				r.srv.Fault(apitest.Fault{Action: apitest.Fail(500, 0), Times: 2})
				var log bytes.Buffer
				transformErr, calls := errors.New("transform failed"), map[string]int{}
				var callsLock sync.Mutex // the namespaces of an informer call the handler at the same time
				inf, stop := r.run(informer.Options[*Pod]{
					PreferList: preferList,
					Logger:     slog.New(slog.NewTextHandler(&log, nil)),
					Transform: func(p *Pod) (*Pod, bool, error) {
						if p.Name == "refused" {
							return nil, false, transformErr
						}
						return p, true, nil
					},
					WatchErrorHandler: func(_ context.Context, err error) {
						kind, item := "request", (*listwatch.ItemError)(nil)
						switch {
						case errors.Is(err, transformErr):
							kind = "transform"
						case errors.As(err, &item):
							kind = "item"
						}
						callsLock.Lock()
						calls[kind]++
						callsLock.Unlock()
						panic("handler panicked")
					},
				})
				defer stop()
				time.Sleep(30 * time.Second)
				r.pod("b")
				synctest.Wait()
				require.True(t, inf.HasSynced())
				require.Equal(t, []string{"default/a", "default/b"}, slices.Sorted(inf.Keys()))
				if r.ofNamespaces && calls["request"] == 3 {
					calls["request"]-- // a namespace that waits for the failing one reports that
				}
				require.Equal(t, map[string]int{"request": 2, "item": 1, "transform": 1}, calls)
				require.NotZero(t, strings.Count(log.String(), "WatchErrorHandler panicked"))
				require.Contains(t, log.String(), "handler panicked")
			})
		})
	}
}

// untypedPod is a pod whose status does not fit Pod.
type untypedPod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            string `json:"status"`
}
