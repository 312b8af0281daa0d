package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func checkStaleCreate(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	site := c.site("shop/docs", "hello")
	c.sync()
	c.reconcile("shop/docs", "with a new site", "POST")
	page := c.get("shop/docs-page")
	const when = "a second time, before the cache has the page that the first call has created"
	if requests, err := c.try("shop/docs"); err != nil {
		t.Fatalf("%s, Reconcile returns: %v; want nil: the page is right\nrequests: %s", when, err, joined(requests))
	}
	for _, object := range apitest.List(t, c.server, &stack.ConfigMap{}) {
		if key := stack.Key(object); key != "shop/docs" && key != "shop/docs-page" && object.Namespace == "shop" {
			t.Fatalf("%s, Reconcile creates a second page, %s", when, key)
		}
	}
	c.unchanged(page, when)
	c.hasPage(site, "hello", when)
}

func checkStaleUpdate(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	site := c.site("shop/docs", "hello")
	c.sync()
	c.page(site, "old")
	const when = "with a page on the server that the cache lacks and that has old data"
	if requests, err := c.try("shop/docs"); err != nil {
		t.Fatalf("%s, Reconcile returns: %v; want nil\nrequests: %s", when, err, joined(requests))
	}
	c.hasPage(site, "hello", when+", after Reconcile has returned nil")
}

func checkStaleForeign(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	c.site("shop/docs", "hello")
	c.sync()
	foreign := c.create("shop/docs-page", "of another program", nil)
	const when = "with an object docs-page on the server that is not a page, and that the cache lacks"
	requests, err := c.try("shop/docs")
	c.unchanged(foreign, when)
	if err == nil {
		t.Fatalf("%s, Reconcile returns nil; want an error: the site has no page\nrequests: %s", when, joined(requests))
	}
}

func checkConflict(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	site := c.site("shop/docs", "hello")
	c.page(site, "old")
	c.sync()
	apitest.Modify(t, c.server, like("shop/docs-page"), func(object *stack.ConfigMap) {
		object.Annotations = map[string]string{"note": "keep"}
	})
	_, err := c.try("shop/docs")
	page := c.get("shop/docs-page")
	if page == nil || page.Annotations["note"] != "keep" {
		t.Fatalf("the page got an annotation that the cache lacks: after Reconcile the annotation does not exist\nthe version of the cached page belongs in the request: the server then responds with a conflict")
	}
	if err == nil {
		c.hasPage(site, "hello", "with a page that is newer than the cached one, after Reconcile has returned nil")
	}
	c.settle("shop/docs", "after a conflict")
	c.hasPage(site, "hello", "after a conflict, and Reconcile with a current cache")
	if c.get("shop/docs-page").Annotations["note"] != "keep" {
		t.Fatalf("after a conflict, and Reconcile with a current cache, the annotation of the page does not exist")
	}
}

func checkNewerPage(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	c.page(c.site("shop/docs", "hello"), "hello")
	c.delete("shop/docs")
	c.sync()
	c.delete("shop/docs-page")
	newer := c.page(c.site("shop/docs", "hello"), "hello")
	_, err := c.try("shop/docs")
	if current := c.get("shop/docs-page"); current == nil || current.UID != newer.UID {
		t.Fatalf("the cache has the page of a deleted site, the server a newer page of a new site: Reconcile deletes the newer one\na delete with a precondition for the uid of the cached page would fail (Reconcile returns %v)", err)
	}
}

func checkNewSite(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	c.page(c.site("shop/docs", "hello"), "hello")
	c.delete("shop/docs")
	site := c.site("shop/docs", "hello")
	c.settle("shop/docs", "after the site was deleted and created again")
	c.settle("shop/docs", "after the site was deleted and created again")
	c.hasPage(site, "hello", "after the site was deleted and created again, with another uid, and Reconcile")
}

func checkError(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	site := c.site("shop/docs", "hello")
	c.page(c.site("shop/changed", "new"), "old")
	c.page(c.site("shop/deleted", "hello"), "hello")
	c.delete("shop/deleted")
	c.page(c.site("shop/gone", "new"), "old")
	c.sync()
	existing := c.site("shop/existing", "new")
	c.sync()
	c.page(existing, "old")
	for _, code := range []int{500, 403} {
		fault := c.server.Fault(apitest.Fault{Action: apitest.Fail(code, 0)})
		for _, key := range []string{"shop/docs", "shop/changed", "shop/deleted"} {
			if requests, err := c.try(key); err == nil {
				t.Fatalf("the server responds %d to all requests: Reconcile(%q) returns nil, so the work queue does not try again\nrequests: %s", code, key, joined(requests))
			}
		}
		fault.Remove()
		fault = c.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "get"}, Action: apitest.Fail(code, 0)})
		requests, err := c.try("shop/existing")
		if page := c.get("shop/existing-page"); err == nil && page.Data["text"] != "new" {
			t.Fatalf("the page exists, the cache lacks it, and the server responds %d to its GET: Reconcile(%q) returns nil, so the work queue does not try again\nrequests: %s", code, "shop/existing", joined(requests))
		}
		fault.Remove()
	}
	c.delete("shop/gone-page")
	if requests, err := c.try("shop/gone"); err == nil && c.get("shop/gone-page") == nil {
		t.Fatalf("the page is deleted, the cache has it: Reconcile(%q) returns nil, and the site has no page\nrequests: %s", "shop/gone", joined(requests))
	}
	for _, key := range []string{"shop/docs", "shop/changed", "shop/deleted"} {
		c.settle(key, "after errors of the server")
	}
	c.hasPage(site, "hello", "after errors of the server")
}

func checkContext(t *judge.T, parts stack.Parts) {
	c := newCluster(t, parts)
	c.site("shop/docs", "hello")
	c.page(c.site("shop/changed", "new"), "old")
	c.page(c.site("shop/deleted", "hello"), "hello")
	c.delete("shop/deleted")
	existing := c.site("shop/existing", "new")
	c.sync()
	c.page(existing, "old")
	fault := c.server.Fault(apitest.Fault{Action: apitest.Silence()})
	for _, key := range []string{"shop/docs", "shop/changed", "shop/deleted"} {
		c.ends(key, "the server is silent")
	}
	fault.Remove()
	c.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "get"}, Action: apitest.Silence()})
	c.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "update"}, Action: apitest.Silence()})
	c.ends("shop/existing", "the cache lacks the page, the server is silent after the POST")
}

// ends fails unless Reconcile returns an error at the moment in which its context ends.
func (c *cluster) ends(key, when string) {
	c.t.Helper()
	const timeout = 7 * time.Second
	ctx, cancel := context.WithTimeout(c.t.Context(), timeout)
	defer cancel()
	start := time.Now()
	var err error
	call := fmt.Sprintf("%s and the context has ended: Reconcile(%q)", when, key)
	c.t.Unblocked(call, func() { err = c.reconciler.Reconcile(ctx, key) })
	if err == nil {
		c.t.Fatalf("%s returns nil; want an error", call)
	}
	if after := time.Since(start); after > timeout {
		c.t.Fatalf("%s returns %v after the end of the context; want that it returns at once", call, after-timeout)
	}
}
