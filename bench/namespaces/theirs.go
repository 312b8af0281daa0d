package namespaces

import (
	"context"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clientgo "k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/thinformer/thinformer/bench/apiserver"
)

// theirs has the caches of controller-runtime, with one HTTP client and one mapper.
type theirs struct {
	config *clientgo.Config
	client *http.Client
	scheme *runtime.Scheme
	mapper meta.RESTMapper
	stops  []func()
}

func openTheirs(at apiserver.Address, dial dialFunc, namespaces []string, onAdd func()) informer {
	t := &theirs{config: at.Theirs(), scheme: runtime.NewScheme()}
	t.config.Dial = dial
	check(corev1.AddToScheme(t.scheme))
	t.client = must(clientgo.HTTPClientFor(t.config))
	t.mapper = must(apiutil.NewDynamicRESTMapper(t.config, t.client))
	t.stops = append(t.stops, t.start(namespaces, onAdd))
	return t
}

// start starts a cache of namespaces; all if there are none.
func (t *theirs) start(namespaces []string, onAdd func()) (stop func()) {
	options := cache.Options{HTTPClient: t.client, Scheme: t.scheme, Mapper: t.mapper}
	for _, namespace := range namespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	objects := must(cache.New(t.config, options))
	ctx, cancel := context.WithCancel(context.Background())
	inf := must(objects.GetInformer(ctx, new(corev1.ConfigMap), cache.BlockUntilSynced(false)))
	must(inf.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) { onAdd() }}))
	var ended sync.WaitGroup
	ended.Go(func() { check(objects.Start(ctx)) })
	return func() {
		cancel()
		ended.Wait()
	}
}

func (t *theirs) add(namespace string) time.Duration {
	took, stop := t.first(namespace)
	t.stops = append(t.stops, stop)
	return took
}

func (t *theirs) single(namespace string) time.Duration {
	took, stop := t.first(namespace)
	stop()
	return took
}

// first starts a cache of one namespace, until its first object was added.
func (t *theirs) first(namespace string) (took time.Duration, stop func()) {
	first := make(chan struct{})
	once := sync.OnceFunc(func() { close(first) })
	began := time.Now()
	stop = t.start([]string{namespace}, once)
	wait(first)
	return time.Since(began), stop
}

func (t *theirs) stop() {
	for _, stop := range t.stops {
		stop()
	}
	t.client.CloseIdleConnections()
}
