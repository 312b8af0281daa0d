package cache

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/listwatch/listwatchtest"
	"github.com/thinformer/thinformer/rest"
)

// pod is what a program has of a kind of its own: the type, and a list of it.
type pod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NodeName string `json:"nodeName,omitempty"`
	} `json:"spec"`
}

func (p *pod) DeepCopyObject() runtime.Object { own := *p; return &own }

type podList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []pod `json:"items"`
}

func (l *podList) DeepCopyObject() runtime.Object { own := *l; return &own }

func aPod(name string) *pod {
	return &pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
}

// serverWithClient is a server without connections, and a client of its core
// group.
func serverWithClient(t *testing.T) (*apitest.Server, *rest.RESTClient) {
	t.Helper()
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(srv.Close)
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return srv, client.GroupVersion(schema.GroupVersion{Version: "v1"})
}

// trySource has the conformance kit try what sourceOf makes of a ListerWatcher.
func trySource(t *testing.T, o sourceOptions, lwOf func(*rest.RESTClient) ListerWatcher, watchList bool) {
	listwatchtest.Run(t, func(t *testing.T) listwatchtest.Source[any] {
		srv, client := serverWithClient(t)
		node := 0
		return listwatchtest.Source[any]{
			ListerWatcher: sourceOf[any](lwOf(client), o),
			Name:          func(object any) string { return object.(metav1.Object).GetName() },
			Create: func(name string) error {
				apitest.Create(t, srv, aPod(name))
				return nil
			},
			Update: func(name string) error {
				node++
				apitest.Modify(t, srv, aPod(name), func(p *pod) { p.Labels = map[string]string{"n": string(rune('a' + node))} })
				return nil
			},
			Delete: func(name string) error {
				apitest.Delete(t, srv, aPod(name))
				return nil
			},
			Expire: func() error {
				srv.Compact()
				return nil
			},
			WatchList: watchList,
		}
	})
}

func podsOf(client *rest.RESTClient) *ListWatch {
	return NewListWatchFromClient(client, "pods", "shop", fields.Everything())
}

// byHand has the same functions, and nothing else.
func byHand(lw *ListWatch) *ListWatch {
	return &ListWatch{ListWithContextFunc: lw.ListWithContextFunc, WatchFuncWithContext: lw.WatchFuncWithContext}
}

// A ListWatch of a client is a source: its bytes are decoded here.
func TestSourceOfStreamed(t *testing.T) {
	trySource(t, sourceOptions{Expected: &pod{}, PageSize: 2}, func(c *rest.RESTClient) ListerWatcher { return podsOf(c) }, true)
}

// Where it is not known what its objects are, it is one as well.
func TestSourceOfUntyped(t *testing.T) {
	trySource(t, sourceOptions{}, func(c *rest.RESTClient) ListerWatcher { return podsOf(c) }, false)
}

// So are functions made by hand, with and without a context.
func TestSourceOfFunctions(t *testing.T) {
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	trySource(t, sourceOptions{Expected: kind, PageSize: 2}, func(c *rest.RESTClient) ListerWatcher { return byHand(podsOf(c)) }, true)
}

func TestSourceOfFunctionsWithoutContext(t *testing.T) {
	trySource(t, sourceOptions{Expected: &unstructured.Unstructured{}}, func(c *rest.RESTClient) ListerWatcher {
		lw := podsOf(c)
		return &ListWatch{ListFunc: lw.ListFunc, WatchFunc: lw.WatchFunc}
	}, true)
}
