package docs_test

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

// page is docs/your-controller.md. It is read before TestMain changes the folder.
var page = func() document {
	text, err := os.ReadFile("your-controller.md")
	if err != nil {
		panic(err)
	}
	return document{"docs/your-controller.md", string(text)}
}()

// crd and rbacRules are the YAML of the page.
var crd, rbacRules = []byte(page.blocks("yaml")[0]), []byte(page.blocks("yaml")[1])

// The rights on the page are exactly those that the program uses.
func TestWebsitesNeedTheRightsOfTheirPage(t *testing.T) {
	var mu sync.Mutex
	var used []string
	srv := apitest.NewServer(apitest.Options{
		Tokens: map[string]apitest.User{"website": {Name: "website"}},
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
	config.BearerToken = "website"
	client, err := rest.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = runWebsites(ctx, client, new(fakeDNS)) })
	blog := &Website{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "blog"}}
	blog.Spec.Title = "Hello"
	blog = apitest.Create(t, srv, blog)
	apitest.Wait(t, srv, blog, func(w *Website) bool { return w.Status.Published == "Hello" })
	data := apitest.Modify(t, srv, &ConfigMap{ObjectMeta: blog.ObjectMeta}, func(m *ConfigMap) { m.Data["title"] = "changed" })
	apitest.Wait(t, srv, data, func(m *ConfigMap) bool { return m.Data["title"] == "Hello" })
	stop()
	running.Wait() // the program has released the Lease, which is an update

	requireSameRights(t, rbacRules, used)
}

// requireSameRights fails unless the rules grant exactly the rights that a program has used.
func requireSameRights(t *testing.T, granting []byte, used []string) {
	t.Helper()
	var rules []struct{ APIGroups, Resources, Verbs []string }
	if err := yaml.Unmarshal(granting, &rules); err != nil {
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
			t.Errorf("%s: the program also needs %s", page.name, right)
		}
	}
	for _, right := range granted { // list is not checked: the initial state may arrive in a watch instead
		if !strings.HasSuffix(right, " list") && !slices.Contains(used, right) {
			t.Errorf("%s: the program does not need %s", page.name, right)
		}
	}
}

func TestWebsitesWithoutAServer(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if err := runHere(t.Context(), new(fakeDNS)); !errors.Is(err, rest.ErrNotInCluster) {
		t.Errorf("without a kubeconfig and outside of a cluster, got %v", err)
	}
}
