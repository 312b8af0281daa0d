package interop_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop"
)

func onAdd(any) {}

func onAddOf(any, bool) {}

// The error for a handler that an informer does not accept names the handler of the
// program, as client-go's error shows it: its type, or its first function.
func TestErrorsNameTheHandlerOfTheProgram(t *testing.T) {
	informer := interop.NewSharedIndexInformer(listsOf(nil), &corev1.Pod{}, 0, nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	informer.RunWithContext(ended)
	funcs := clientcache.ResourceEventHandlerFuncs{AddFunc: onAdd}
	detailed := clientcache.ResourceEventHandlerDetailedFuncs{AddFunc: onAddOf}
	for _, test := range []struct {
		handler clientcache.ResourceEventHandler
		want    string
	}{
		{&recorder{}, "*interop_test.recorder"},
		{funcs, "interop_test.onAdd"},
		{&funcs, "interop_test.onAdd"},
		{detailed, "interop_test.onAddOf"},
		{&detailed, "interop_test.onAddOf"},
		{clientcache.ResourceEventHandlerFuncs{}, "cache.ResourceEventHandlerFuncs"},
		{clientcache.FilteringResourceEventHandler{Handler: &recorder{}}, "*interop_test.recorder"},
		{&clientcache.FilteringResourceEventHandler{Handler: funcs}, "interop_test.onAdd"},
		{clientcache.FilteringResourceEventHandler{}, "cache.FilteringResourceEventHandler"},
		{clientcache.FilteringResourceEventHandler{Handler: (*recorder)(nil)}, "cache.FilteringResourceEventHandler"},
	} {
		_, err := informer.AddEventHandler(test.handler)
		require.ErrorContains(t, err, test.want+" to the informer of")
		require.ErrorContains(t, err, "informer: stopped")
		require.NotContains(t, err.Error(), "clientGoHandler")
	}
}
