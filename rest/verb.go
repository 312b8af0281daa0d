package rest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/thinformer/thinformer/internal/pbobj"
	"github.com/thinformer/thinformer/internal/wire"
)

// The API verbs.
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

// withVerb sets the API verb, if the method and the path do not determine it.
func (r *Request) withVerb(verb string) *Request {
	r.verb = verb
	return r
}

// readIncrementally sets that the response is decoded as it arrives, as for a list:
// Timeout then bounds the wait for each part.
func (r *Request) readIncrementally() *Request {
	r.incremental = true
	return r
}

// apiVerb returns the API verb of the request; for a request without a resource,
// the method in lower case.
func (r *Request) apiVerb() string {
	named := r.target.name != ""
	switch {
	case r.verb != "":
		return r.verb
	case r.target.resource == "":
	case r.method == http.MethodGet && named:
		return verbGet
	case r.method == http.MethodGet:
		return verbList
	case r.method == http.MethodPost:
		return verbCreate
	case r.method == http.MethodPut:
		return verbUpdate
	case r.method == http.MethodPatch:
		return verbPatch
	case r.method == http.MethodDelete && named:
		return verbDelete
	case r.method == http.MethodDelete:
		return verbDeleteCollection
	}
	return strings.ToLower(r.method)
}

// info returns the request for traces.
func (r *Request) info() RequestInfo {
	info := RequestInfo{Verb: r.apiVerb(), Method: r.method, Namespace: r.target.namespace, Name: r.target.name}
	info.GroupVersionResource = r.version.WithResource(r.target.resource)
	info.SubResource = strings.Join(r.target.subresource, "/")
	segments, slash := r.target.segments()
	info.Path = joinURL(r.client.conn.Base(), segments, slash).Path
	return info
}

// String returns the method and the path below the server's address, without the
// query, headers and body, which may contain secrets.
func (r Request) String() string {
	segments, _ := r.target.segments()
	return r.method + " /" + strings.Join(segments, "/")
}

// Format writes String, for every verb.
func (r Request) Format(f fmt.State, _ rune) { io.WriteString(f, r.String()) }

// describe returns the request for errors: get pods/log default/web, or GET
// /healthz.
func (r *Request) describe() string {
	t := &r.target
	if t.resource == "" {
		return r.String()
	}
	text := r.apiVerb() + " " + r.version.WithResource(t.resource).GroupResource().String()
	if len(t.subresource) > 0 {
		text += "/" + strings.Join(t.subresource, "/")
	}
	switch {
	case t.name != "" && t.namespace != "":
		text += " " + t.namespace + "/" + t.name
	case t.name != "":
		text += " " + t.name
	case t.namespace != "":
		text += " in namespace " + t.namespace
	}
	return text
}

// isWrite reports whether the request changes data on the server. A dry run does
// not: a parameter sets it, or the options in the body of a DELETE.
func (r *Request) isWrite() bool {
	switch r.method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return !r.params.Has("dryRun") && len(r.deleteOptions().DryRun) == 0
}

// deleteOptions returns the options in the body of a DELETE, zero if there are
// none.
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

// describeResponse returns the description for an error about a response. For a
// write it says that the server has accepted it.
func (r *Request) describeResponse(status int) string {
	if !r.isWrite() {
		return r.describe()
	}
	return fmt.Sprintf("%s: the server has accepted it (%d), but its response is unusable", r.describe(), status)
}

// storedObject is the object in the response to a write.
type storedObject struct {
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
	// gone is set if the object is being deleted, without finalizers and grace
	// period.
	gone bool
	// labels is nil if the response does not have them.
	labels map[string]string
}

// labels are the labels of a written object.
type labels map[string]string

// orEmpty returns a copy that is not nil: the labels are known.
func (l labels) orEmpty() map[string]string {
	if l == nil {
		return map[string]string{}
	}
	return maps.Clone(l)
}

// reportWrite reports a write that the server has accepted to the traces. status is the
// code of the response. read is called only if a trace uses it; fields that it leaves
// empty are those of the request, which are all if the response was lost.
func (r *Request) reportWrite(ctx context.Context, status int, read func() storedObject) {
	hooks := tracesOf(ctx, r.client.config.Trace)
	if !slices.ContainsFunc(hooks, func(t *Trace) bool { return t.Wrote != nil }) || !r.isWrite() {
		return
	}
	info := r.info()
	w := WriteInfo{
		Host:     r.client.host(),
		Resource: info.GroupVersionResource, SubResource: info.SubResource, Verb: info.Verb,
		Namespace: info.Namespace, Name: info.Name,
	}
	switch info.Verb {
	case verbDeleteCollection:
		hooks.wrote(w)
	case verbCreate, verbUpdate, verbPatch, verbDelete:
		object := read()
		if object.Name != "" {
			w.Namespace, w.Name = object.Namespace, object.Name
		}
		w.UID, w.ResourceVersion = object.UID, object.ResourceVersion
		if info.SubResource == "" || info.SubResource == "status" {
			w.Labels = object.labels // other subresources, such as a Scale, have their own
		}
		w.Created = status == http.StatusCreated && info.SubResource == ""
		w.Deleted = object.gone && (info.Verb == verbUpdate || info.Verb == verbPatch)
		hooks.wrote(w)
	}
}

// parseStored parses the body of a write or its response as far as possible: the
// object, or the Status of a deletion.
func parseStored(contentType string, body []byte) storedObject {
	if status := wire.ParseStatus(contentType, body); status != nil {
		if status.Details == nil {
			return storedObject{}
		}
		return storedObject{UID: status.Details.UID}
	}
	if object, err := pbobj.Open(body); err == nil {
		id := pbobj.Identify(object.Raw)
		return storedObject{Namespace: id.Namespace, Name: id.Name, UID: types.UID(id.UID), ResourceVersion: id.ResourceVersion}
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
			Labels            labels       `json:"labels"`
		} `json:"metadata"`
	}
	if json.Unmarshal(body, &object) != nil {
		return storedObject{}
	}
	m := &object.Metadata
	return storedObject{m.Namespace, m.Name, m.UID, m.ResourceVersion, isGone(m.DeletionTimestamp, m.Grace, m.Finalizers), m.Labels.orEmpty()}
}

// storedFrom returns the decoded response to a write. Fields that T does not have
// are read from the body.
func storedFrom[T Object](object T, contentType string, body []byte) storedObject {
	s := storedObject{Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID(), ResourceVersion: object.GetResourceVersion()}
	switch whole, ok := any(object).(metav1.Object); {
	case ok:
		s.gone = isGone(whole.GetDeletionTimestamp(), whole.GetDeletionGracePeriodSeconds(), whole.GetFinalizers())
		s.labels = labels(whole.GetLabels()).orEmpty()
	default:
		read := parseStored(contentType, body)
		s.gone, s.labels = read.gone, read.labels
	}
	return s
}

// isGone reports whether an object is being deleted and has neither finalizers nor
// a grace period left. The server does not store it.
func isGone(deletion *metav1.Time, grace *int64, finalizers []string) bool {
	return deletion != nil && len(finalizers) == 0 && grace != nil && *grace == 0
}
