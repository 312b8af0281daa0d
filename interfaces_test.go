package thinformer_test

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// testObject is the type argument of generic types.
type testObject struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

// These types implement interfaces of packages that they do not import, or that programs
// rely on. The files in api/ record the signatures of all names, but not these relations.
var (
	_ rest.Object = (*rest.SlimMeta)(nil)

	_ listwatch.ListerWatcher[*testObject] = (*rest.View[*testObject])(nil)
	_ listwatch.ListerWatcher[*testObject] = (*rest.Resource[*testObject])(nil)
	_ listwatch.WatchListRecorder          = (*rest.View[*testObject])(nil)
	_ informer.Source[*testObject]         = (*rest.View[*testObject])(nil)
	_ informer.Source[*testObject]         = (*rest.Resource[*testObject])(nil)
	_ *listwatch.List[int]                 = (*rest.List[int])(nil)
	_ *listwatch.Watch[int]                = (*rest.Watch[int])(nil)
	_ listwatch.Event[int]                 = rest.Event[int]{}

	_ reflector.Store[*testObject]        = (*deltafifo.DeltaFIFO[*testObject])(nil)
	_ reflector.Store[*testObject]        = (*indexer.Indexer[*testObject])(nil)
	_ reflector.KnownObjects[*testObject] = (*deltafifo.DeltaFIFO[*testObject])(nil)
	_ reflector.VersionInvalidator        = (*deltafifo.DeltaFIFO[*testObject])(nil)
	_ reflector.ItemOnlyError             = (*deltafifo.TransformError)(nil)

	_ informer.ResourceEventHandler[int] = informer.ResourceEventHandlerFuncs[int]{}

	_ controller.Predicate[*testObject] = controller.GenerationChanged[*testObject]
	_ controller.Predicate[*testObject] = controller.LabelChanged[*testObject]
	_ controller.Predicate[*testObject] = controller.AnnotationChanged[*testObject]

	_ apitest.TB   = testing.TB(nil)
	_ http.Handler = (*apitest.Server)(nil)
)
