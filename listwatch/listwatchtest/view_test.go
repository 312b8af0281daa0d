package listwatchtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/listwatch/listwatchtest"
	"github.com/thinformer/thinformer/rest"
)

type configMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

var configMaps = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:                 "ConfigMap", Namespaced: true,
}

func newConfigMap(name string) *configMap {
	return &configMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
	}
}

// newSource returns the config maps of a server as a Source. Pages are small, so that
// every list has several.
func newSource[T rest.Object](t *testing.T, options apitest.Options, modify func(listwatch.ListerWatcher[T]) listwatch.ListerWatcher[T]) listwatchtest.Source[T] {
	srv := apitest.NewServer(options)
	t.Cleanup(srv.Close)
	config := srv.Config()
	config.PageSize = 2
	client, err := rest.New(config)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	updates := 0
	return listwatchtest.Source[T]{
		ListerWatcher: modify(rest.NewView[T](client, configMaps).Namespace("shop")),
		Name:          T.GetName,
		Create: func(name string) error {
			apitest.Create(t, srv, newConfigMap(name))
			return nil
		},
		Update: func(name string) error {
			updates++
			apitest.Modify(t, srv, newConfigMap(name), func(c *configMap) { c.Data = map[string]string{"updates": string(rune('a' + updates))} })
			return nil
		},
		Delete: func(name string) error {
			apitest.Delete(t, srv, newConfigMap(name))
			return nil
		},
		Expire: func() error {
			srv.Compact()
			return nil
		},
		WatchList: true,
	}
}

func unmodified[T rest.Object](source listwatch.ListerWatcher[T]) listwatch.ListerWatcher[T] {
	return source
}

// A View is a valid source, on every connection and for every T.
func TestView(t *testing.T) {
	listwatchtest.Run(t, func(t *testing.T) listwatchtest.Source[*configMap] {
		return newSource(t, apitest.Options{InMemory: true}, unmodified[*configMap])
	})
}

func TestViewOverHTTP2(t *testing.T) {
	listwatchtest.Run(t, func(t *testing.T) listwatchtest.Source[*configMap] {
		return newSource(t, apitest.Options{}, unmodified[*configMap])
	})
}

func TestViewOfMetadata(t *testing.T) {
	listwatchtest.Run(t, func(t *testing.T) listwatchtest.Source[*metav1.PartialObjectMetadata] {
		return newSource(t, apitest.Options{InMemory: true}, unmodified[*metav1.PartialObjectMetadata])
	})
}

// A view with list options is a valid source, too.
func TestModifiedView(t *testing.T) {
	listwatchtest.Run(t, func(t *testing.T) listwatchtest.Source[*configMap] {
		return newSource(t, apitest.Options{InMemory: true}, func(source listwatch.ListerWatcher[*configMap]) listwatch.ListerWatcher[*configMap] {
			return listwatch.Modify(source, func(opts *metav1.ListOptions) { opts.FieldSelector = "metadata.namespace=shop" })
		})
	})
}
