package server

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// objects returns the initial objects of a fake.
func objects(n int) []runtime.Object {
	all := make([]runtime.Object, n)
	for i := range all {
		all[i] = configMap(i)
	}
	return all
}

// clientset is client-go's fake clientset with managed fields, which replaces the
// simple one.
type clientset struct {
	typedv1.ConfigMapInterface
	ctx      context.Context
	watching watch.Interface
}

func openClientset(n int) cluster {
	return &clientset{ConfigMapInterface: fake.NewClientset(objects(n)...).CoreV1().ConfigMaps(namespace), ctx: context.Background()}
}

func (c *clientset) create(obj *corev1.ConfigMap) {
	_, err := c.Create(c.ctx, obj, metav1.CreateOptions{})
	must(err)
}

func (c *clientset) get(like *corev1.ConfigMap) *corev1.ConfigMap {
	got, err := c.Get(c.ctx, like.Name, metav1.GetOptions{})
	must(err)
	return got
}

func (c *clientset) list() int {
	list, err := c.List(c.ctx, metav1.ListOptions{})
	must(err)
	return len(list.Items)
}

func (c *clientset) watch() func() string {
	var err error
	c.watching, err = c.Watch(c.ctx, metav1.ListOptions{})
	must(err)
	return nextOf(c.watching)
}

func (c *clientset) close() { stop(c.watching) }

// crClient is controller-runtime's fake client.
type crClient struct {
	client.WithWatch
	ctx      context.Context
	watching watch.Interface
}

func openCRClient(n int) cluster {
	return &crClient{WithWatch: crfake.NewClientBuilder().WithRuntimeObjects(objects(n)...).Build(), ctx: context.Background()}
}

func (c *crClient) create(obj *corev1.ConfigMap) { must(c.Create(c.ctx, obj)) }

func (c *crClient) get(like *corev1.ConfigMap) *corev1.ConfigMap {
	got := new(corev1.ConfigMap)
	must(c.Get(c.ctx, client.ObjectKeyFromObject(like), got))
	return got
}

func (c *crClient) list() int {
	var list corev1.ConfigMapList
	must(c.List(c.ctx, &list, client.InNamespace(namespace)))
	return len(list.Items)
}

func (c *crClient) watch() func() string {
	var err error
	c.watching, err = c.Watch(c.ctx, new(corev1.ConfigMapList), client.InNamespace(namespace))
	must(err)
	return nextOf(c.watching)
}

func (c *crClient) close() { stop(c.watching) }

func nextOf(w watch.Interface) func() string {
	return func() string { return (<-w.ResultChan()).Object.(*corev1.ConfigMap).Name }
}

func stop(w watch.Interface) {
	if w != nil {
		w.Stop()
	}
}
