package response

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

	"github.com/thinformer/thinformer/apitest/internal/registry"
)

// Format is the format of a response: its encoding, and the kind to which
// objects are converted. It belongs to one goroutine.
type Format struct {
	YAML, Pretty bool
	// Target is the kind to which objects are converted: PartialObjectMetadata, its
	// list, or Table; empty leaves them unchanged.
	Target schema.GroupVersionKind
	// Include is the part of an object in the row of a Table: Metadata, Object,
	// None, or "", which is Metadata.
	Include metav1.IncludeObjectPolicy
	// headless tables have no column definitions. It is set after the first table
	// of a watch.
	headless bool
}

// The media types of the API.
const (
	MediaTypeJSON     = "application/json"
	MediaTypeYAML     = "application/yaml"
	MediaTypeProtobuf = "application/vnd.kubernetes.protobuf"
)

// MediaType returns the media type of the encoding.
func (f *Format) MediaType() string {
	if f.YAML {
		return MediaTypeYAML
	}
	return MediaTypeJSON
}

// Negotiate returns the format that a request asks for.
func Negotiate(r *http.Request, res *registry.Resource, verb string) (*Format, error) {
	header := r.Header.Get("Accept")
	if !res.Custom {
		types := Produced
		if verb == "list" || verb == "watch" {
			types = producedStreams
		}
		if err := CheckAccept(header, types); err != nil {
			return nil, err
		}
	}
	f, found := FormatFor(r, transformable)
	watches := verb == "watch"
	if !found || watches && f.YAML {
		return nil, NotAcceptableError(header, watches)
	}
	if f.Target.Kind == "Table" {
		f.Include = metav1.IncludeObjectPolicy(r.URL.Query().Get("includeObject"))
		switch f.Include {
		case "", metav1.IncludeNone, metav1.IncludeMetadata, metav1.IncludeObject:
		default:
			return nil, apierrors.NewBadRequest(fmt.Sprintf("Unable to convert to Table as requested: includeObject: Invalid value: %q: must be 'Metadata', 'Object', 'None', or empty", string(f.Include)))
		}
	}
	return f, f.checkVerb(res, verb)
}

// checkVerb checks that a verb can respond in the format.
func (f *Format) checkVerb(res *registry.Resource, verb string) error {
	kind := ""
	switch {
	case f.Target.Kind == "PartialObjectMetadata" && verb == "list":
		kind = res.ListKind
	case f.Target.Kind == "PartialObjectMetadataList" && (verb == "get" || verb == "create" || verb == "update" || verb == "patch"):
		kind = res.Kind
	default:
		return nil
	}
	if res.Custom && verb != "list" {
		return errors.New("content is not a list")
	}
	// The message of the real server contains its Go type.
	goPackage, not := packageOf(res), ""
	if res.Custom {
		kind = "UnstructuredList"
	}
	if verb != "list" {
		not = "not "
	}
	return notAcceptableError(fmt.Sprintf("you requested %s, but the requested object is %sa list (*%s.%s)", f.Target.Kind, not, goPackage, kind))
}

// packageOf returns the Go package of the real server's type.
func packageOf(res *registry.Resource) string {
	switch name, _, _ := strings.Cut(res.Group, "."); {
	case res.Custom:
		return "unstructured"
	case res.Group == "":
		return "core"
	default:
		return name
	}
}

// transformable reports whether objects can be converted to a kind.
func transformable(kind schema.GroupVersionKind) bool {
	if kind.Empty() {
		return true
	}
	if kind.Group != metav1.GroupName || kind.Version != "v1" && kind.Version != "v1beta1" {
		return false
	}
	return kind.Kind == "Table" || kind.Kind == "PartialObjectMetadata" || kind.Kind == "PartialObjectMetadataList"
}

// FormatFor returns the best format that a client accepts, among those that
// convert objects to an allowed kind.
func FormatFor(r *http.Request, allowed func(schema.GroupVersionKind) bool) (*Format, bool) {
	header := r.Header.Get("Accept")
	if header == "" {
		return &Format{Pretty: isPretty(r)}, true
	}
	for _, a := range parseAccept(header) {
		kind := schema.GroupVersionKind{Group: a.with["g"], Version: a.with["v"], Kind: a.with["as"]}
		stream := a.with["stream"]
		if !allowed(kind) || a.with["sv"] != "" || stream != "" && stream != "watch" {
			continue
		}
		for _, sub := range []string{"json", "yaml"} {
			if a.takes(sub) && (sub != "yaml" || stream == "") {
				return &Format{YAML: sub == "yaml", Pretty: a.with["pretty"] == "1" || isPretty(r), Target: kind}, true
			}
		}
	}
	return nil, false
}

// isPretty reports whether to indent the response.
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

// The media types that the routes of a kube-apiserver declare.
var (
	Produced        = []string{MediaTypeJSON, MediaTypeYAML, MediaTypeProtobuf}
	producedStreams = append(slices.Clip(Produced), MediaTypeJSON+";stream=watch", MediaTypeProtobuf+";stream=watch")
	ProducedVersion = []string{MediaTypeJSON}
)

// CheckAccept is the first check for built-in kinds: the routes of a
// kube-apiserver compare media types without their parameters.
func CheckAccept(header string, produced []string) error {
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

// NotAcceptableError returns the error for an Accept header without a supported
// type. It lists protobuf, as the real server does, unless the client has asked
// for it.
func NotAcceptableError(header string, watches bool) error {
	types := []string{MediaTypeJSON, MediaTypeYAML}
	if watches {
		types = []string{MediaTypeJSON + ";stream=watch"}
	}
	if !strings.Contains(header, MediaTypeProtobuf) {
		types = append(types, strings.Replace(types[0], MediaTypeJSON, MediaTypeProtobuf, 1))
	}
	return notAcceptableError("only the following media types are accepted: " + strings.Join(types, ", "))
}

func notAcceptableError(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable, Message: message,
	}}
}
