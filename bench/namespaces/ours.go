package namespaces

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/thinformer/thinformer/bench/apiserver"
	thinformer "github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

var configMapsInfo = rest.ResourceInfo{GroupVersionResource: corev1.SchemeGroupVersion.WithResource("configmaps"), Kind: "ConfigMap", Namespaced: true}

// ours is an informer of this library.
type ours struct {
	client     *rest.Client
	view       *rest.View[*corev1.ConfigMap]
	informer   *thinformer.SharedInformer[*corev1.ConfigMap]
	namespaces []string
	firsts     firsts
	stopRun    func()
}

// firsts has a channel for each awaited namespace, which is closed at its first Add.
type firsts struct {
	mu      sync.Mutex
	awaited map[string]chan struct{}
}

func (f *firsts) await(namespace string) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := make(chan struct{})
	f.awaited = map[string]chan struct{}{namespace: first}
	return first
}

func (f *firsts) added(namespace string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if first := f.awaited[namespace]; first != nil {
		close(first)
		delete(f.awaited, namespace)
	}
}

func openOurs(at apiserver.Address, dial dialFunc, namespaces []string, onAdd func()) informer {
	config := at.Ours()
	config.Dial = dial
	o := &ours{client: must(rest.New(config)), namespaces: namespaces}
	o.view = rest.NewView[*corev1.ConfigMap](o.client, configMapsInfo)
	if len(namespaces) == 0 {
		o.informer = thinformer.New(o.view, thinformer.Options[*corev1.ConfigMap]{})
	} else {
		o.informer = thinformer.ForNamespaces(nil, o.view, thinformer.Options[*corev1.ConfigMap]{}, namespaces...)
	}
	o.stopRun = start(o.informer, func(c *corev1.ConfigMap) {
		onAdd()
		o.firsts.added(c.Namespace)
	})
	return o
}

// start runs an informer with a handler.
func start(inf *thinformer.SharedInformer[*corev1.ConfigMap], added func(*corev1.ConfigMap)) (stop func()) {
	must(inf.AddEventHandler(thinformer.ResourceEventHandlerFuncs[*corev1.ConfigMap]{
		AddFunc: func(c *corev1.ConfigMap, _ bool) { added(c) },
	}, thinformer.HandlerOptions{}))
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { check(inf.Run(ctx)) })
	return func() {
		cancel()
		ended.Wait()
	}
}

func (o *ours) add(namespace string) time.Duration {
	first := o.firsts.await(namespace)
	o.namespaces = append(o.namespaces, namespace)
	began := time.Now()
	check(o.informer.SetNamespaces(o.namespaces...))
	wait(first)
	return time.Since(began)
}

func (o *ours) single(namespace string) time.Duration {
	first := make(chan struct{})
	once := sync.OnceFunc(func() { close(first) })
	began := time.Now()
	stop := start(thinformer.New(o.view.Namespace(namespace), thinformer.Options[*corev1.ConfigMap]{}), func(*corev1.ConfigMap) { once() })
	wait(first)
	took := time.Since(began)
	stop()
	return took
}

func (o *ours) stop() {
	o.stopRun()
	o.client.Close()
}
