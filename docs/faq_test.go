package docs_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// This test compiles and runs the snippets of docs/faq.md.
func TestSnippetsOfTheFAQ(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	resource := rest.NewResource[*ConfigMap](client, configMaps)
	cache := informer.New(resource, informer.Options[*ConfigMap]{})
	forgotten := make(chan string, 1)
	forget := func(namespace, name string) { forgotten <- namespace + "/" + name }
	_, err = cache.AddEventHandler(informer.ResourceEventHandlerFuncs[*ConfigMap]{
		DeleteFunc: func(m *ConfigMap, finalStateUnknown bool) {
			forget(m.Namespace, m.Name) // there is always an object
		},
	}, informer.HandlerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- cache.Run(ctx) }()
	apitest.Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "first"}}) // and its namespace
	parrot := &ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "parrot"}, Data: map[string]string{"word": "hi"}}
	write(ctx, t, resource, cache, parrot)
	changeACopy(t, cache)
	apitest.Delete(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "parrot"}})
	if key := <-forgotten; key != "shop/parrot" {
		t.Errorf("deleted %s", key)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func write(ctx context.Context, t *testing.T, resource *rest.Resource[*ConfigMap], cache *informer.SharedInformer[*ConfigMap], parrot *ConfigMap) {
	made, err := resource.Namespace("shop").Create(ctx, parrot, metav1.CreateOptions{})
	// ...
	if err != nil {
		t.Fatal(err)
	}
	err = cache.WaitForVersion(ctx, made.ResourceVersion)
	// ...
	if err != nil {
		t.Fatal(err)
	}
	m, ok := cache.Get("shop/parrot") // what was written, or something later
	if !ok || m.Data["word"] != "hi" {
		t.Errorf("%v %v", m, ok)
	}
}

func changeACopy(t *testing.T, cache *informer.SharedInformer[*ConfigMap]) {
	m, ok := cache.Get("shop/parrot")
	// ...
	m = informer.Clone(m) // works for types with and without generated code
	m.Data["word"] = "hello"
	if stored, _ := cache.Get("shop/parrot"); !ok || stored.Data["word"] != "hi" {
		t.Errorf("the stored object has %q", stored.Data["word"])
	}
}
