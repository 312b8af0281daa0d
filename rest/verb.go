package rest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/internal/pbobj"
)

// The API's words for what a request does.
const (
	verbGet              = "get"
	verbList             = "list"
	verbWatch            = "watch"
	verbCreate           = "create"
	verbUpdate           = "update"
	verbPatch            = "patch"
	verbDelete           = "delete"
	verbDeleteCollection = "deletecollection"
)

// as says what the API calls the request, where the method and the path do not.
func (r *Request) as(verb string) *Request {
	r.verb = verb
	return r
}

// inParts says that the answer is used as it arrives, as a list is: Timeout
// then bounds the wait for each part.
func (r *Request) inParts() *Request {
	r.parts = true
	return r
}

// apiVerb is the API's word for the request; for one that is not about a
// resource, the method in lower case.
func (r *Request) apiVerb() string {
	one := r.target.name != ""
	switch {
	case r.verb != "":
		return r.verb
	case r.target.resource == "":
	case r.method == http.MethodGet && one:
		return verbGet
	case r.method == http.MethodGet:
		return verbList
	case r.method == http.MethodPost:
		return verbCreate
	case r.method == http.MethodPut:
		return verbUpdate
	case r.method == http.MethodPatch:
		return verbPatch
	case r.method == http.MethodDelete && one:
		return verbDelete
	case r.method == http.MethodDelete:
		return verbDeleteCollection
	}
	return strings.ToLower(r.method)
}

// info is the request as a trace is told of it.
func (r *Request) info() RequestInfo {
	info := RequestInfo{Verb: r.apiVerb(), Method: r.method, Namespace: r.target.namespace, Name: r.target.name}
	info.GroupVersionResource = r.version.WithResource(r.target.resource)
	info.SubResource = strings.Join(r.target.subresource, "/")
	segments, slash := r.target.segments()
	info.Path = below(r.client.conn.base, segments, slash).Path
	return info
}

// String is the method and the path below the server's address. It shows neither
// the query nor headers nor the body: they may hold secrets.
func (r Request) String() string {
	segments, _ := r.target.segments()
	return r.method + " /" + strings.Join(segments, "/")
}

// Format writes what String returns, whatever the verb.
func (r Request) Format(f fmt.State, _ rune) { io.WriteString(f, r.String()) }

// what is the request in errors: get pods/log default/web, or GET /healthz.
func (r *Request) what() string {
	t := &r.target
	if t.resource == "" {
		return r.String()
	}
	said := r.apiVerb() + " " + r.version.WithResource(t.resource).GroupResource().String()
	if len(t.subresource) > 0 {
		said += "/" + strings.Join(t.subresource, "/")
	}
	switch {
	case t.name != "" && t.namespace != "":
		said += " " + t.namespace + "/" + t.name
	case t.name != "":
		said += " " + t.name
	case t.namespace != "":
		said += " in namespace " + t.namespace
	}
	return said
}

// writes is whether the request changes something on the server. A dry run does
// not: the parameter asks for one, or the options that a DELETE has as its body.
func (r *Request) writes() bool {
	switch r.method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return !r.params.Has("dryRun") && len(r.deleteOptions().DryRun) == 0
}

// deleteOptions are those in the body of a DELETE, none if it has no such body.
func (r *Request) deleteOptions() metav1.DeleteOptions {
	var options metav1.DeleteOptions
	if r.method == http.MethodDelete && len(r.body.bytes) > 0 {
		if object, err := pbobj.Open(r.body.bytes); err == nil {
			_ = options.Unmarshal(object.Raw)
		} else {
			_ = json.Unmarshal(r.body.bytes, &options)
		}
	}
	return options
}

// whatOf is what, for an error about the answer that has come with a status: of
// a write it says that the server has accepted it, whatever is wrong with the
// answer.
func (r *Request) whatOf(status int) string {
	if !r.writes() {
		return r.what()
	}
	return fmt.Sprintf("%s: the server has accepted it (%d), but its answer is of no use", r.what(), status)
}

// stored is what an answer to a write says about the object that it is about.
type stored struct {
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
	// gone: it has neither finalizers nor time left, and is being deleted.
	gone bool
}

// wrote tells the traces of a write that the server has accepted. read is asked
// only if a trace wants to know; what it leaves empty is taken from the
// request: of a write whose answer is lost that is everything.
func (r *Request) wrote(ctx context.Context, read func() stored) {
	told := tracesOf(ctx, r.client.config.Trace)
	if !slices.ContainsFunc(told, func(t *Trace) bool { return t.Wrote != nil }) || !r.writes() {
		return
	}
	info := r.info()
	w := Written{
		Resource: info.GroupVersionResource, SubResource: info.SubResource, Verb: info.Verb,
		Namespace: info.Namespace, Name: info.Name,
	}
	switch info.Verb {
	case verbDeleteCollection:
		told.wrote(w)
	case verbCreate, verbUpdate, verbPatch, verbDelete:
		object := read()
		if object.Name != "" {
			w.Namespace, w.Name = object.Namespace, object.Name
		}
		w.UID, w.ResourceVersion = object.UID, object.ResourceVersion
		w.Gone = object.gone && (info.Verb == verbUpdate || info.Verb == verbPatch)
		told.wrote(w)
	}
}

// storedIn reads what it can from the body of a write or of the answer to one:
// the object, or the Status of a deletion.
func storedIn(contentType string, body []byte) stored {
	if status := statusIn(contentType, body); status != nil {
		if status.Details == nil {
			return stored{}
		}
		return stored{UID: status.Details.UID}
	}
	if object, err := pbobj.Open(body); err == nil {
		id := pbobj.Identify(object.Raw)
		return stored{Namespace: id.Namespace, Name: id.Name, UID: types.UID(id.UID), ResourceVersion: id.ResourceVersion}
	}
	var object struct {
		Metadata struct {
			Namespace         string       `json:"namespace"`
			Name              string       `json:"name"`
			UID               types.UID    `json:"uid"`
			ResourceVersion   string       `json:"resourceVersion"`
			DeletionTimestamp *metav1.Time `json:"deletionTimestamp"`
			Grace             *int64       `json:"deletionGracePeriodSeconds"`
			Finalizers        []string     `json:"finalizers"`
		} `json:"metadata"`
	}
	if json.Unmarshal(body, &object) != nil {
		return stored{}
	}
	m := &object.Metadata
	return stored{m.Namespace, m.Name, m.UID, m.ResourceVersion, isGone(m.DeletionTimestamp, m.Grace, m.Finalizers)}
}

// storedAs is what the decoded answer to a write says. What T does not have the
// body is asked for.
func storedAs[T Object](object T, contentType string, body []byte) stored {
	s := stored{Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID(), ResourceVersion: object.GetResourceVersion()}
	switch whole, ok := any(object).(metav1.Object); {
	case ok:
		s.gone = isGone(whole.GetDeletionTimestamp(), whole.GetDeletionGracePeriodSeconds(), whole.GetFinalizers())
	case bytes.Contains(body, []byte("deletionTimestamp")):
		s.gone = storedIn(contentType, body).gone
	}
	return s
}

// isGone: an object that is being deleted, and that nothing keeps any longer,
// neither a finalizer nor time that it was given. Its server does not store it.
func isGone(deletion *metav1.Time, grace *int64, finalizers []string) bool {
	return deletion != nil && len(finalizers) == 0 && grace != nil && *grace == 0
}
