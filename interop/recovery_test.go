package interop_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/listwatch"
)

// The informers of a clientset share one Recovery, whatever their group: while the server
// does not respond, one of them sends requests, and not one of each group.
func TestGroupsOfAClientsetRecoverTogether(t *testing.T) {
	of := func(client clientrest.Interface) *listwatch.Recovery {
		lw := cache.NewListWatchFromClient(client, "things", "", fields.Everything())
		return cache.ToTyped[*corev1.Pod](lw).(listwatch.Recoverable).Recovery()
	}
	// Without TLS and credentials, both clientsets use http.DefaultClient.
	clientset, err := kubernetes.NewForConfig(&clientrest.Config{Host: "http://server"})
	require.NoError(t, err)
	standby, err := kubernetes.NewForConfig(&clientrest.Config{Host: "http://standby"})
	require.NoError(t, err)

	core, apps := of(clientset.CoreV1().RESTClient()), of(clientset.AppsV1().RESTClient())
	require.Equal(t, core.InGroup("apps"), apps)
	require.NotEqual(t, core, apps, "a failure of one group")
	require.NotEqual(t, core, of(standby.CoreV1().RESTClient()), "another server")
}
