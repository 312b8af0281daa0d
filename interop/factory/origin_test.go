package factory_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgo "k8s.io/client-go/informers"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/kubernetes"
	clientcache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/interop/factory"
)

type (
	newInformerFunc = internalinterfaces.NewInformerFunc
	engine          = factory.Factory[kubernetes.Interface, newInformerFunc]
)

func newFactory() *engine { return factory.New[kubernetes.Interface, newInformerFunc](nil, 0) }

// onlyPods is a table.
func onlyPods() []factory.Kind[kubernetes.Interface] {
	return []factory.Kind[kubernetes.Interface]{
		factory.KindOf[*corev1.Pod](corev1.SchemeGroupVersion.WithResource("pods"), func(client kubernetes.Interface, namespace string) interop.Client[*corev1.PodList] {
			return client.CoreV1().Pods(namespace)
		}),
	}
}

// inCore is what a generated file declares for a group.
type inCore struct {
	*factory.View[kubernetes.Interface, newInformerFunc]
}

func (g inCore) InformerFor(obj runtime.Object, newInformer newInformerFunc) clientcache.SharedIndexInformer {
	return g.View.InformerFor(obj, newInformer, onlyPods)
}

// logged returns what a function logs through klog.
func logged(t *testing.T, run func()) string {
	t.Helper()
	var text bytes.Buffer
	klog.SetLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&text))))
	defer klog.ClearLogger()
	run()
	return text.String()
}

const warning = "An informer of the factory is client-go's"

// isOurs reports whether the indexer of an informer, also beneath client-go's typed
// informers, is the adapter of package interop.
func isOurs(informer clientcache.SharedIndexInformer) bool {
	return strings.HasPrefix(fmt.Sprintf("%T", informer.GetIndexer()), "interop.")
}

// embedding is a program's own informer around another one.
type embedding struct {
	clientcache.SharedIndexInformer
}

// Other ways to embed one: by an alias, whose name may be unexported, and by client-go's
// typed interface.
type (
	alias          = clientcache.SharedIndexInformer
	embeddingAlias struct{ alias }
	embeddingTyped struct {
		clientcache.TypedSharedIndexInformer[*corev1.Pod]
	}
)

// A function of the program that returns an informer of client-go gets it, and a warning
// once for each type, however the informer is wrapped. There is none for other informers.
func TestAnInformerOfClientGoIsUsedWithAWarning(t *testing.T) {
	theirs := clientcache.NewSharedIndexInformer(&clientcache.ListWatch{}, &corev1.Pod{}, 0, nil)
	ours := interop.NewSharedIndexInformer(&clientcache.ListWatch{}, &corev1.Pod{}, 0, nil)
	for name, test := range map[string]struct {
		informer clientcache.SharedIndexInformer
		warns    int
	}{
		"client-go's":           {theirs, 1},
		"client-go's, typed":    {clientcache.NewTypedSharedIndexInformer[*corev1.Pod](theirs), 1},
		"client-go's, embedded": {&embedding{clientcache.NewTypedSharedIndexInformer[*corev1.Pod](theirs)}, 1},
		"client-go's, by alias": {embeddingAlias{theirs}, 1},
		"client-go's, by type":  {embeddingTyped{clientcache.NewTypedSharedIndexInformer[*corev1.Pod](theirs)}, 1},
		"ours":                  {ours, 0},
		"ours, by alias":        {embeddingAlias{ours}, 0},
		"ours, by type":         {embeddingTyped{clientcache.NewTypedSharedIndexInformer[*corev1.Pod](ours)}, 0},
		"ours, typed":           {clientcache.NewTypedSharedIndexInformer[*corev1.Pod](ours), 0},
		"ours, embedded":        {embedding{ours}, 0},
		"a stub":                {embedding{}, 0},
		"nil":                   {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFactory()
			text := logged(t, func() {
				for range 2 {
					require.True(t, test.informer == f.InformerFor(&corev1.Pod{}, func(kubernetes.Interface, time.Duration) clientcache.SharedIndexInformer { return test.informer }))
				}
			})
			require.Equal(t, test.warns, strings.Count(text, warning), text)
			if test.warns > 0 {
				require.Contains(t, text, `type="*v1.Pod"`)
			}
		})
	}
}

// InformerFor of a nil object, whose type is nil, calls the function, as client-go's does.
func TestInformerForOfNil(t *testing.T) {
	theirs := clientcache.NewSharedIndexInformer(&clientcache.ListWatch{}, &corev1.Pod{}, 0, nil)
	text := logged(t, func() {
		require.True(t, theirs == newFactory().InformerFor(nil, func(kubernetes.Interface, time.Duration) clientcache.SharedIndexInformer { return theirs }))
	})
	require.Contains(t, text, `type="<nil>"`)
}

// The accessors ask the view, which ignores their functions. If the table lacks a
// kind, the accessor's own informer is used, with a warning.
func TestAKindThatTheTableLacks(t *testing.T) {
	f := newFactory()
	text := logged(t, func() {
		accessors := core.New(inCore{factory.ViewOf(f)}, "", nil).V1()
		require.True(t, isOurs(accessors.Pods().Informer()))
		for range 2 {
			require.False(t, isOurs(accessors.Services().Informer()))
		}
	})
	require.Equal(t, 1, strings.Count(text, warning), text)
	require.Contains(t, text, `type="*v1.Service"`)
	require.True(t, f.InformerFor(&corev1.Service{}, nil) != nil, "the accessors and InformerFor share their informers")

	_, err := f.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "services"}, onlyPods)
	require.EqualError(t, err, "no informer found for /v1, Resource=services")
	require.Panics(t, func() { f.InformerFor(&corev1.Secret{}, nil) }, "as client-go's")
	require.NotNil(t, f.InformerFor(&corev1.Pod{}, nil), "the panic has left the factory locked")
}

// A Factory and a group's view of it implement what generated code expects.
var (
	_ internalinterfaces.SharedInformerFactory = (*engine)(nil)
	_ internalinterfaces.SharedInformerFactory = inCore{}
	_ clientgo.GenericInformer                 = (*factory.GenericInformer)(nil)
)

// indexOf returns the indexer of this module behind the adapter of package interop.
func indexOf(informer clientcache.SharedIndexInformer) any {
	return reflect.ValueOf(informer.GetIndexer()).Field(0).Interface()
}
