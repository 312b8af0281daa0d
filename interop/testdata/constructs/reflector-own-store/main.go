// An exporter: reflectors write to a store of the program.
package main

import (
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type metrics struct {
	mu    sync.Mutex
	lines map[types.UID]string
}

var _ cache.Store = &metrics{}

func (m *metrics) Add(obj any) error {
	o, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines[o.GetUID()] = o.GetName()
	return nil
}

func (m *metrics) Update(obj any) error { return m.Add(obj) }

func (m *metrics) Delete(obj any) error {
	o, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.lines, o.GetUID())
	return nil
}

func (m *metrics) List() []any                          { return nil }
func (m *metrics) ListKeys() []string                   { return nil }
func (m *metrics) Get(any) (any, bool, error)           { return nil, false, nil }
func (m *metrics) GetByKey(string) (any, bool, error)   { return nil, false, nil }
func (m *metrics) Resync() error                        { return nil }
func (m *metrics) Bookmark(string)                      {}
func (m *metrics) LastStoreSyncResourceVersion() string { return "" }

func (m *metrics) Replace(list []any, _ string) error {
	m.mu.Lock()
	m.lines = map[types.UID]string{}
	m.mu.Unlock()
	for _, obj := range list {
		if err := m.Add(obj); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	client := kubernetes.NewForConfigOrDie(&rest.Config{})
	source := cache.NewListWatchFromClient(client.AppsV1().RESTClient(), "deployments", "", fields.Everything())
	reflector := cache.NewReflectorWithOptions(source, &appsv1.Deployment{}, &metrics{lines: map[types.UID]string{}}, cache.ReflectorOptions{ResyncPeriod: 0})
	reflector.Run(make(chan struct{}))
}
