package interop_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/interop"
)

// indexers returns an empty indexer of each kind that can be converted to client-go's, and
// client-go's own for comparison.
func indexers() map[string]clientcache.Indexer {
	return map[string]clientcache.Indexer{
		"client-go's": clientcache.NewIndexer(clientcache.MetaNamespaceKeyFunc, clientcache.Indexers{}),
		"Indexer":     interop.Indexer(cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})),
		"IndexerOf":   interop.IndexerOf(indexer.New(indexer.Options[*corev1.Pod]{})),
	}
}

func pod(namespace, name, app string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": app}}}
}

func namesOf(pods []*corev1.Pod) (names []string) {
	for _, p := range pods {
		names = append(names, p.Namespace+"/"+p.Name)
	}
	slices.Sort(names)
	return names
}

// Generated listers read our indexers, through client-go's index of namespaces.
func TestGeneratedListersReadOurIndexers(t *testing.T) {
	for name, ix := range indexers() {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, ix.AddIndexers(clientcache.Indexers{clientcache.NamespaceIndex: func(obj any) ([]string, error) {
				if p, ok := obj.(*corev1.Pod); ok && p.Name == "lost" {
					return nil, nil // shows that listers use this index
				}
				return clientcache.MetaNamespaceIndexFunc(obj)
			}}))
			for _, p := range []*corev1.Pod{pod("shop", "web-0", "web"), pod("shop", "db-0", "db"), pod("shop", "lost", ""), pod("bank", "web-0", "web")} {
				require.NoError(t, ix.Add(p))
			}
			lister := corelisters.NewPodLister(ix)
			web := labels.SelectorFromSet(labels.Set{"app": "web"})

			all, err := lister.List(web)
			require.NoError(t, err)
			require.Equal(t, []string{"bank/web-0", "shop/web-0"}, namesOf(all))
			some, err := lister.Pods("shop").List(labels.Everything())
			require.NoError(t, err)
			require.Equal(t, []string{"shop/db-0", "shop/web-0"}, namesOf(some))

			found, err := lister.Pods("bank").Get("web-0")
			require.NoError(t, err)
			require.Equal(t, "web", found.Labels["app"])
			_, err = lister.Pods("bank").Get("db-0")
			require.True(t, apierrors.IsNotFound(err), "%v", err)
		})
	}
}

// The methods from client-go accept and return client-go's types.
func TestIndexerUsesClientGoTypes(t *testing.T) {
	for name, ix := range indexers() {
		t.Run(name, func(t *testing.T) {
			byApp := clientcache.Indexers{"app": func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Labels["app"]}, nil }}
			require.NoError(t, ix.AddIndexers(byApp))
			require.Error(t, ix.AddIndexers(byApp), "the name is taken")
			require.NoError(t, ix.Replace([]any{pod("shop", "a", "web"), pod("shop", "b", "web")}, "7"))

			values, err := ix.GetIndexers()["app"](pod("", "", "db"))
			require.NoError(t, err)
			require.Equal(t, []string{"db"}, values)
			require.Len(t, ix.GetIndexers(), 1)
			keys, err := ix.IndexKeys("app", "web")
			require.NoError(t, err)
			require.ElementsMatch(t, []string{"shop/a", "shop/b"}, keys)
			require.Equal(t, []string{"web"}, ix.ListIndexFuncValues("app"))
			_, err = ix.ByIndex("node", "n1")
			require.Error(t, err)

			_, exists, err := ix.Get(clientcache.ExplicitKey("shop/a"))
			require.NoError(t, err)
			require.True(t, exists)
			_, exists, err = ix.Get(pod("shop", "c", ""))
			require.NoError(t, err)
			require.False(t, exists)
			require.NoError(t, ix.Delete(clientcache.ExplicitKey("shop/a")))
			require.NoError(t, ix.Update(pod("shop", "b", "db")))
			web, err := ix.Index("app", pod("", "", "web"))
			require.NoError(t, err)
			require.Empty(t, web)
			require.Equal(t, []string{"shop/b"}, ix.ListKeys())
		})
	}
}

// A store whose key function accepts our tombstones accepts client-go's tombstones, too.
func TestIndexerTakesClientGoTombstones(t *testing.T) {
	for name, ix := range map[string]clientcache.Indexer{
		"client-go's": clientcache.NewIndexer(clientcache.DeletionHandlingMetaNamespaceKeyFunc, clientcache.Indexers{}),
		"ours":        interop.Indexer(cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.Indexers{})),
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, ix.Add(pod("shop", "a", "")))
			require.NoError(t, ix.Delete(clientcache.DeletedFinalStateUnknown{Key: "shop/a"}))
			require.Empty(t, ix.List())
		})
	}
}

// A typed indexer rejects objects of other types.
func TestTypedIndexerRefusesOtherTypes(t *testing.T) {
	ix := indexers()["IndexerOf"]
	err := ix.Add(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}})
	require.ErrorContains(t, err, "*v1.ConfigMap")
	require.ErrorContains(t, err, "*v1.Pod")
	require.Empty(t, ix.List())
}
