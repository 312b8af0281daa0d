package server

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// cluster has the operations of the cases, for both sides.
type cluster interface {
	create(*corev1.ConfigMap)
	get(like *corev1.ConfigMap) *corev1.ConfigMap
	list() int
	// watch returns a function that waits for the next event and returns the name of
	// its object.
	watch() (next func() string)
	close()
}

const namespace = "default"

// configMap returns the i-th config map, of about 300 bytes.
func configMap(i int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprint("object-", i), Labels: map[string]string{"app": "web", "tier": "front"}},
		Data:       map[string]string{"key": strings.Repeat("v", 100)},
	}
}

type ours struct {
	server   *apitest.Server
	client   *rest.Client
	resource *rest.Resource[*corev1.ConfigMap]
	ctx      context.Context
	end      context.CancelFunc
}

func openOurs(objects int) cluster {
	o := &ours{server: apitest.NewServer(apitest.Options{InMemory: true})}
	apitest.Seed(nil, o.server, objects, configMap)
	var err error
	o.client, err = rest.New(o.server.Config())
	must(err)
	o.resource = rest.NewResource[*corev1.ConfigMap](o.client, rest.ResourceInfo{
		GroupVersionResource: corev1.SchemeGroupVersion.WithResource("configmaps"), Kind: "ConfigMap", Namespaced: true,
	}).Namespace(namespace)
	o.ctx, o.end = context.WithCancel(context.Background())
	return o
}

func (o *ours) create(obj *corev1.ConfigMap) {
	_, err := o.resource.Create(o.ctx, obj, metav1.CreateOptions{})
	must(err)
}

func (o *ours) get(like *corev1.ConfigMap) *corev1.ConfigMap {
	got, err := o.resource.Get(o.ctx, like.Name, metav1.GetOptions{})
	must(err)
	return got
}

func (o *ours) list() (n int) {
	list, err := o.resource.List(o.ctx, metav1.ListOptions{})
	must(err)
	for _, err := range list.Items() {
		must(err)
		n++
	}
	return n
}

func (o *ours) watch() func() string {
	watch, err := o.resource.Watch(o.ctx, metav1.ListOptions{})
	must(err)
	return func() string {
		event, err := watch.Next(o.ctx)
		must(err)
		return event.Object.Name
	}
}

func (o *ours) close() {
	o.end()
	o.client.Close()
	o.server.Close()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
