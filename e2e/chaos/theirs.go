package main

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	clientgo "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/e2e/plane"
)

// theirs is the program on client-go: shared informers, a rate limited queue of
// keys and workers.
type theirs struct {
	maps      typedcorev1.ConfigMapInterface
	informers []cache.SharedIndexInformer
	queue     workqueue.TypedRateLimitingInterface[string]
}

func newTheirs(servers *plane.Plane, m *meter, informers int) (*theirs, error) {
	config := &clientgo.Config{Host: servers.URL, BearerToken: servers.Tokens[plane.Admin], QPS: -1}
	config.CAData = servers.CA
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.Wrap(m.wrap)
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	t := &theirs{
		maps:  clientset.CoreV1().ConfigMaps(namespace),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	for i := range informers {
		inf := coreinformers.NewFilteredConfigMapInformer(clientset, namespace, 0, cache.Indexers{}, func(list *metav1.ListOptions) {
			list.LabelSelector = selector("theirs", i)
		})
		handle := func(obj any) {
			if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = gone.Obj
			}
			t.enqueue(m, i, obj.(*corev1.ConfigMap))
		}
		if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: handle, UpdateFunc: func(_, obj any) { handle(obj) }, DeleteFunc: handle,
		}); err != nil {
			return nil, err
		}
		t.informers = append(t.informers, inf)
	}
	return t, nil
}

// enqueue handles the notifications of an informer.
func (t *theirs) enqueue(m *meter, i int, obj *corev1.ConfigMap) {
	if beat, ok := beatOf(obj); ok {
		m.saw(i, beat)
		return
	}
	switch i {
	case items:
		t.queue.Add(obj.Name)
	case children:
		t.queue.Add(obj.Data["of"])
	}
}

func (t *theirs) run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	defer t.queue.ShutDown()
	for _, inf := range t.informers {
		running.Go(func() { inf.RunWithContext(ctx) })
	}
	for _, inf := range t.informers {
		if !cache.WaitForCacheSync(ctx.Done(), inf.HasSynced) {
			return nil
		}
	}
	for range workers {
		running.Go(func() {
			for t.work(ctx) {
			}
		})
	}
	<-ctx.Done()
	return nil
}

func (t *theirs) close() {}

func (t *theirs) work(ctx context.Context) bool {
	name, quit := t.queue.Get()
	if quit {
		return false
	}
	defer t.queue.Done(name)
	if err := t.reconcile(ctx, name); err != nil {
		t.queue.AddRateLimited(name)
	} else {
		t.queue.Forget(name)
	}
	return true
}

// reconcile writes the child of one item.
func (t *theirs) reconcile(ctx context.Context, name string) error {
	return decide("theirs", name, t.get(items, name), t.get(children, "theirs-"+name)).do(ctx, t.maps.Create, t.maps.Update, t.maps.Delete)
}

func (t *theirs) get(informer int, name string) *corev1.ConfigMap {
	obj, _, _ := t.informers[informer].GetStore().GetByKey(namespace + "/" + name)
	found, _ := obj.(*corev1.ConfigMap)
	return found
}

func (t *theirs) stored(i int) map[string]string {
	all := map[string]string{}
	for _, obj := range t.informers[i].GetStore().List() {
		m := obj.(*corev1.ConfigMap)
		all[m.Name] = m.ResourceVersion
	}
	return all
}
