package main

import (
	"context"
	"sync/atomic"
)

// slowHandler is the name of the handler that the controls slow and panic change.
const slowHandler = "slow"

// handler does nothing but wait or panic when a control says so.
type handler struct {
	records *recorder
	delay   delay
	// panics makes the next callback panic.
	panics atomic.Bool
}

// handle is called for each notification.
func (h *handler) handle(object *ConfigMap) {
	if h.panics.CompareAndSwap(true, false) {
		h.records.add(Record{Stage: StageHandler, Kind: "panic", Name: slowHandler, Key: keyOf(object)})
		panic("the control panic made the handler panic")
	}
	_ = h.delay.wait(context.Background()) // the end of the program ends all delays
}

// OnAdd implements informer.ResourceEventHandler.
func (h *handler) OnAdd(object *ConfigMap, _ bool) { h.handle(object) }

// OnUpdate implements informer.ResourceEventHandler.
func (h *handler) OnUpdate(_, object *ConfigMap) { h.handle(object) }

// OnDelete implements informer.ResourceEventHandler.
func (h *handler) OnDelete(object *ConfigMap, _ bool) { h.handle(object) }

func keyOf(object *ConfigMap) string { return object.Namespace + "/" + object.Name }
