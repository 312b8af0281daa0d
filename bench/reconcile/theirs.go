package reconcile

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// theirs is a controller of controller-runtime with its goroutines.
type theirs struct {
	cancel  context.CancelFunc
	ended   []chan struct{}
	queue   workqueue.TypedRateLimitingInterface[reconcile.Request]
	changes chan watch.Event
}

func (t *theirs) run(ctx context.Context, run func(context.Context)) {
	ended := make(chan struct{})
	t.ended = append(t.ended, ended)
	go func() {
		defer close(ended)
		run(ctx)
	}()
}

func (t *theirs) stop() {
	t.cancel()
	for _, ended := range t.ended {
		<-ended
	}
}

func open(workers int, r reconcile.Func) controller.Controller {
	log.SetLogger(logr.Discard())
	unnamed, prioritised := true, true
	return must(controller.NewUnmanaged("bench", controller.Options{
		SkipNameValidation: &unnamed, UsePriorityQueue: &prioritised,
		MaxConcurrentReconciles: workers, Reconciler: r,
		LogConstructor: func(*reconcile.Request) logr.Logger { return logr.Discard() },
	}))
}

func openTheirs(workers int, reconciled func()) loop {
	t := &theirs{}
	c := open(workers, func(context.Context, reconcile.Request) (reconcile.Result, error) {
		reconciled()
		return reconcile.Result{}, nil
	})
	started := make(chan struct{})
	check(c.Watch(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		t.queue = queue
		close(started)
		return nil
	})))
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(context.Background())
	t.run(ctx, func(ctx context.Context) { check(c.Start(ctx)) })
	<-started
	return t
}

func (t *theirs) bring(requests []request) {
	for _, r := range requests {
		t.queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: r.namespace, Name: r.name}})
	}
}

// theirWidget is a widget as a runtime.Object, which client-go's informer requires.
type theirWidget struct{ widget }

// DeepCopyObject implements runtime.Object.
func (w *theirWidget) DeepCopyObject() runtime.Object { panic("unexpected copy") }

// listOnly reports that the source cannot stream its initial state.
type listOnly struct{}

func (listOnly) IsWatchListSemanticsUnSupported() bool { return true }

func openTheirInformer(workers, objects int, reconciled func(name string, version int)) changing {
	t := &theirs{changes: make(chan watch.Event, objects)}
	var ready atomic.Int64
	synced := make(chan struct{})
	inf := cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			list := &theirList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(versionOf(objects, 1))}}
			for i := range objects {
				list.Items = append(list.Items, theirWidget{*widgetAt(i, 1)})
			}
			return list, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			return watch.NewProxyWatcher(t.changes), nil
		},
	}, listOnly{}), &theirWidget{}, 0, cache.Indexers{})
	c := open(workers, func(_ context.Context, req reconcile.Request) (reconcile.Result, error) {
		obj, _, err := inf.GetStore().GetByKey(req.String())
		check(err)
		version := must(strconv.Atoi(obj.(*theirWidget).ResourceVersion)) / burst
		if version == 1 && ready.Add(1) == int64(objects) {
			close(synced)
		}
		reconciled(req.Name, version)
		return reconcile.Result{}, nil
	})
	check(c.Watch(&source.Informer{Informer: inf, Handler: &handler.EnqueueRequestForObject{}}))
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(context.Background())
	t.run(ctx, inf.RunWithContext)
	t.run(ctx, func(ctx context.Context) { check(c.Start(ctx)) })
	<-synced
	return t
}

// theirList is a list of widgets.
type theirList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []theirWidget
}

// DeepCopyObject implements runtime.Object.
func (l *theirList) DeepCopyObject() runtime.Object { panic("unexpected copy") }

func (t *theirs) change(version int) {
	for i := range burst {
		t.changes <- watch.Event{Type: watch.Modified, Object: &theirWidget{*widgetAt(i, version)}}
	}
}
