package reconcile

import (
	"context"
	"io"
	"strconv"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

func widgetAt(i, version int) *widget {
	return &widget{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: nameOf(i), UID: "u", ResourceVersion: strconv.Itoa(versionOf(i, version)),
	}}
}

// versionOf returns a version that is different for each object and increases with each
// change.
func versionOf(i, version int) int { return version*burst + i }

// ours is a controller of this library with its goroutines.
type ours struct {
	cancel  context.CancelFunc
	ended   []chan struct{}
	bringTo chan controller.Request
	events  chan rest.Event[*widget]
}

func (o *ours) run(ctx context.Context, run func(context.Context) error) {
	ended := make(chan struct{})
	o.ended = append(o.ended, ended)
	go func() {
		defer close(ended)
		check(run(ctx))
	}()
}

func (o *ours) stop() {
	o.cancel()
	for _, ended := range o.ended {
		<-ended
	}
}

func openOurs(workers int, reconcile func()) loop {
	o := &ours{bringTo: make(chan controller.Request, 1000)}
	c := controller.New("empty", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
		reconcile()
		return controller.Result{}, nil
	}), controller.Options{MaxConcurrentReconciles: workers})
	controller.Channel(c, o.bringTo)
	var ctx context.Context
	ctx, o.cancel = context.WithCancel(context.Background())
	o.run(ctx, c.Run)
	return o
}

func (o *ours) bring(requests []request) {
	for _, r := range requests {
		o.bringTo <- controller.Request{Namespace: r.namespace, Name: r.name}
	}
}

func openOurInformer(workers, objects int, reconcile func(name string, version int)) changing {
	o := &ours{events: make(chan rest.Event[*widget], objects)}
	var ready atomic.Int64
	synced := make(chan struct{})
	inf := informer.New(&listwatch.ListWatch[*widget]{
		ListFunc: func(context.Context, metav1.ListOptions) (*listwatch.List[*widget], error) {
			items := make([]*widget, objects)
			for i := range items {
				items[i] = widgetAt(i, 1)
			}
			return rest.ListOf(strconv.Itoa(versionOf(objects, 1)), items...), nil
		},
		WatchFunc: func(context.Context, metav1.ListOptions) (*listwatch.Watch[*widget], error) {
			return rest.NewWatch(o.next, func() {}), nil
		},
	}, informer.Options[*widget]{PreferList: true})
	c := controller.New("burst", controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
		w, _ := inf.Get(req.String())
		version := must(strconv.Atoi(w.ResourceVersion)) / burst
		if version == 1 && ready.Add(1) == int64(objects) {
			close(synced)
		}
		reconcile(req.Name, version)
		return controller.Result{}, nil
	}), controller.Options{MaxConcurrentReconciles: workers})
	controller.For(c, inf)
	var ctx context.Context
	ctx, o.cancel = context.WithCancel(context.Background())
	o.run(ctx, inf.Run)
	o.run(ctx, c.Run)
	<-synced
	return o
}

func (o *ours) next(ctx context.Context) (rest.Event[*widget], error) {
	select {
	case e := <-o.events:
		return e, nil
	case <-ctx.Done():
		return rest.Event[*widget]{}, io.EOF
	}
}

func (o *ours) change(version int) {
	for i := range burst {
		w := widgetAt(i, version)
		o.events <- rest.Event[*widget]{Type: watch.Modified, Object: w, ResourceVersion: w.ResourceVersion}
	}
}
