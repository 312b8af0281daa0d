package docs_test

import (
	"context"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

type fakeDNS struct{ registered sync.Map }

func (d *fakeDNS) Register(name string) error   { d.registered.Store(name, true); return nil }
func (d *fakeDNS) Unregister(name string) error { d.registered.Delete(name); return nil }

func TestWebsites(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	definition := new(unstructured.Unstructured)
	if err := yaml.Unmarshal(crd, &definition.Object); err != nil { // sigs.k8s.io/yaml
		t.Fatal(err)
	}
	apitest.Create(t, srv, definition) // websites are served from here on
	client, err := rest.New(srv.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	dns := new(fakeDNS)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := runWebsites(ctx, client, dns); err != nil {
			t.Error(err)
		}
	})
	defer func() { stop(); running.Wait() }()

	// The controller publishes a new website.
	blog := &Website{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "blog"}}
	blog.Spec.Title = "Hello"
	blog = apitest.Create(t, srv, blog)
	apitest.Wait(t, srv, blog, func(w *Website) bool { return w.Status.Published == "Hello" })

	// It corrects the config map after a change, and creates it again after a deletion.
	data := apitest.Get(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "blog"}})
	apitest.Modify(t, srv, data, func(m *ConfigMap) { m.Data["title"] = "changed" })
	apitest.Wait(t, srv, data, func(m *ConfigMap) bool { return m.Data["title"] == "Hello" })
	apitest.Delete(t, srv, data)
	apitest.Wait(t, srv, data, func(m *ConfigMap) bool { return m.Data["title"] == "Hello" })

	// It cleans up before a website is deleted. A client sends the request, since
	// apitest.Delete removes an object at once, without its finalizers.
	err = rest.NewResource[*Website](client, websites).Namespace("web").Delete(ctx, "blog", metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	apitest.WaitDeleted(t, srv, blog)
	if _, ok := dns.registered.Load("blog"); ok {
		t.Error("the name is still registered")
	}
}
