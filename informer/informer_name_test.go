package informer_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// Two informers of one resource with different namespaces or selectors have different
// names: in State, in the error of a wait, in the errors for the WatchErrorHandler, and
// in the log.
func TestDefaultNamesDistinguishInformers(t *testing.T) {
	withServer(t, apitest.Options{}, func(t *testing.T, r *serverFixture) {
		r.srv.Fault(apitest.Fault{Action: apitest.Fail(403, 0)})
		view, core := rest.NewView[*Pod](r.client, pods), r.client.GroupVersion(pods.GroupVersion())
		shown := fields.OneTermEqualSelector("metadata.name", "shown")
		for name, source := range map[string]listwatch.ListerWatcher[*Pod]{
			"pods":                  view,
			"pods -n a":             view.Namespace("a"),
			"pods -n b":             listwatch.Modify(view.Namespace("b"), func(o *metav1.ListOptions) { o.Limit = 7 }),
			"pods -n c":             listwatch.NewListWatchFromClient[*Pod](core, "pods", "c", fields.Everything()),
			"pods -n a -l app=web":  listwatch.Select(view.Namespace("a"), labels.SelectorFromSet(labels.Set{"app": "web"}), nil),
			"pods -n c -l app=shop": listwatch.NewFilteredListWatchFromClient[*Pod](core, "pods", "c", func(o *metav1.ListOptions) { o.LabelSelector = "app=shop" }),
			"pods --field-selector metadata.name=shown":      listwatch.Select(view, nil, shown),
			"pods -n c --field-selector metadata.name=shown": listwatch.NewListWatchFromClient[*Pod](core, "pods", "c", shown),
		} {
			var log bytes.Buffer
			var reported []error
			for _, o := range []informer.Options[*Pod]{
				{Logger: slog.New(slog.NewTextHandler(&log, nil))},
				{WatchErrorHandler: func(_ context.Context, err error) { reported = append(reported, err) }},
			} {
				inf := informer.New(source, o)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- inf.Run(ctx) }()
				wait, done := context.WithTimeout(t.Context(), time.Second)
				err := inf.WaitForSync(wait)
				done()
				require.ErrorContains(t, err, name+": ")
				require.Equal(t, name, inf.State().Name)
				require.ErrorContains(t, inf.State().Source.Err, " "+name+": ")
				cancel()
				require.NoError(t, <-ended)
			}
			synctest.Wait()
			inLog := name
			if strings.Contains(name, " ") {
				inLog = `"` + name + `"`
			}
			require.Contains(t, log.String(), "source="+inLog+" ")
			failure := (*reflector.Error)(nil)
			require.NotEmpty(t, reported)
			require.ErrorAs(t, reported[0], &failure)
			require.Equal(t, name, failure.Name)
		}
	})
}
