package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
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

// what is the request in errors: get pods/log default/web, or GET /healthz.
func (r *Request) what() string {
	t := &r.target
	if t.resource == "" {
		segments, _ := t.segments()
		return r.method + " /" + strings.Join(segments, "/")
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

// stored is what an answer to a write says about the object that it is about.
type stored struct {
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
}

// wrote tells the traces of a write that the server has accepted. read is asked
// only if a trace wants to know; what it leaves empty is taken from the
// request. A dry run has written nothing.
func (r *Request) wrote(ctx context.Context, read func() stored) {
	told := tracesOf(ctx, r.client.config.Trace)
	if !slices.ContainsFunc(told, func(t *Trace) bool { return t.Wrote != nil }) || r.params.Has("dryRun") {
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
		told.wrote(w)
	}
}

// storedIn reads what it can from the body of an answer to a write: the object,
// or the Status of a deletion.
func storedIn(contentType string, body []byte) stored {
	if status := statusIn(contentType, body); status != nil {
		if status.Details == nil {
			return stored{}
		}
		return stored{UID: status.Details.UID}
	}
	var object struct {
		Metadata struct {
			Namespace       string    `json:"namespace"`
			Name            string    `json:"name"`
			UID             types.UID `json:"uid"`
			ResourceVersion string    `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if json.Unmarshal(body, &object) != nil {
		return stored{}
	}
	return stored(object.Metadata)
}
