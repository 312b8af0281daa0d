package factory_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned"
)

// declaring is a clientset whose requests are those of the embedded one. It says whether it
// can stream the initial events.
type declaring struct {
	versioned.Interface
	streams bool
}

func (d declaring) IsWatchListSemanticsUnSupported() bool { return !d.streams }

// A clientset that says that it cannot stream the initial events is listed, also if this
// module decodes the responses. The server receives the same requests as from the
// informers of the generated factory.
func TestAClientsetDeclaresWhetherItStreams(t *testing.T) {
	for _, test := range []struct {
		streams bool
		want    []string
	}{
		{streams: true, want: []string{"watch with initial events"}},
		{streams: false, want: []string{"list", "watch"}},
	} {
		for name, newFactory := range newFactories {
			t.Run(fmt.Sprintf("%s, streams: %t", name, test.streams), func(t *testing.T) {
				srv, client := served(t)
				factory := newFactory(declaring{client, test.streams}, "default", nil)
				informer := factory.Shop().V1().Widgets().Informer()
				require.Equal(t, name == "thinformer", isOurs(informer))
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer factory.Shutdown()
				defer cancel()
				factory.StartWithContext(ctx)
				require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())
				require.NoError(t, srv.WaitForRequests(ctx, apitest.Match{Verb: "watch", Resource: "widgets"}, 1))
				var requests []string
				for _, request := range srv.Requests(apitest.Match{Resource: "widgets"}) {
					line := request.Verb
					if request.Parameter("sendInitialEvents") == "true" {
						line += " with initial events"
					}
					requests = append(requests, line)
				}
				require.Equal(t, test.want, requests)
			})
		}
	}
}
