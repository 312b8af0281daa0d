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

// The declarations of this file check at compile time that names keep the signatures
// that programs and the other packages rely on. If the file does not compile, an API has
// changed.

// testObject is the type argument of generic types and functions.
type testObject struct {
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
	_ func(*rest.Config) (*rest.Client, error)                                                  = rest.New
	_ func(*rest.Client, schema.GroupVersion) *rest.RESTClient                                  = (*rest.Client).GroupVersion
	_ func(*rest.Client)                                                                        = (*rest.Client).Close
	_                                                                                           = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{}, Kind: "", Namespaced: false}
	_ func(*rest.Client, rest.ResourceInfo) *rest.View[*testObject]                             = rest.NewView[*testObject]
	_ func(*rest.Client, rest.ResourceInfo) *rest.Resource[*testObject]                         = rest.NewResource[*testObject]
	_ func(context.Context, metav1.ListOptions) (*rest.List[*testObject], error)                = (*rest.View[*testObject])(nil).List
	_ func(context.Context, metav1.ListOptions) (*rest.Watch[*testObject], error)               = (*rest.View[*testObject])(nil).Watch
	_ func(context.Context, string, metav1.GetOptions) (*testObject, error)                     = (*rest.View[*testObject])(nil).Get
	_ func(string) *rest.View[*testObject]                                                      = (*rest.View[*testObject])(nil).Namespace
	_ func(*rest.List[int]) iter.Seq2[int, error]                                               = (*rest.List[int]).Items
	_ func(*rest.List[int]) string                                                              = (*rest.List[int]).ResourceVersion
	_ func(string, ...int) *rest.List[int]                                                      = rest.ListOf[int]
	_ func(iter.Seq2[int, error], func() string) *rest.List[int]                                = rest.NewList[int]
	_ func(func(context.Context) (rest.Event[int], error), func()) *rest.Watch[int]             = rest.NewWatch[int]
	_ func(*rest.Watch[int], context.Context) (rest.Event[int], error)                          = (*rest.Watch[int]).Next
	_ func(*rest.Watch[int])                                                                    = (*rest.Watch[int]).Stop
	_                                                                                           = rest.Event[int]{Type: watch.Added, Object: 1, ResourceVersion: "", InitialEventsEnd: false}
	_ rest.Object                                                                               = (*rest.SlimMeta)(nil)
	_ error                                                                                     = rest.ErrWouldDropFields
	_ func(context.Context, *rest.Trace) context.Context                                        = rest.WithTrace
	_ func(context.Context, *testObject, *testObject, metav1.PatchOptions) (*testObject, error) = (*rest.Resource[*testObject])(nil).MergePatch
	_ func(context.Context, func(context.Context) error) error                                  = rest.RetryOnConflict
)

// listwatch
var (
	_ listwatch.ListerWatcher[*testObject] = (*rest.View[*testObject])(nil)
	_ listwatch.ListerWatcher[*testObject] = (*rest.Resource[*testObject])(nil)
	_ listwatch.ListerWatcher[*testObject] = &listwatch.ListWatch[*testObject]{ListFunc: nil, WatchFunc: nil}
	_ *listwatch.List[int]                 = (*rest.List[int])(nil)
	_ *listwatch.Watch[int]                = (*rest.Watch[int])(nil)
	_ listwatch.Event[int]                 = rest.Event[int]{}

	_ func(*rest.RESTClient, string, string, fields.Selector) *listwatch.ListWatch[*testObject]           = listwatch.NewListWatchFromClient[*testObject]
	_ func(*rest.RESTClient, string, string, func(*metav1.ListOptions)) *listwatch.ListWatch[*testObject] = listwatch.NewFilteredListWatchFromClient[*testObject]
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
	_ func(listwatch.ListerWatcher[*testObject], informer.Options[*testObject]) *informer.SharedInformer[*testObject]    = informer.New[*testObject]
	_ func(listwatch.ListerWatcher[any], informer.StoreConfig[any], informer.Options[any]) *informer.SharedInformer[any] = informer.NewFrom[any]

	_ func(*informer.SharedInformer[*testObject], informer.ResourceEventHandler[*testObject], informer.HandlerOptions) (*informer.Registration, error) = (*informer.SharedInformer[*testObject]).AddEventHandler
	_ func(*informer.SharedInformer[*testObject], string, func(*testObject) []string) (*indexer.Index[*testObject], error)                             = (*informer.SharedInformer[*testObject]).AddIndex
	_ func(*informer.SharedInformer[*testObject], context.Context) error                                                                               = (*informer.SharedInformer[*testObject]).Run
	_ func(*informer.SharedInformer[*testObject]) bool                                                                                                 = (*informer.SharedInformer[*testObject]).HasSynced
	_ func(*informer.SharedInformer[*testObject], context.Context) error                                                                               = (*informer.SharedInformer[*testObject]).WaitForSync
	_ func(*informer.SharedInformer[*testObject], context.Context, string) error                                                                       = (*informer.SharedInformer[*testObject]).WaitForVersion
	_ func(*informer.SharedInformer[*testObject]) string                                                                                               = (*informer.SharedInformer[*testObject]).Version
	_ func(*informer.SharedInformer[*testObject], string) (*testObject, bool)                                                                          = (*informer.SharedInformer[*testObject]).Get
	_ func(*informer.SharedInformer[*testObject]) iter.Seq[*testObject]                                                                                = (*informer.SharedInformer[*testObject]).All
	_ func(*informer.SharedInformer[*testObject]) indexer.Lister[*testObject]                                                                          = (*informer.SharedInformer[*testObject]).Lister
	_ func(*informer.SharedInformer[*testObject]) informer.State                                                                                       = (*informer.SharedInformer[*testObject]).State

	_ interface {
		Synced() <-chan struct{}
		HasSynced() bool
		Remove()
		Done() <-chan struct{}
	} = (*informer.Registration)(nil)

	_ = informer.HandlerOptions{Name: "", ResyncPeriod: 0, MaxPending: 0, StopTimeout: 0, Panic: informer.CrashOnPanic}
	_ = informer.Config[*testObject]{Queue: nil, ListerWatcher: nil, Process: nil, ProcessBatch: nil}

	_ func(func(*testObject) string, informer.ResourceEventHandler[*testObject]) informer.ResourceEventHandler[*testObject] = informer.Changed[*testObject, string]
	_ func(*testObject) *testObject                                                                                         = informer.Clone[*testObject]

	_ func(*informer.Factory, informer.Source[*testObject], informer.Options[*testObject]) *informer.SharedInformer[*testObject] = informer.For[*testObject]
	_ func(*informer.SharedInformer[*testObject])                                                                                = (*informer.SharedInformer[*testObject]).Release
	_ informer.Source[*testObject]                                                                                               = (*rest.View[*testObject])(nil)
	_ informer.Source[*testObject]                                                                                               = (*rest.Resource[*testObject])(nil)
	_ interface {
		Start(context.Context) error
		WaitForSync(context.Context) error
		Shutdown() error
		Informers() []informer.AnyInformer
	} = (*informer.Factory)(nil)
)

// apitest
var (
	_ func(apitest.Options) *apitest.Server                       = apitest.NewServer
	_ func(*apitest.Server) *rest.Config                          = (*apitest.Server).Config
	_ func(*apitest.Server, apitest.Resource) error               = (*apitest.Server).Register
	_ func(*apitest.Server, apitest.Fault) *apitest.InjectedFault = (*apitest.Server).Fault
	_ func(apitest.TB, *apitest.Server, *testObject) *testObject  = apitest.Create[*testObject]
	_ apitest.TB                                                  = testing.TB(nil)
	_ http.Handler                                                = (*apitest.Server)(nil)
)

// reflector
var (
	_ func(listwatch.ListerWatcher[*testObject], reflector.Store[*testObject], reflector.Options[*testObject]) *reflector.Reflector[*testObject] = reflector.New[*testObject]
	_ func(*reflector.Reflector[*testObject], context.Context) error                                                                             = (*reflector.Reflector[*testObject]).Run
	_ func(*reflector.Reflector[*testObject], context.Context) error                                                                             = (*reflector.Reflector[*testObject]).ListAndWatch
	_ func(*reflector.Reflector[*testObject]) string                                                                                             = (*reflector.Reflector[*testObject]).LastSyncResourceVersion
	_ func(*reflector.Reflector[*testObject]) reflector.State                                                                                    = (*reflector.Reflector[*testObject]).State
	_ reflector.Store[*testObject]                                                                                                               = (*deltafifo.DeltaFIFO[*testObject])(nil)
	_ reflector.Store[*testObject]                                                                                                               = (*indexer.Indexer[*testObject])(nil)
	_ interface {
		Known(string) (*testObject, bool)
	} = (*deltafifo.DeltaFIFO[*testObject])(nil)
	_ interface{ ItemOnly() bool } = (*deltafifo.TransformError)(nil)
	_ listwatch.WatchListRecorder  = (*rest.View[*testObject])(nil)
)

// A reflector calls these methods. Packages deltafifo and indexer do not import it.
var _ interface {
	Add(int) error
	Update(int) error
	Delete(int) error
	Replace(items iter.Seq2[int, error], version func() string) error
	Bookmark(version string)
	Resync() error
} = (*deltafifo.DeltaFIFO[int])(nil)

// controller
var (
	_ func(rest.Object, rest.ResourceInfo, controller.Ownable) error = controller.SetControllerReference
	_ func(context.Context, *rest.Resource[*testObject], *testObject, string,
		func(context.Context, *testObject) (controller.Result, error), func(context.Context, *testObject) (controller.Result, error)) (controller.Result, error) = controller.Finalize[*testObject]
	_ func(*controller.Controller, *informer.SharedInformer[*testObject], ...controller.Predicate[*testObject]) *controller.Watch[*testObject] = controller.For[*testObject]
	_ func(*controller.Controller, *informer.SharedInformer[*testObject], ...controller.Predicate[*testObject]) *controller.Watch[*testObject] = controller.Owns[*testObject]
	_ controller.Predicate[*testObject]                                                                                                        = controller.GenerationChanged[*testObject]
	_ controller.Predicate[*testObject]                                                                                                        = controller.LabelChanged[*testObject]
	_ controller.Predicate[*testObject]                                                                                                        = controller.AnnotationChanged[*testObject]
	_ controller.Predicate[*testObject]                                                                                                        = controller.Changed(func(*testObject) int { return 0 })
	_ error                                                                                                                                    = (*controller.StaleError)(nil)
	_ error                                                                                                                                    = (*controller.AlreadyOwnedError)(nil)
	_                                                                                                                                          = rest.WriteInfo{Deleted: false}
)
