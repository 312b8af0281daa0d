package reconcile

import (
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkCreate(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	docs, other := c.site("shop/docs", "hello"), c.create("blog/docs", "other", map[string]string{stack.SiteLabel: ""})
	c.sync()
	c.reconcile("shop/docs", "with a new site", "POST")
	c.hasPage(docs, "hello", "after Reconcile of a new site")
	if page := c.get("blog/docs-page"); page != nil {
		t.Fatalf(`Reconcile("shop/docs") creates a page for blog/docs`)
	}
	const empty = "with a new site, whose label course/site has an empty value"
	c.reconcile("blog/docs", empty, "POST")
	c.hasPage(other, "other", empty)

	c.sync()
	c.delete("shop/docs-page")
	c.sync()
	c.reconcile("shop/docs", "after the page was deleted by hand", "POST")
}

func checkNoSite(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	site := c.site("shop/docs", "hello")
	c.page(site, "hello")
	c.create("shop/settings", "hello", nil)
	c.create("shop/labelled", "hello", map[string]string{"team": "web"})
	c.sync()
	c.reconcile("shop/settings", "with a ConfigMap without labels")
	c.reconcile("shop/labelled", "with a ConfigMap without the label "+stack.SiteLabel)
	c.reconcile("shop/docs-page", "with a page")
	c.reconcile("shop/none", "without an object of this key")
}

func checkRight(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	c.page(c.site("shop/docs", "hello"), "hello")
	c.sync()
	c.reconcile("shop/docs", "with a page that is right")
	empty := c.site("shop/empty", "")
	apitest.Modify(t, c.server, empty, func(object *stack.ConfigMap) { object.Data = nil })
	c.sync()
	c.reconcile("shop/empty", "with a new site without data", "POST")
	c.sync()
	c.reconcile("shop/empty", "with a page without data that is right")
	page, _ := c.cache.Get("shop/empty-page")
	c.cache.Apply([]stack.Object{{ObjectMeta: page.ObjectMeta, TypeMeta: page.TypeMeta, Data: map[string]string{}}}, nil)
	c.reconcile("shop/empty", "with nil data of the site and an empty map as the data of its page")
}

func checkUpdate(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	site := c.site("shop/docs", "hello")
	c.page(site, "hello")
	c.change("shop/docs", "changed")
	c.sync()
	c.reconcile("shop/docs", "after a change of the site", "PUT docs-page")
	c.hasPage(site, "changed", "after Reconcile of a changed site")

	c.change("shop/docs-page", "by hand")
	c.sync()
	c.reconcile("shop/docs", "after a change of the page", "PUT docs-page")
	c.hasPage(site, "changed", "after Reconcile of a site whose page has been changed by hand")

	apitest.Modify(t, c.server, like("shop/docs-page"), func(object *stack.ConfigMap) { object.Data["more"] = "x" })
	c.sync()
	c.reconcile("shop/docs", "after a key was added to the data of the page", "PUT docs-page")
	c.hasPage(site, "changed", "after Reconcile of a site whose page has one more key in its data")

	for _, wrong := range []struct {
		what   string
		change func(*metav1.OwnerReference)
	}{
		{"controller was removed from the owner of the page", func(owner *metav1.OwnerReference) { owner.Controller = nil }},
		{"kind of the owner of the page was changed", func(owner *metav1.OwnerReference) { owner.Kind = "Secret" }},
		{"name of the owner of the page was changed", func(owner *metav1.OwnerReference) { owner.Name = "other" }},
		{"apiVersion of the owner of the page was changed", func(owner *metav1.OwnerReference) { owner.APIVersion = "v2" }},
	} {

		c.owners("shop/docs-page", func(all []metav1.OwnerReference) []metav1.OwnerReference {
			wrong.change(&all[0])
			return all
		})
		c.reconcile("shop/docs", "after the "+wrong.what, "PUT docs-page")
		c.hasPage(site, "changed", "after the "+wrong.what+", and Reconcile")
	}
	c.owners("shop/docs-page", func(all []metav1.OwnerReference) []metav1.OwnerReference {
		return append(all, metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "another"})
	})
	c.reconcile("shop/docs", "with a second owner of the page", "PUT docs-page")
	c.hasPage(site, "changed", "with a second owner of the page, and after Reconcile")
}

// owners changes the owner references of an object, also in the cache.
func (c *cluster) owners(key string, change func([]metav1.OwnerReference) []metav1.OwnerReference) {
	apitest.Modify(c.t, c.server, like(key), func(object *stack.ConfigMap) {
		object.OwnerReferences = change(object.OwnerReferences)
	})
	c.sync()
}

func checkKeeps(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	site := c.site("shop/docs", "hello")
	c.page(site, "old")
	apitest.Modify(t, c.server, like("shop/docs-page"), func(object *stack.ConfigMap) {
		object.Labels["team"] = "web"
		object.Annotations = map[string]string{"note": "keep"}
		object.Finalizers = []string{"example.com/keep"}
	})
	c.sync()
	c.reconcile("shop/docs", "with a page that differs", "PUT docs-page")
	c.hasPage(site, "hello", "after Reconcile")
	page := c.get("shop/docs-page")
	if page.Labels["team"] != "web" || page.Annotations["note"] != "keep" {
		t.Fatalf("the page had the label team and the annotation note; after Reconcile its labels are %v and its annotations %v", page.Labels, page.Annotations)
	}
	if len(page.Finalizers) != 1 {
		t.Fatalf("the page had a finalizer; after Reconcile it has %d: an update changes only the data and the owner references", len(page.Finalizers))
	}
}

func checkCached(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	site := c.site("shop/docs", "hello")
	c.page(site, "old")
	c.site("shop/new", "hello")
	c.page(c.site("shop/again", "hello"), "hello")
	c.owners("shop/again-page", func(all []metav1.OwnerReference) []metav1.OwnerReference {
		all[0].UID = "of-a-deleted-site"
		return all
	})
	before := map[string]stack.Object{}
	for _, object := range c.cache.List() {
		before[stack.Key(object)] = &stack.ConfigMap{
			TypeMeta: object.TypeMeta, ObjectMeta: *object.ObjectMeta.DeepCopy(),
			Data: map[string]string{"text": object.Data["text"]},
		}
	}
	c.reconcile("shop/docs", "with a page that differs", "PUT docs-page")
	c.reconcile("shop/new", "with a new site", "POST")
	c.reconcile("shop/again", "with a page that has the uid of a deleted site", "PUT again-page")
	for _, key := range slices.Sorted(maps.Keys(before)) {
		want := before[key]
		got, ok := c.cache.Get(key)
		if !ok {
			t.Fatalf("Reconcile deletes the object %s of the cache", key)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("Reconcile modifies the object %s of the cache, which all readers share: %s", key, difference(got, want))
		}
	}
	if n := len(c.cache.List()); n != len(before) {
		t.Fatalf("Reconcile changes the cache: it has %d objects instead of %d; only the watch writes to the cache", n, len(before))
	}
}

func checkDelete(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	c.page(c.site("shop/docs", "hello"), "hello")
	c.page(c.site("shop/ended", "hello"), "hello")
	c.delete("shop/docs")
	apitest.Modify(t, c.server, like("shop/ended"), func(object *stack.ConfigMap) { object.Labels = nil })
	c.sync()
	c.reconcile("shop/docs", "after the deletion of the site", "DELETE docs-page")
	c.reconcile("shop/ended", "after the label of the site was removed", "DELETE ended-page")
	for _, key := range []string{"shop/docs-page", "shop/ended-page"} {
		if c.get(key) != nil {
			t.Fatalf("after Reconcile of a site that is no longer one, the server still has %s", key)
		}
	}
	if c.get("shop/ended") == nil {
		t.Fatalf("Reconcile deletes the ConfigMap whose label was removed")
	}
	c.sync()
	c.reconcile("shop/docs", "after the deletion of the site and of its page")
}

func checkDeleted(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	c.page(c.site("shop/docs", "hello"), "hello")
	c.delete("shop/docs")
	c.sync()
	c.delete("shop/docs-page")
	if _, err := c.try("shop/docs"); err != nil {
		t.Fatalf("the server has no page any more, the cache has it: Reconcile of the deleted site returns: %v; want nil", err)
	}
}

func checkForeign(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	c.site("shop/docs", "hello")
	foreign := c.create("shop/docs-page", "of another program", nil)
	neighbour := c.create("shop/deleted-page", "of another site", map[string]string{stack.PageLabel: "another"})
	c.site("shop/blog", "hello")
	labelled := c.create("shop/blog-page", "of another site", map[string]string{stack.PageLabel: "another"})
	c.sync()
	if requests, err := c.try("shop/docs"); err == nil {
		t.Fatalf("with an object docs-page without the label %s, Reconcile of the site docs returns nil; want an error\nrequests: %s", stack.PageLabel, joined(requests))
	}
	c.unchanged(foreign, "with an object docs-page without the label "+stack.PageLabel)
	if requests, err := c.try("shop/blog"); err == nil {
		t.Fatalf("with an object blog-page whose label names another site, Reconcile of the site blog returns nil; want an error\nrequests: %s", joined(requests))
	}
	c.unchanged(labelled, "with an object blog-page whose label names another site")
	c.reconcile("shop/deleted", "without a site, and with an object deleted-page whose label names another site")
	c.unchanged(neighbour, "without a site, and with an object deleted-page whose label names another site")
}
