//lint:file-ignore SA1019 deprecated names are what older programs have

package surface

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/rest"
)

// Typical calls of programs and of the documentation compile with client-go's client and
// with ours, although the signatures differ.
func TestCallsCompile(t *testing.T) {
	clientset, err := kubernetes.NewForConfig(&clientrest.Config{Host: "http://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	var theirs clientrest.Interface = clientset.CoreV1().RESTClient()
	client, err := rest.New(&rest.Config{Host: "http://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ours := client.GroupVersion(corev1.SchemeGroupVersion)
	modify := func(options *metav1.ListOptions) { options.LabelSelector = "app=web" }
	for _, lw := range []*cache.ListWatch{
		cache.NewListWatchFromClient(clientset.CoreV1().RESTClient(), "pods", metav1.NamespaceAll, fields.Everything()),
		cache.NewListWatchFromClient(theirs, "pods", "ns", fields.OneTermEqualSelector("spec.nodeName", "n")),
		cache.NewListWatchFromClient(ours, "pods", "ns", fields.Everything()),
		cache.NewFilteredListWatchFromClient(clientset.CoreV1().RESTClient(), "pods", "ns", modify),
		cache.NewFilteredListWatchFromClient(ours, "pods", "ns", modify),
	} {
		if lw.ListFunc == nil || lw.WatchFunc == nil || lw.ListWithContextFunc == nil || lw.WatchFuncWithContext == nil {
			t.Error("a ListWatch lacks functions that client-go sets")
		}
		var _ cache.ListerWatcher = lw
		var _ cache.ListerWatcherWithContext = lw
	}
}
