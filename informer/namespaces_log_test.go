package informer_test

import (
	"bytes"
	"fmt"
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
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// logLines collects the lines of a logger.
type logLines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logLines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// take returns the lines since the last call.
func (l *logLines) take() []string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return slices.Collect(strings.Lines(l.text.String()))
}

// numberedNamespaces returns n names.
func numberedNamespaces(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("n-%03d", i))
	}
	return names
}

// An outage with an informer of 200 namespaces is a few lines in the log, however it
// appears, and one line says that all work again. It is the same for an informer of one.
func TestOutageOfNamespacesIsFewLinesInTheLog(t *testing.T) {
	for _, kind := range []apitest.OutageKind{apitest.OutageRefused, apitest.OutageReset, apitest.OutageHalfOpen, apitest.OutageUnavailable} {
		for _, count := range []int{1, 200} {
			t.Run(fmt.Sprintf("%v of %d", kind, count), func(t *testing.T) {
				withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
					lines := new(logLines)
					inf, stop := r.runNamespaces(informer.Options[*Pod]{Logger: lines.logger(), IdleTimeout: 20 * time.Second}, numberedNamespaces(count)...)
					defer stop()
					require.NoError(t, inf.WaitForSync(t.Context()))
					require.Empty(t, lines.take())
					end := r.srv.BeginOutage(apitest.Outage{Kind: kind})
					time.Sleep(time.Minute)
					end()
					time.Sleep(time.Minute)
					all := lines.take()
					require.LessOrEqual(t, len(all), 6, "%s", all)
					require.GreaterOrEqual(t, len(all), 2, "%s", all)
					for i, line := range all {
						if i < len(all)-1 {
							require.Contains(t, line, `level=WARN msg="List or watch failed" source="pods -n n-`)
						}
					}
					name := "pods in several namespaces"
					if count == 1 {
						name = "pods -n n-000"
					}
					require.Contains(t, all[len(all)-1], fmt.Sprintf(`level=INFO msg="List or watch recovered" source=%q after=`, name))
					require.NotContains(t, all[len(all)-1], "failing=")
					time.Sleep(2 * time.Minute)
					require.Empty(t, lines.take())
				})
			})
		}
	}
}

// A namespace that is forbidden is named by the log, also when it works again, and when
// others have failed together with it meanwhile.
func TestLogNamesTheForbiddenNamespace(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		lines := new(logLines)
		forbidden := r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "n-007", Resource: "pods"}, Action: apitest.Fail(403, 0)})
		_, stop := r.runNamespaces(informer.Options[*Pod]{Logger: lines.logger()}, numberedNamespaces(20)...)
		defer stop()
		time.Sleep(30 * time.Second)
		all := lines.take()
		require.Len(t, all, 1)
		require.Contains(t, all[0], `source="pods -n n-007" verb=watch reason=forbidden err="watch pods -n n-007: `)

		r.srv.Restart()
		end := r.srv.BeginOutage(apitest.Outage{Kind: apitest.OutageUnavailable})
		time.Sleep(30 * time.Second)
		end()
		time.Sleep(2 * time.Minute)
		recovered := 0
		for _, line := range lines.take() {
			if strings.Contains(line, "level=INFO") {
				recovered++
				require.Contains(t, line, `source="pods in several namespaces"`)
				require.Contains(t, line, "recovered=19 failing=1")
			}
		}
		require.Equal(t, 1, recovered)
		forbidden.Remove()
		time.Sleep(2 * time.Minute)
		all = lines.take()
		require.Contains(t, all[len(all)-1], `level=INFO msg="List or watch recovered" source="pods -n n-007" after=`)
	})
}

// That a kind is not served is one line for all namespaces.
func TestMissingKindOfNamespacesIsOneLine(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		client, err := rest.New(r.srv.Config())
		require.NoError(t, err)
		defer client.Close()
		widgets := rest.ResourceInfo{GroupVersionResource: metav1.SchemeGroupVersion.WithResource("widgets"), Kind: "Widget", Namespaced: true}
		lines := new(logLines)
		inf := informer.ForNamespaces(nil, rest.NewView[*Pod](client, widgets), informer.Options[*Pod]{Logger: lines.logger()}, numberedNamespaces(50)...)
		defer runUntilStopped(t, inf)()
		time.Sleep(time.Hour)
		all := lines.take()
		require.Len(t, all, 1, "%s", all)
		require.Contains(t, all[0], `retry="when it is served, checked in`)
	})
}

// After an outage, a namespace that still fails is before those that watch again,
// although these have failed as well less than ten seconds ago.
func TestStateHasTheNamespaceThatStillFailsFirst(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		inf, stop := r.runNamespaces(informer.Options[*Pod]{}, "a", "b", "c")
		defer stop()
		require.NoError(t, inf.WaitForSync(t.Context()))
		end := r.srv.BeginOutage(apitest.Outage{Kind: apitest.OutageUnavailable})
		time.Sleep(20 * time.Second)
		r.srv.Fault(apitest.Fault{Match: apitest.Match{Namespace: "c", Resource: "pods"}, Action: apitest.Fail(403, 0)})
		end()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		state := inf.State()
		require.Equal(t, "c", state.Namespaces[0].Namespace)
		require.Equal(t, "pods -n c", state.Source.Name)
		require.False(t, state.Source.Recovering)
		for _, n := range state.Namespaces[1:] {
			require.Error(t, n.Source.Err)
			require.True(t, n.Source.Recovering)
			require.Equal(t, reflector.PhaseWatching, n.Source.Phase)
		}
		time.Sleep(10 * time.Second)
		require.NoError(t, inf.State().Namespaces[1].Source.Err)
	})
}
