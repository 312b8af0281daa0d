package thinformer_test

import (
	"context"
	"iter"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// The names and forms that programs are written against, and that one room uses
// of another. This file compiles, or a seam has changed.

type shape struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

// rest
var (
	_ interface {
		GetNamespace() string
		GetName() string
		GetUID() types.UID
		GetResourceVersion() string
	} = rest.Object(nil)
	_ func(*rest.Config) (*rest.Client, error)                                      = rest.New
	_ func(*rest.Client, schema.GroupVersion) *rest.RESTClient                      = (*rest.Client).GroupVersion
	_ func(*rest.Client)                                                            = (*rest.Client).Close
	_                                                                               = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{}, Kind: "", Namespaced: false}
	_ func(*rest.Client, rest.ResourceInfo) *rest.View[*shape]                      = rest.NewView[*shape]
	_ func(*rest.Client, rest.ResourceInfo) *rest.Resource[*shape]                  = rest.NewResource[*shape]
	_ func(context.Context, metav1.ListOptions) (*rest.List[*shape], error)         = (*rest.View[*shape])(nil).List
	_ func(context.Context, metav1.ListOptions) (*rest.Watch[*shape], error)        = (*rest.View[*shape])(nil).Watch
	_ func(context.Context, string, metav1.GetOptions) (*shape, error)              = (*rest.View[*shape])(nil).Get
	_ func(string) *rest.View[*shape]                                               = (*rest.View[*shape])(nil).Namespace
	_ func(*rest.List[int]) iter.Seq2[int, error]                                   = (*rest.List[int]).Items
	_ func(*rest.List[int]) string                                                  = (*rest.List[int]).ResourceVersion
	_ func(string, ...int) *rest.List[int]                                          = rest.ListOf[int]
	_ func(iter.Seq2[int, error], func() string) *rest.List[int]                    = rest.NewList[int]
	_ func(func(context.Context) (rest.Event[int], error), func()) *rest.Watch[int] = rest.NewWatch[int]
	_ func(*rest.Watch[int], context.Context) (rest.Event[int], error)              = (*rest.Watch[int]).Next
	_ func(*rest.Watch[int])                                                        = (*rest.Watch[int]).Stop
	_                                                                               = rest.Event[int]{Type: watch.Added, Object: 1, ResourceVersion: "", InitialEventsEnd: false}
	_ rest.Object                                                                   = (*rest.SlimMeta)(nil)
	_ error                                                                         = rest.ErrWouldDropFields
	_ func(context.Context, *rest.Trace) context.Context                            = rest.WithTrace
	_ func(context.Context, *shape, *shape) (*shape, error)                         = (*rest.Resource[*shape])(nil).MergePatch
	_ func(context.Context, func(context.Context) error) error                      = rest.RetryOnConflict
)

// listwatch
var (
	_ listwatch.ListerWatcher[*shape] = (*rest.View[*shape])(nil)
	_ listwatch.ListerWatcher[*shape] = (*rest.Resource[*shape])(nil)
	_ listwatch.ListerWatcher[*shape] = &listwatch.ListWatch[*shape]{ListFunc: nil, WatchFunc: nil}
	_ *listwatch.List[int]            = (*rest.List[int])(nil)
	_ *listwatch.Watch[int]           = (*rest.Watch[int])(nil)
	_ listwatch.Event[int]            = rest.Event[int]{}

	_ func(*rest.RESTClient, string, string, fields.Selector) *listwatch.ListWatch[*shape]           = listwatch.NewListWatchFromClient[*shape]
	_ func(*rest.RESTClient, string, string, func(*metav1.ListOptions)) *listwatch.ListWatch[*shape] = listwatch.NewFilteredListWatchFromClient[*shape]
)

// indexer and deltafifo
var (
	_ func(*indexer.Indexer[int], string, func(int) []string) (*indexer.Index[int], error) = (*indexer.Indexer[int]).AddIndex
	_ func(*indexer.Index[int], string) iter.Seq[int]                                      = (*indexer.Index[int]).Find

	_                                                                                                                  = deltafifo.Delta[int]{Type: deltafifo.Added, Object: 1, Key: "", FinalStateUnknown: false}
	_ func(*deltafifo.DeltaFIFO[int], context.Context, func(string, deltafifo.Deltas[int], bool) error) error          = (*deltafifo.DeltaFIFO[int]).Pop
	_ func(*deltafifo.DeltaFIFO[int], context.Context, int, func([]deltafifo.Delta[int], deltafifo.Batch) error) error = (*deltafifo.DeltaFIFO[int]).PopBatch
)

// informer
var (
	_ interface {
		OnAdd(obj int, isInInitialList bool)
		OnUpdate(oldObj, newObj int)
		OnDelete(obj int, finalStateUnknown bool)
	} = informer.ResourceEventHandler[int](nil)
	_ informer.ResourceEventHandler[int] = informer.ResourceEventHandlerFuncs[int]{
		AddFunc:    func(obj int, isInInitialList bool) {},
		UpdateFunc: func(oldObj, newObj int) {},
		DeleteFunc: func(obj int, finalStateUnknown bool) {},
	}
	_ func(listwatch.ListerWatcher[*shape], informer.Options[*shape]) *informer.SharedInformer[*shape]             = informer.New[*shape]
	_ func(listwatch.ListerWatcher[any], informer.Parts[any], informer.Options[any]) *informer.SharedInformer[any] = informer.NewFrom[any]

	_ func(*informer.SharedInformer[*shape], informer.ResourceEventHandler[*shape], informer.HandlerOptions) (*informer.Registration, error) = (*informer.SharedInformer[*shape]).AddEventHandler
	_ func(*informer.SharedInformer[*shape], string, func(*shape) []string) (*indexer.Index[*shape], error)                                  = (*informer.SharedInformer[*shape]).AddIndex
	_ func(*informer.SharedInformer[*shape], context.Context) error                                                                          = (*informer.SharedInformer[*shape]).Run
	_ func(*informer.SharedInformer[*shape]) bool                                                                                            = (*informer.SharedInformer[*shape]).HasSynced
	_ func(*informer.SharedInformer[*shape], context.Context) error                                                                          = (*informer.SharedInformer[*shape]).WaitForSync
	_ func(*informer.SharedInformer[*shape], context.Context, string) error                                                                  = (*informer.SharedInformer[*shape]).WaitForVersion
	_ func(*informer.SharedInformer[*shape]) string                                                                                          = (*informer.SharedInformer[*shape]).Version
	_ func(*informer.SharedInformer[*shape], string) (*shape, bool)                                                                          = (*informer.SharedInformer[*shape]).Get
	_ func(*informer.SharedInformer[*shape]) iter.Seq[*shape]                                                                                = (*informer.SharedInformer[*shape]).All
	_ func(*informer.SharedInformer[*shape]) indexer.Lister[*shape]                                                                          = (*informer.SharedInformer[*shape]).Lister
	_ func(*informer.SharedInformer[*shape]) informer.State                                                                                  = (*informer.SharedInformer[*shape]).State

	_ interface {
		Synced() <-chan struct{}
		HasSynced() bool
		Remove()
		Done() <-chan struct{}
	} = (*informer.Registration)(nil)

	_ = informer.HandlerOptions{Name: "", ResyncPeriod: 0, MaxPending: 0, StopTimeout: 0, Panic: informer.CrashOnPanic}
	_ = informer.Config[*shape]{Queue: nil, ListerWatcher: nil, Process: nil, ProcessBatch: nil}

	_ func(func(*shape) string, informer.ResourceEventHandler[*shape]) informer.ResourceEventHandler[*shape] = informer.Changed[*shape, string]
	_ func(*shape) *shape                                                                                    = informer.Clone[*shape]

	_ func(*informer.Factory, informer.Source[*shape], informer.Options[*shape]) *informer.SharedInformer[*shape] = informer.For[*shape]
	_ func(*informer.SharedInformer[*shape])                                                                      = (*informer.SharedInformer[*shape]).Release
	_ informer.Source[*shape]                                                                                     = (*rest.View[*shape])(nil)
	_ informer.Source[*shape]                                                                                     = (*rest.Resource[*shape])(nil)
	_ interface {
		Start(context.Context) error
		WaitForSync(context.Context) error
		Shutdown() error
		Informers() []informer.AnyInformer
	} = (*informer.Factory)(nil)
)

// apitest
var (
	_ func(apitest.Options) *apitest.Server                  = apitest.NewServer
	_ func(*apitest.Server) *rest.Config                     = (*apitest.Server).Config
	_ func(*apitest.Server, apitest.Resource) error          = (*apitest.Server).Register
	_ func(*apitest.Server, apitest.Fault) *apitest.Injected = (*apitest.Server).Fault
	_ func(apitest.TB, *apitest.Server, *shape) *shape       = apitest.Create[*shape]
	_ apitest.TB                                             = testing.TB(nil)
	_ http.Handler                                           = (*apitest.Server)(nil)
)

// reflector
var (
	_ func(listwatch.ListerWatcher[*shape], reflector.Store[*shape], reflector.Options[*shape]) *reflector.Reflector[*shape] = reflector.New[*shape]
	_ func(*reflector.Reflector[*shape], context.Context) error                                                              = (*reflector.Reflector[*shape]).Run
	_ func(*reflector.Reflector[*shape], context.Context) error                                                              = (*reflector.Reflector[*shape]).ListAndWatch
	_ func(*reflector.Reflector[*shape]) string                                                                              = (*reflector.Reflector[*shape]).LastSyncResourceVersion
	_ func(*reflector.Reflector[*shape]) reflector.State                                                                     = (*reflector.Reflector[*shape]).State
	_ reflector.Store[*shape]                                                                                                = (*deltafifo.DeltaFIFO[*shape])(nil)
	_ reflector.Store[*shape]                                                                                                = (*indexer.Indexer[*shape])(nil)
	_ interface{ Known(string) (*shape, bool) }                                                                              = (*deltafifo.DeltaFIFO[*shape])(nil)
	_ interface{ ItemOnly() bool }                                                                                           = (*deltafifo.TransformError)(nil)
	_ listwatch.WatchListMemory                                                                                              = (*rest.View[*shape])(nil)
)

// What a reflector drives: deltafifo and indexer are written without knowing it.
var _ interface {
	Add(int) error
	Update(int) error
	Delete(int) error
	Replace(items iter.Seq2[int, error], version func() string) error
	Bookmark(version string)
	Resync() error
} = (*deltafifo.DeltaFIFO[int])(nil)

// controller: what a reconcile is written with
var (
	_ func(rest.Object, rest.ResourceInfo, controller.Ownable) error = controller.SetControllerReference
	_ func(context.Context, *rest.Resource[*shape], *shape, string,
		func(context.Context, *shape) (controller.Result, error), func(context.Context, *shape) (controller.Result, error)) (controller.Result, error) = controller.Finalize[*shape]
	_ func(*controller.Controller, *informer.SharedInformer[*shape], ...controller.Predicate[*shape]) = controller.For[*shape]
	_ func(*controller.Controller, *informer.SharedInformer[*shape], ...controller.Predicate[*shape]) = controller.Owns[*shape]
	_ controller.Predicate[*shape]                                                                    = controller.GenerationChanged[*shape]
	_ controller.Predicate[*shape]                                                                    = controller.LabelChanged[*shape]
	_ controller.Predicate[*shape]                                                                    = controller.AnnotationChanged[*shape]
	_ controller.Predicate[*shape]                                                                    = controller.Changed(func(*shape) int { return 0 })
	_ error                                                                                           = (*controller.StaleError)(nil)
	_ error                                                                                           = (*controller.AlreadyOwnedError)(nil)
	_                                                                                                 = rest.Written{Gone: false}
)
