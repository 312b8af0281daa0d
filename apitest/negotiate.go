package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// format is what an answer looks like: its encoding, and what the objects in it
// are turned into. It belongs to one goroutine.
type format struct {
	yaml, pretty bool
	// as is what objects become: PartialObjectMetadata, its list, or Table;
	// empty leaves them as they are.
	as schema.GroupVersionKind
	// include is how much of an object is in the row of a Table: Metadata,
	// Object, None, or "", which is Metadata.
	include metav1.IncludeObjectPolicy
	// headless tables have no definitions of their columns: it is set when the
	// first table of a watch has gone.
	headless bool
}

const (
	mimeJSON     = "application/json"
	mimeYAML     = "application/yaml"
	mimeProtobuf = "application/vnd.kubernetes.protobuf"
)

func (f *format) mediaType() string {
	if f.yaml {
		return mimeYAML
	}
	return mimeJSON
}

// negotiate finds the format that a request asks for.
func negotiate(r *http.Request, res *resource, verb string) (*format, error) {
	header := r.Header.Get("Accept")
	if !res.custom {
		types := produced
		if verb == "list" || verb == "watch" {
			types = producedStreams
		}
		if err := routeAccept(header, types); err != nil {
			return nil, err
		}
	}
	f, found := formatFor(r, transformable)
	watches := verb == "watch"
	if !found || watches && f.yaml {
		return nil, notAcceptable(header, watches)
	}
	if f.as.Kind == "Table" {
		f.include = metav1.IncludeObjectPolicy(r.URL.Query().Get("includeObject"))
		switch f.include {
		case "", metav1.IncludeNone, metav1.IncludeMetadata, metav1.IncludeObject:
		default:
			return nil, apierrors.NewBadRequest(fmt.Sprintf("Unable to convert to Table as requested: includeObject: Invalid value: %q: must be 'Metadata', 'Object', 'None', or empty", string(f.include)))
		}
	}
	return f, f.fits(res, verb)
}

// fits is whether a verb answers with what the format makes of objects.
func (f *format) fits(res *resource, verb string) error {
	kind := ""
	switch {
	case f.as.Kind == "PartialObjectMetadata" && verb == "list":
		kind = res.ListKind
	case f.as.Kind == "PartialObjectMetadataList" && (verb == "get" || verb == "create" || verb == "update" || verb == "patch"):
		kind = res.Kind
	default:
		return nil
	}
	if res.custom && verb != "list" {
		return errors.New("content is not a list")
	}
	// Which Go type the real server has of it is a part of its message.
	in, not := packageOf(res), ""
	if res.custom {
		kind = "UnstructuredList"
	}
	if verb != "list" {
		not = "not "
	}
	return notAcceptableError(fmt.Sprintf("you requested %s, but the requested object is %sa list (*%s.%s)", f.as.Kind, not, in, kind))
}

// packageOf is the Go package of the real server's type.
func packageOf(res *resource) string {
	switch name, _, _ := strings.Cut(res.Group, "."); {
	case res.custom:
		return "unstructured"
	case res.Group == "":
		return "core"
	default:
		return name
	}
}

// transformable is whether objects can be turned into a kind.
func transformable(to schema.GroupVersionKind) bool {
	if to.Empty() {
		return true
	}
	if to.Group != metav1.GroupName || to.Version != "v1" && to.Version != "v1beta1" {
		return false
	}
	return to.Kind == "Table" || to.Kind == "PartialObjectMetadata" || to.Kind == "PartialObjectMetadataList"
}

// formatFor is the best format that a client takes, among those that turn
// objects into what is allowed.
func formatFor(r *http.Request, allowed func(schema.GroupVersionKind) bool) (*format, bool) {
	header := r.Header.Get("Accept")
	if header == "" {
		return &format{pretty: isPretty(r)}, true
	}
	for _, a := range parseAccept(header) {
		to := schema.GroupVersionKind{Group: a.with["g"], Version: a.with["v"], Kind: a.with["as"]}
		stream := a.with["stream"]
		if !allowed(to) || a.with["sv"] != "" || stream != "" && stream != "watch" {
			continue
		}
		for _, sub := range []string{"json", "yaml"} {
			if a.takes(sub) && (sub != "yaml" || stream == "") {
				return &format{yaml: sub == "yaml", pretty: a.with["pretty"] == "1" || isPretty(r), as: to}, true
			}
		}
	}
	return nil, false
}

// isPretty is whether people read the answer.
func isPretty(r *http.Request) bool {
	if strings.Contains(r.URL.RawQuery, "pretty") {
		if asked := r.URL.Query().Get("pretty"); asked != "" {
			pretty, _ := strconv.ParseBool(asked)
			return pretty
		}
	}
	agent := r.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}

// What the routes of a kube-apiserver say that they produce.
var (
	produced        = []string{mimeJSON, mimeYAML, mimeProtobuf}
	producedStreams = append(slices.Clip(produced), mimeJSON+";stream=watch", mimeProtobuf+";stream=watch")
	producedVersion = []string{mimeJSON}
)

// routeAccept is what is asked before anything else about a built-in kind: the
// routes of a kube-apiserver know media types without their parameters.
func routeAccept(header string, produced []string) error {
	for clause := range strings.SplitSeq(header, ",") {
		kind, _, _ := strings.Cut(clause, ";")
		if kind = strings.TrimSpace(kind); kind == "*/*" || slices.Contains(produced, kind) {
			return nil
		}
	}
	if header == "" {
		return nil
	}
	err := apierrors.NewGenericServerResponse(http.StatusNotAcceptable, "", schema.GroupResource{}, "", "", 0, true)
	err.ErrStatus.Message = "406: Not Acceptable\n\nAvailable representations: " + strings.Join(produced, ", ")
	err.ErrStatus.Details = &metav1.StatusDetails{}
	return err
}

// notAcceptable says what can be had. Who asks for protobuf is told the truth.
func notAcceptable(header string, watches bool) error {
	types := []string{mimeJSON, mimeYAML}
	if watches {
		types = []string{mimeJSON + ";stream=watch"}
	}
	if !strings.Contains(header, mimeProtobuf) {
		types = append(types, strings.Replace(types[0], mimeJSON, mimeProtobuf, 1))
	}
	return notAcceptableError("only the following media types are accepted: " + strings.Join(types, ", "))
}

func notAcceptableError(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable, Message: message,
	}}
}
