package reconcile

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// cluster is a server, a cache, and the reconciler of a solution. The cache changes only
// with sync, so a check determines how old it is.
type cluster struct {
	t          *judge.T
	server     *apitest.Server
	cache      stack.Indexer
	reconciler stack.Reconciler
}

func newCluster(t *judge.T, parts stack.Parts) *cluster {
	c := &cluster{t: t, server: t.Server(apitest.Options{}), cache: parts.NewIndexer()}
	base, dial := judge.Dial(c.server)
	c.reconciler = parts.NewReconciler(c.cache, parts.NewClient(base, parts.NewTransport(dial)))
	if c.reconciler == nil {
		t.Fatalf("NewReconciler returns nil")
	}
	return c
}

// site creates a site on the server and returns it.
func (c *cluster) site(key, text string) stack.Object {
	return c.create(key, text, map[string]string{stack.SiteLabel: "yes"})
}

// create creates a ConfigMap on the server and returns it.
func (c *cluster) create(key, text string, labels map[string]string) stack.Object {
	object := like(key)
	object.Labels = labels
	object.Data = map[string]string{"text": text}
	return apitest.Create(c.t, c.server, object)
}

// page creates the page of a site on the server and returns it.
func (c *cluster) page(site stack.Object, text string) stack.Object {
	page := like(stack.Key(site) + "-page")
	page.Labels = map[string]string{stack.PageLabel: site.Name}
	page.OwnerReferences = owner(site)
	page.Data = map[string]string{"text": text}
	return apitest.Create(c.t, c.server, page)
}

func owner(site stack.Object) []metav1.OwnerReference {
	controller := true
	return []metav1.OwnerReference{{
		APIVersion: "v1", Kind: "ConfigMap", Name: site.Name, UID: site.UID, Controller: &controller,
	}}
}

// change sets the text of an object on the server.
func (c *cluster) change(key, text string) {
	apitest.Modify(c.t, c.server, like(key), func(object *stack.ConfigMap) {
		object.Data = map[string]string{"text": text}
	})
}

func (c *cluster) delete(key string) { apitest.Delete(c.t, c.server, like(key)) }

// like returns an object with only the name of a key.
func like(key string) stack.Object {
	namespace, name, _ := strings.Cut(key, "/")
	return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// sync makes the cache equal to the server.
func (c *cluster) sync() {
	current := map[string]bool{}
	objects := apitest.List(c.t, c.server, &stack.ConfigMap{})
	for _, object := range objects {
		current[stack.Key(object)] = true
	}
	var gone []string
	for _, object := range c.cache.List() {
		if key := stack.Key(object); !current[key] {
			gone = append(gone, key)
		}
	}
	c.cache.Apply(objects, gone)
}

// get returns an object of the server, or nil.
func (c *cluster) get(key string) stack.Object {
	for _, object := range apitest.List(c.t, c.server, &stack.ConfigMap{}) {
		if stack.Key(object) == key {
			return object
		}
	}
	return nil
}

// try calls Reconcile and returns its error and its requests.
func (c *cluster) try(key string) (requests []string, err error) {
	c.t.Helper()
	c.server.ForgetRequests()
	c.t.Unblocked("Reconcile of "+key, func() { err = c.reconciler.Reconcile(c.t.Context(), key) })
	for _, request := range c.server.Requests(apitest.Match{}) {
		requests = append(requests, request.Method+" "+request.Path)
	}
	return requests, err
}

// reconcile calls Reconcile, which must return nil and make these requests. when says
// what has happened before.
func (c *cluster) reconcile(key, when string, want ...string) {
	c.t.Helper()
	requests, err := c.try(key)
	if err != nil {
		c.t.Fatalf("%s, Reconcile(%q) returns: %v; want nil\nrequests: %s", when, key, err, joined(requests))
	}
	for i, request := range want {
		method, name, named := strings.Cut(request, " ")
		namespace, _, _ := strings.Cut(key, "/")
		want[i] = method + " /api/v1/namespaces/" + namespace + "/configmaps"
		if named {
			want[i] += "/" + name
		}
	}
	if !reflect.DeepEqual(requests, append([]string(nil), want...)) {
		c.t.Fatalf("%s, Reconcile(%q) makes these requests: %s; want: %s", when, key, joined(requests), joined(want))
	}
}

// joined returns requests as a text.
func joined(requests []string) string {
	if len(requests) == 0 {
		return "none"
	}
	return strings.Join(requests, ", ")
}

// settle calls sync and Reconcile up to three times, as a work queue does after errors,
// until it returns nil.
func (c *cluster) settle(key, when string) {
	c.t.Helper()
	var err error
	for range 3 {
		c.sync()
		if _, err = c.try(key); err == nil {
			return
		}
	}
	c.t.Fatalf("%s, with a current cache, Reconcile(%q) still returns: %v", when, key, err)
}

// hasPage fails unless the page of a site on the server is what it should be.
func (c *cluster) hasPage(site stack.Object, text, when string) {
	c.t.Helper()
	key := stack.Key(site) + "-page"
	page := c.get(key)
	if page == nil {
		c.t.Fatalf("%s, the server has no %s", when, key)
	}
	if label := page.Labels[stack.PageLabel]; label != site.Name {
		c.t.Fatalf("%s, the label %s of %s is %q; want %q", when, stack.PageLabel, key, label, site.Name)
	}
	if _, site := page.Labels[stack.SiteLabel]; site {
		c.t.Fatalf("%s, %s has the label %s, so it is a site itself", when, key, stack.SiteLabel)
	}
	if data := fmt.Sprint(page.Data); data != fmt.Sprint(map[string]string{"text": text}) {
		c.t.Fatalf("%s, the data of %s are %s; want those of the site, map[text:%s]", when, key, data, text)
	}
	if !ownedBy(page, site) {
		c.t.Fatalf("%s, the owner references of %s are %s; want only %s", when, key, owners(page.OwnerReferences), owners(owner(site)))
	}
}

// ownedBy reports whether the site is the only owner of an object.
func ownedBy(page, site stack.Object) bool {
	if len(page.OwnerReferences) != 1 {
		return false
	}
	got, want := page.OwnerReferences[0], owner(site)[0]
	return got.APIVersion == want.APIVersion && got.Kind == want.Kind && got.Name == want.Name && got.UID == want.UID &&
		got.Controller != nil && *got.Controller
}

// owners returns owner references in a short form.
func owners(references []metav1.OwnerReference) string {
	texts := make([]string, len(references))
	for i, r := range references {
		texts[i] = fmt.Sprintf("{%s %s %s uid %.8s controller %t}", r.APIVersion, r.Kind, r.Name, r.UID, r.Controller != nil && *r.Controller)
	}
	return "[" + strings.Join(texts, " ") + "]"
}

// unchanged fails unless the server still has this state of an object.
func (c *cluster) unchanged(object stack.Object, when string) {
	c.t.Helper()
	current := c.get(stack.Key(object))
	if current == nil {
		c.t.Fatalf("%s, Reconcile deletes %s", when, stack.Key(object))
	}
	if current.UID != object.UID {
		c.t.Fatalf("%s, Reconcile deletes %s and creates it again", when, stack.Key(object))
	}
	if current.ResourceVersion != object.ResourceVersion {
		c.t.Fatalf("%s, Reconcile changes %s: %s", when, stack.Key(object), difference(current, object))
	}
}

// difference returns what differs between two states of an object.
func difference(got, before stack.Object) string {
	const format = "its %s are now %v; before %v"
	switch {
	case !maps.Equal(got.Data, before.Data):
		return fmt.Sprintf(format, "data", got.Data, before.Data)
	case !maps.Equal(got.Labels, before.Labels):
		return fmt.Sprintf(format, "labels", got.Labels, before.Labels)
	case !maps.Equal(got.Annotations, before.Annotations):
		return fmt.Sprintf(format, "annotations", got.Annotations, before.Annotations)
	case owners(got.OwnerReferences) != owners(before.OwnerReferences):
		return fmt.Sprintf(format, "owner references", owners(got.OwnerReferences), owners(before.OwnerReferences))
	}
	return fmt.Sprintf("its data, labels, annotations and owners are as before, the rest is now %v; before %v",
		[]any{got.TypeMeta, got.ResourceVersion, got.Finalizers}, []any{before.TypeMeta, before.ResourceVersion, before.Finalizers})
}
