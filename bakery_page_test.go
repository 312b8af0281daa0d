package thinformer_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// page is docs/your-controller.md, and the two files in YAML that stand in it.
var page = func() document {
	text, err := os.ReadFile("docs/your-controller.md")
	if err != nil {
		panic(err)
	}
	return document{"docs/your-controller.md", string(text)}
}()

var crd, rights = []byte(page.blocks("yaml")[0]), []byte(page.blocks("yaml")[1])

// What the page says that the program has to be allowed is what it asks for.
func TestBakeryNeedsTheRightsOfItsPage(t *testing.T) {
	var mu sync.Mutex
	var used []string
	srv := apitest.NewServer(apitest.Options{
		Tokens: map[string]apitest.User{"bakery": {Name: "bakery"}},
		Authorize: func(a apitest.Attributes) (bool, string) {
			mu.Lock()
			defer mu.Unlock()
			used = append(used, strings.TrimSuffix(a.Group+"/"+a.Resource+"/"+a.Subresource, "/")+" "+a.Verb)
			return true, ""
		},
	})
	defer srv.Close()
	definition := new(unstructured.Unstructured)
	if err := yaml.Unmarshal(crd, &definition.Object); err != nil {
		t.Fatal(err)
	}
	apitest.Create(t, srv, definition)
	config := srv.Config()
	config.BearerToken = "bakery"
	client, err := rest.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = runBakery(ctx, client, new(fakeOven)) })
	joes := &Bakery{ObjectMeta: metav1.ObjectMeta{Namespace: "town", Name: "joes"}}
	joes.Spec.Bread = "rye"
	joes = apitest.Create(t, srv, joes)
	apitest.Wait(t, srv, joes, func(b *Bakery) bool { return b.Status.Baked == "rye" })
	shelf := apitest.Modify(t, srv, &ConfigMap{ObjectMeta: joes.ObjectMeta}, func(m *ConfigMap) { m.Data["bread"] = "stale" })
	apitest.Wait(t, srv, shelf, func(m *ConfigMap) bool { return m.Data["bread"] == "rye" })
	stop()
	running.Wait() // and gives the Lease back, which is an update

	var rules []struct{ APIGroups, Resources, Verbs []string }
	if err := yaml.Unmarshal(rights, &rules); err != nil {
		t.Fatal(err)
	}
	var granted []string
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				granted = append(granted, rule.APIGroups[0]+"/"+resource+" "+verb)
			}
		}
	}
	for _, right := range used {
		if !slices.Contains(granted, right) {
			t.Errorf("%s: it takes %s", page.name, right)
		}
	}
	for _, right := range granted { // who may watch may list: which of the two it is, is the server's affair
		if !strings.HasSuffix(right, " list") && !slices.Contains(used, right) {
			t.Errorf("%s: nothing needs %s", page.name, right)
		}
	}
}

func TestBakeryWithoutAServer(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if err := runHere(t.Context(), new(fakeOven)); !errors.Is(err, rest.ErrNotInCluster) {
		t.Errorf("there is nothing to talk to: %v", err)
	}
}
