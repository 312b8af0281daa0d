// A mock of the interface SharedIndexInformer: it embeds the interface and replaces methods.
package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

type mockInformer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
	synced   bool
}

var _ cache.SharedIndexInformer = &mockInformer{}

func (m *mockInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	m.handlers = append(m.handlers, handler)
	return m, nil
}

func (m *mockInformer) HasSynced() bool                     { return m.synced }
func (m *mockInformer) HasSyncedChecker() cache.DoneChecker { return nil }
func (m *mockInformer) GetStore() cache.Store               { return cache.NewStore(cache.MetaNamespaceKeyFunc) }

func main() {
	m := &mockInformer{synced: true}
	subscribe(m)
	fmt.Println(len(m.handlers))
}

func subscribe(informer cache.SharedIndexInformer) {
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
		panic(err)
	}
}
