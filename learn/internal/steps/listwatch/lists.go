package listwatch

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// The checks of lists.

func checkList(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	objects, version := r.listed(metav1.ListOptions{})
	if len(objects) == 0 {
		t.Fatalf("a list of the namespace shop has no objects, want a and b; the requests are: %s. If the response is 200, look at the JSON tags: the client of step 2 distinguishes upper and lower case", r.requests())
	}
	if got := names(objects); got != "a b" {
		t.Fatalf("a list of the namespace shop has the objects %q, want a and b; the requests are: %s", got, r.requests())
	}
	newest := ""
	for _, object := range objects {
		newest = max(newest, object.ResourceVersion)
	}
	if want := r.current(); version != want {
		t.Fatalf("the version of the list is %q, want %s, that of the list's own metadata; the newest object has version %s, and another one was deleted later", version, want, newest)
	}
}

// current returns the version of the server's collection.
func (r *run) current() string {
	client := r.client.Client
	var list struct {
		Metadata metav1.ListMeta `json:"metadata"`
	}
	if err := client.Verb("GET").Resource("configmaps").VersionedParams(&metav1.ListOptions{Limit: 1}).Do(r.t.Context()).Into(&list); err != nil {
		r.t.Fatalf("list with the client of the check: %v", err)
	}
	return list.Metadata.ResourceVersion
}

func checkOptions(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	seconds := int64(400)
	options := metav1.ListOptions{LabelSelector: "name=b", FieldSelector: "metadata.name!=zzz", TimeoutSeconds: &seconds}
	before := options
	objects, version := r.listed(options)
	if got := names(objects); got != "b" {
		t.Fatalf("List with the LabelSelector name=b: the objects are %q, want b; the requests are: %s", got, r.requests())
	}
	options.ResourceVersion, before.ResourceVersion = version, version
	w := r.watch(t.Context(), options)
	for _, name := range []string{"a", "b"} {
		apitest.Modify(t, r.server, configMap("shop", name), func(object stack.Object) { object.Data = map[string]string{"key": "new"} })
	}
	event, err := r.next(w, "a change of a and a change of b")
	if err != nil || event.Object.Name != "b" {
		t.Fatalf("Watch with the LabelSelector name=b, then a change of a and one of b: Next returns %v and the error %v, want the change of b", event, err)
	}
	for _, request := range r.server.Requests(apitest.Match{}) {
		r.sends(request, "labelSelector=name=b", "fieldSelector=metadata.name!=zzz", "timeoutSeconds=400")
	}
	streamed := options
	streamed.SendInitialEvents, streamed.ResourceVersionMatch = new(true), metav1.ResourceVersionMatchNotOlderThan
	r.watch(t.Context(), streamed)
	requests := r.server.Requests(apitest.Match{Verb: "watch"})
	r.sends(requests[len(requests)-1], "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan")
	if options != before || seconds != 400 {
		t.Fatalf("the options of the caller are %+v, want them unchanged: modify a copy", options)
	}
}

// seed creates objects with a label and the names item-0000, item-0001 and so on.
func (r *run) seed(n int) {
	apitest.Seed(r.t, r.server, n, func(i int) stack.Object {
		object := configMap("shop", fmt.Sprintf("item-%04d", i))
		object.Labels["seed"] = "true"
		return object
	})
	apitest.Create(r.t, r.server, configMap("shop", "zzz")) // the last object, without the label
}

// seeded returns the options of a list of these objects.
func seeded() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: "seed=true", FieldSelector: "metadata.name!=zzz", TimeoutSeconds: new(int64(400))}
}

// seededParameters are those of each request of such a list.
var seededParameters = []string{"labelSelector=seed=true", "fieldSelector=metadata.name!=zzz", "timeoutSeconds=400"}

// onlySeeded fails unless a list has each of them once.
func (r *run) onlySeeded(objects []stack.Object, n int) {
	seen := map[string]bool{}
	for _, object := range objects {
		if object.Labels["seed"] == "" {
			r.t.Fatalf("a list with a LabelSelector has the object %s, which does not match: each page needs the options of the first", object.Name)
		}
		if seen[object.Name] {
			r.t.Fatalf("the list has %s twice; the requests are: %.600s", object.Name, r.requests())
		}
		seen[object.Name] = true
	}
	if len(seen) != n {
		r.t.Fatalf("the list has %d objects, want %d; the requests are: %.600s", len(seen), n, r.requests())
	}
}

func checkPages(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	r.seed(1200)
	current := r.current()
	r.server.ForgetRequests()
	options := seeded()
	options.ResourceVersion, options.ResourceVersionMatch = current, metav1.ResourceVersionMatchExact
	objects, version := r.listed(options)
	r.onlySeeded(objects, 1200)
	if version != current {
		t.Fatalf("the version of a list in three pages is %q, want %s", version, current)
	}
	requests := r.server.Requests(apitest.Match{})
	r.sends(requests[0], "resourceVersion="+current, "resourceVersionMatch=Exact")
	if len(requests) != 3 {
		t.Fatalf("1200 objects are read with %d requests, want 3 with at most 500 objects each: %.600s", len(requests), r.requests())
	}
	for i, request := range requests {
		if got := request.Parameter("limit"); got != "500" {
			t.Fatalf("request %d of a list has the limit %q, want 500, if the caller has set none", i+1, got)
		}
		r.sends(request, seededParameters...)
	}

	r.server.ForgetRequests()
	few := seeded()
	few.Limit = 1000
	objects, _ = r.listed(few)
	r.onlySeeded(objects, 1200)
	if got := r.server.Requests(apitest.Match{})[0].Parameter("limit"); got != "1000" {
		t.Fatalf("the caller has set Limit to 1000: the first request has the limit %q", got)
	}
}

func checkExpiredToken(t *judge.T, parts stack.Parts) {
	r := newRun(t, parts, "shop")
	r.seed(1200)
	oldest := r.current()
	r.server.ForgetRequests()
	match := apitest.Match{Verb: "list"}
	r.server.Fault(apitest.Fault{Match: match, Nth: 3, Action: apitest.Call("create an object", func(*apitest.Server) {
		object := configMap("shop", "item-new")
		object.Labels["seed"] = "true"
		apitest.Create(t, r.server, object)
	})})
	r.server.Fault(apitest.Fault{Match: match, Nth: 3, Action: apitest.Fail(410, 0)})
	options := seeded()
	options.ResourceVersion, options.ResourceVersionMatch = oldest, metav1.ResourceVersionMatchNotOlderThan
	objects, version := r.listed(options)
	r.onlySeeded(objects, 1201)
	requests := r.server.Requests(apitest.Match{})
	if last := requests[len(requests)-1]; len(requests) != 4 || last.Parameter("continue") != "" || last.Parameter("limit") != "" {
		t.Fatalf("page 3 is answered with 410: the requests are %.600s; want a fourth one without continue and without limit", r.requests())
	}
	r.sends(requests[3], append(seededParameters, "resourceVersion="+oldest, "resourceVersionMatch=NotOlderThan")...)
	if want := r.current(); version != want {
		t.Fatalf("page 3 is answered with 410: the version of the list is %q, want %s, that of the last response", version, want)
	}

	first := newRun(t, parts, "shop")
	first.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "list"}, Times: 3, Action: apitest.Fail(410, 0)})
	if _, _, err := first.list(metav1.ListOptions{}); !apierrors.IsResourceExpired(err) {
		t.Fatalf("the first page is answered with 410: List returns the error %v, want the 410: a list has no token yet that could expire", err)
	}
}

func checkPageError(t *judge.T, parts stack.Parts) {
	for page := 1; page <= 3; page++ {
		r := newRun(t, parts, "shop")
		r.seed(1200)
		r.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "list"}, Nth: page, Action: apitest.Fail(500, 0)})
		if objects, _, err := r.list(seeded()); !apierrors.IsInternalError(err) {
			t.Fatalf("page %d is answered with 500: List returns %d objects and the error %v, want the 500: a part of a list looks as if the other objects were deleted", page, len(objects), err)
		}
	}
}

func checkRequestContext(t *judge.T, parts stack.Parts) {
	for _, call := range []string{"List", "Watch"} {
		r := newRun(t, parts, "shop")
		r.server.Fault(apitest.Fault{Match: apitest.Match{Verb: strings.ToLower(call)}, Action: apitest.Silence()})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		t.Unblocked(call+", with a context that ends after one minute,", func() {
			if err := r.request(ctx, call); err == nil {
				t.Errorf("the context of %s ends while it waits for the response: it returns no error", call)
			}
		})
		if took := time.Since(begin); took > time.Minute {
			t.Fatalf("the context of %s ends after one minute: it returns after %v", call, took)
		}
	}
}

// request calls List or Watch, and returns its error.
func (r *run) request(ctx context.Context, call string) error {
	if call == "Watch" {
		_, err := r.source.Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
		return err
	}
	list, err := r.source.List(ctx, metav1.ListOptions{})
	if err == nil { // the requests may be sent while the list is read
		_, err = list.Slice()
	}
	return err
}
