package thinformer_test

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

type fakeOven struct{ hot sync.Map }

func (o *fakeOven) Heat(name string) error { o.hot.Store(name, true); return nil }
func (o *fakeOven) Cool(name string) error { o.hot.Delete(name); return nil }

func TestBakery(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	definition := new(unstructured.Unstructured)
	if err := yaml.Unmarshal(crd, &definition.Object); err != nil { // sigs.k8s.io/yaml
		t.Fatal(err)
	}
	apitest.Create(t, srv, definition) // from now on bakeries are served
	client, err := rest.New(srv.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	oven := new(fakeOven)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := runBakery(ctx, client, oven); err != nil {
			t.Error(err)
		}
	})
	defer func() { stop(); running.Wait() }()

	// It bakes what it is told to.
	joes := &Bakery{ObjectMeta: metav1.ObjectMeta{Namespace: "town", Name: "joes"}}
	joes.Spec.Bread = "rye"
	joes = apitest.Create(t, srv, joes)
	apitest.Wait(t, srv, joes, func(b *Bakery) bool { return b.Status.Baked == "rye" })

	// Its config map is put right when somebody changes it, and made again.
	shelf := apitest.Get(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "town", Name: "joes"}})
	apitest.Modify(t, srv, shelf, func(m *ConfigMap) { m.Data["bread"] = "stale" })
	apitest.Wait(t, srv, shelf, func(m *ConfigMap) bool { return m.Data["bread"] == "rye" })
	apitest.Delete(t, srv, shelf)
	apitest.Wait(t, srv, shelf, func(m *ConfigMap) bool { return m.Data["bread"] == "rye" })

	// It cleans up before it goes. A client deletes it, as users do:
	// apitest.Delete takes objects away at once, whatever finalizers they have.
	err = rest.NewResource[*Bakery](client, bakeries).Namespace("town").Delete(ctx, "joes", metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	apitest.WaitGone(t, srv, joes)
	if _, hot := oven.hot.Load("joes"); hot {
		t.Error("the oven is still hot")
	}
}
