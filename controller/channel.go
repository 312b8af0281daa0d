package controller

import (
	"context"
	"fmt"

	"github.com/thinformer/thinformer/informer"
)

// Channel makes c reconcile the keys that are received from requests while it runs,
// for events from outside the API server. A channel that is closed is removed.
func Channel(c *Controller, requests <-chan Request) {
	if requests == nil {
		c.fail(fmt.Errorf("%w: %s: Channel was called with a nil channel", ErrOptions, c.name))
		return
	}
	c.add(&channelSource{requests: requests})
}

// channelSource is a Go channel as a source of keys.
type channelSource struct{ requests <-chan Request }

func (*channelSource) informer() informer.AnyInformer    { return nil }
func (*channelSource) needsFor() bool                    { return false }
func (*channelSource) waitForSync(context.Context) error { return nil }

func (ch *channelSource) attach(r *run) (attachedSource, error) {
	synced, stop, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	close(synced)
	go func() {
		defer close(done)
		requests := ch.requests
		for {
			select {
			case <-stop:
				return
			case req, ok := <-requests:
				if !ok { // which does not end the controller
					requests = nil
					r.c.removeSource(ch)
					continue
				}
				r.queueKey(req, ReasonChanged, "")
			}
		}
	}()
	return attachedSource{name: "a channel", synced: synced, remove: func() { close(stop) }, done: done}, nil
}
