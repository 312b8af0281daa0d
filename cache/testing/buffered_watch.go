package framework

import (
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// bufferedWatch is a watch of a Broadcaster with any number of pending events, so
// that the Broadcaster does not wait for the reader.
type bufferedWatch struct {
	source  watch.Interface
	events  chan watch.Event
	stop    sync.Once
	stopped chan struct{}
}

// newBufferedWatch returns a watch of the events of source. Its goroutine ends
// with Stop, or after the end of source as soon as the channel has space for all
// pending events.
func newBufferedWatch(source watch.Interface) *bufferedWatch {
	w := &bufferedWatch{
		source:  source,
		events:  make(chan watch.Event, cap(source.ResultChan())),
		stopped: make(chan struct{}),
	}
	go w.run()
	return w
}

// ResultChan returns the channel of the events.
func (w *bufferedWatch) ResultChan() <-chan watch.Event { return w.events }

// Stop ends the watch.
func (w *bufferedWatch) Stop() {
	w.stop.Do(func() {
		close(w.stopped)
		w.source.Stop()
	})
}

// run sends the events of the source in their order.
func (w *bufferedWatch) run() {
	defer close(w.events)
	var pending []watch.Event
	for received := w.source.ResultChan(); received != nil || len(pending) > 0; {
		var next watch.Event
		var events chan<- watch.Event // nil, so that nothing is sent, without a pending event
		if len(pending) > 0 {
			next, events = pending[0], w.events
		}
		select {
		case event, open := <-received:
			if open {
				pending = append(pending, event)
			} else {
				received = nil
			}
		case events <- next:
			pending = pending[1:]
		case <-w.stopped:
			return
		}
	}
}
