package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// slowHandler is the name of the handler that the controls slow and panic change.
const slowHandler = "slow"

// handler does nothing but wait or panic when a control says so.
type handler struct {
	records *recorder
	delay   atomic.Int64 // nanoseconds
	// panics makes the next callback panic.
	panics atomic.Bool

	mu sync.Mutex
	// changed is closed when the delay has changed.
	changed chan struct{}
}

func newHandler(records *recorder) *handler {
	return &handler{records: records, changed: make(chan struct{})}
}

// setDelay changes the delay, also of a callback in progress.
func (h *handler) setDelay(delay time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.delay.Store(int64(delay))
	close(h.changed)
	h.changed = make(chan struct{})
}

// handle is called for each notification.
func (h *handler) handle(key string) {
	if h.panics.CompareAndSwap(true, false) {
		h.records.add(Record{Stage: StageHandler, Kind: "panic", Name: slowHandler, Key: key})
		panic("the control panic made the handler panic")
	}
	h.mu.Lock()
	delay, changed := time.Duration(h.delay.Load()), h.changed
	h.mu.Unlock()
	if delay == 0 {
		return
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	}
}

// OnAdd implements informer.ResourceEventHandler.
func (h *handler) OnAdd(object *ConfigMap, _ bool) { h.handle(keyOf(object)) }

// OnUpdate implements informer.ResourceEventHandler.
func (h *handler) OnUpdate(_, object *ConfigMap) { h.handle(keyOf(object)) }

// OnDelete implements informer.ResourceEventHandler.
func (h *handler) OnDelete(object *ConfigMap, _ bool) { h.handle(keyOf(object)) }

func keyOf(object *ConfigMap) string { return object.Namespace + "/" + object.Name }
