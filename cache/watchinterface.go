package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/rest"
)

// watchInterface is what a client's Watch has returned as a watch.Interface.
func watchInterface(w any) (watch.Interface, error) {
	switch w := w.(type) {
	case watch.Interface:
		return w, nil
	case *rest.Watch[*unstructured.Unstructured]:
		return spoonFed(w), nil
	default:
		return nil, fmt.Errorf("watch: the client returned a %T, which is no watch", w)
	}
}

// fedWatch hands out over a channel what a Watch has when it is asked.
type fedWatch struct {
	watch   *rest.Watch[*unstructured.Unstructured]
	ctx     context.Context
	end     context.CancelFunc
	events  chan watch.Event
	feeding sync.WaitGroup
}

// spoonFed is a watch as a watch.Interface. Its one goroutine ends with Stop, and
// with the watch.
func spoonFed(w *rest.Watch[*unstructured.Unstructured]) watch.Interface {
	f := &fedWatch{watch: w, events: make(chan watch.Event)}
	f.ctx, f.end = context.WithCancel(context.Background())
	f.feeding.Go(f.feed)
	return f
}

// ResultChan is where the events come out.
func (f *fedWatch) ResultChan() <-chan watch.Event { return f.events }

// Stop ends the watch. It returns when nothing of it runs any more.
func (f *fedWatch) Stop() {
	f.end()
	f.watch.Stop()
	f.feeding.Wait()
}

func (f *fedWatch) feed() {
	defer close(f.events)
	defer f.watch.Stop()
	for {
		event, err := f.watch.Next(f.ctx)
		out, goesOn := eventOf(event, err)
		if f.ctx.Err() != nil || out.Type == "" {
			return
		}
		select {
		case f.events <- out:
		case <-f.ctx.Done():
			return
		}
		if !goesOn {
			return
		}
	}
}

// eventOf is an event, or an error, as it comes over a channel. It has no type
// where the channel just ends.
func eventOf(event rest.Event[*unstructured.Unstructured], err error) (out watch.Event, goesOn bool) {
	var status apierrors.APIStatus
	var item *rest.ItemError
	switch {
	case err == nil:
		return watch.Event{Type: event.Type, Object: objectIn(event)}, true
	case errors.As(err, &status):
		said := status.Status()
		return watch.Event{Type: watch.Error, Object: &said}, false
	case errors.As(err, &item):
		failure := apierrors.NewInternalError(err).Status()
		failure.Details.Causes = append(failure.Details.Causes, metav1.StatusCause{Type: causeUndecodable, Message: err.Error()})
		return watch.Event{Type: watch.Error, Object: &failure}, false
	}
	return watch.Event{}, false
}

// objectIn is the object of an event; of a bookmark, one that has nothing but
// what the bookmark says.
func objectIn(event rest.Event[*unstructured.Unstructured]) runtime.Object {
	if event.Type != watch.Bookmark {
		return event.Object
	}
	mark := &unstructured.Unstructured{Object: map[string]any{}}
	mark.SetResourceVersion(event.ResourceVersion)
	if event.InitialEventsEnd {
		mark.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	return mark
}
