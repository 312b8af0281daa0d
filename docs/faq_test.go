package docs_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
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

// This test compiles and runs the snippets about the reads of a reconcile.
func TestSnippetsAboutReadsOfTheFAQ(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := apitest.NewServer(apitest.Options{InMemory: true, Logger: quiet})
		defer srv.Close()
		client, err := rest.New(srv.Config())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		apitest.Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "parrot"}})
		resource := rest.NewResource[*ConfigMap](client, configMaps)
		factory := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
		cache := informer.For(factory, resource, informer.Options[*ConfigMap]{})
		secrets := informer.ForBodies(factory, rest.NewView[*Secret](client, secretInfo), informer.BodyOptions[*Secret]{})
		reconciles, found := 0, false
		c := controller.New("yours", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			reconciles++
			m, ok, err := controller.Get(ctx, cache, req.String())
			if err != nil || !ok {
				return controller.Result{}, err
			}
			secret, ok, err := controller.Get(ctx, secrets, "shop/tls")
			// ...
			if err != nil || !ok {
				return controller.Result{}, err
			}
			found = true
			changed := informer.Clone(m)
			metav1.SetMetaDataAnnotation(&changed.ObjectMeta, "key", string(secret.Data["key"]))
			_, err = resource.Namespace("shop").MergePatch(ctx, m, changed, metav1.PatchOptions{})
			return controller.Result{}, err
		}), controller.Options{Logger: quiet})
		controller.NotOwnWrites(controller.For(c, cache))
		controller.Reads(c, secrets)
		// ...
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true, Logger: quiet}, c)
		}()
		synctest.Wait()
		apitest.Create(t, srv, &Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "tls"}, Data: map[string][]byte{"key": []byte("1")}})
		synctest.Wait()
		if !found || reconciles != 2 {
			t.Errorf("%d reconciles, found %t", reconciles, found)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// This test compiles and runs the snippets about informers of several namespaces.
func TestSnippetsAboutNamespacesOfTheFAQ(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{Logger: quiet})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	requireNoError(t, err)
	defer client.Close()
	for _, namespace := range []string{"shop", "bank", "mail"} {
		apitest.Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "parrot"}})
	}
	apitest.Create(t, srv, &Namespace{metav1.ObjectMeta{Name: "orders", Labels: map[string]string{"team": "shop"}}})
	apitest.Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "orders", Name: "parrot"}})
	factory := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
	resource := rest.NewResource[*ConfigMap](client, configMaps)
	cache := informer.ForNamespaces(factory, resource, informer.Options[*ConfigMap]{}, "shop", "bank")
	// ...
	followed := followNamespaces(t, client, factory, resource)
	requireNoError(t, factory.Start(t.Context()))
	requireNoError(t, cache.WaitForSync(t.Context()))
	err = cache.SetNamespaces("shop", "mail") // at any time
	// ...
	requireNoError(t, err)
	requireNoError(t, cache.WaitForSync(t.Context()))
	if _, ok := cache.Get("mail/parrot"); !ok {
		t.Error("the objects of the added namespace are missing")
	}
	requireNoError(t, followed.WaitForSync(t.Context()))
	requireEqual(t, strings.Join(slices.Collect(followed.Keys()), " "), "orders/parrot")
	requireNoError(t, factory.Shutdown())
}

func followNamespaces(t *testing.T, client *rest.Client, factory *informer.Factory, resource *rest.Resource[*ConfigMap]) *informer.SharedInformer[*ConfigMap] {
	namespaces := informer.For(factory, rest.NewView[*metav1.PartialObjectMetadata](client, namespaceInfo), informer.Options[*metav1.PartialObjectMetadata]{
		TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "team=shop" },
	})
	cache := informer.ForNamespaces(factory, resource, informer.Options[*ConfigMap]{})
	_, err := informer.FollowNamespaces(cache, namespaces) // before the informers run
	requireNoError(t, err)
	return cache
}

// Namespace has the metadata of a Namespace.
type Namespace struct {
	metav1.ObjectMeta `json:"metadata"`
}

var namespaceInfo = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Kind: "Namespace"}

// Secret has the field that the snippets read.
type Secret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string][]byte `json:"data,omitempty"`
}

var secretInfo = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, Kind: "Secret", Namespaced: true}
