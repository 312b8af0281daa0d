package informers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/transport"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/interop/informers"
)

// settings are the options of a factory.
type settings struct {
	resync    time.Duration
	custom    map[metav1.Object]time.Duration
	namespace string
	tweak     internalinterfaces.TweakListOptionsFunc
	transform clientcache.TransformFunc
	name      *clientcache.InformerName
}

// both runs a test with a factory of client-go and with one of package informers. The test
// requires the same of both.
func both(t *testing.T, test func(t *testing.T, newFactory func(kubernetes.Interface, settings) clientgo.SharedInformerFactory)) {
	t.Run("client-go", func(t *testing.T) {
		test(t, func(client kubernetes.Interface, s settings) clientgo.SharedInformerFactory {
			return clientgo.NewSharedInformerFactoryWithOptions(client, s.resync, clientgo.WithNamespace(s.namespace), clientgo.WithTweakListOptions(s.tweak),
				clientgo.WithTransform(s.transform), clientgo.WithCustomResyncConfig(s.custom), clientgo.WithInformerName(s.name))
		})
	})
	t.Run("thinformer", func(t *testing.T) {
		test(t, func(client kubernetes.Interface, s settings) clientgo.SharedInformerFactory {
			return informers.NewSharedInformerFactoryWithOptions(client, s.resync, informers.WithNamespace(s.namespace), informers.WithTweakListOptions(s.tweak),
				informers.WithTransform(s.transform), informers.WithCustomResyncConfig(s.custom), informers.WithInformerName(s.name))
		})
	})
}

// clientsetOf returns a clientset for a server. Wrap may wrap its transport.
func clientsetOf(t *testing.T, srv *apitest.Server, wrap transport.WrapperFunc) kubernetes.Interface {
	t.Helper()
	config := srv.Config()
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: config.Host, TLSClientConfig: rest.TLSClientConfig{CAData: config.TLS.CAData}, BearerToken: config.BearerToken,
		QPS: -1, WrapTransport: wrap,
	})
	require.NoError(t, err)
	return client
}

func serverOf(t *testing.T) *apitest.Server {
	t.Helper()
	srv := apitest.NewServer(apitest.Options{Controllers: false})
	t.Cleanup(srv.Close)
	apitest.Create(t, srv, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})
	return srv
}

func pod(namespace, name, app string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": app}}}
}

// records returns a handler that sends a line for each event.
func records(lines chan<- string) clientcache.ResourceEventHandler {
	describe := func(obj any) string {
		object := obj.(metav1.Object)
		return object.GetNamespace() + "/" + object.GetName() + " " + object.GetLabels()["app"] + " " + object.GetAnnotations()["seen"]
	}
	return clientcache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			if initial {
				lines <- "initial " + describe(obj)
			} else {
				lines <- "add " + describe(obj)
			}
		},
		UpdateFunc: func(_, obj any) { lines <- "update " + describe(obj) },
		DeleteFunc: func(obj any) { lines <- "delete " + describe(obj) },
	}
}

func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(2 * time.Minute):
		t.Fatal("no event")
		return ""
	}
}
