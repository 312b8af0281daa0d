package apitest

import (
	"encoding/base64"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/kinds"
)

// strategy is what the rules of writing leave to a kind.
type strategy struct {
	// createByUpdate: a PUT of what is not there creates it.
	createByUpdate bool
	// blindUpdate: an update may leave the version that it is about out.
	blindUpdate bool
	// deletedInFull: the answer to a delete is the object, not a Status.
	deletedInFull bool
	// orphans: dependents outlive a delete that says nothing about them.
	orphans bool
	// name tells what is wrong with one.
	name validation.ValidateNameFunc
	// complete fills in, on every write, what tests of controllers rely on.
	complete func(object map[string]any)
}

var (
	pods       = schema.GroupResource{Resource: "pods"}
	namespaces = schema.GroupResource{Resource: "namespaces"}
	jobs       = schema.GroupResource{Group: "batch", Resource: "jobs"}
)

// strategyOf a resource. Those that are not built in follow the rules of custom
// resources.
func strategyOf(r *resource) strategy {
	if r.builtin == nil {
		return strategy{name: validation.NameIsDNSSubdomain}
	}
	s := strategy{blindUpdate: true, name: validation.NameIsDNSSubdomain}
	switch r.Group {
	case "":
		s.ofCore(r.GroupVersionResource.Resource)
	case "rbac.authorization.k8s.io":
		s.createByUpdate, s.name = true, validatePathSegment
	case "coordination.k8s.io":
		s.createByUpdate, s.blindUpdate = true, false
	case "events.k8s.io":
		s.createByUpdate = true
	case "apps":
		if r.GroupVersionResource.Resource == "statefulsets" {
			s.name = validation.NameIsDNSLabel
		}
	case "batch":
		s.orphans = r.GroupResource() == jobs
	case "apiextensions.k8s.io":
		s.blindUpdate = false
	}
	return s
}

func (s *strategy) ofCore(resource string) {
	switch resource {
	case "endpoints", "events", "limitranges":
		s.createByUpdate = true
	case "namespaces":
		s.deletedInFull, s.name, s.complete = true, validation.NameIsDNSLabel, completeNamespace
	case "persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates", "resourcequotas", "serviceaccounts":
		s.deletedInFull = true
	case "replicationcontrollers":
		s.orphans = true
	case "secrets":
		s.complete = completeSecret
	case "services":
		s.createByUpdate, s.deletedInFull, s.name = true, true, validation.NameIsDNSLabel
	}
}

// validatePathSegment takes any name that a path can hold.
func validatePathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// completeNamespace keeps the label by which selectors find a namespace.
func completeNamespace(object map[string]any) {
	metadata := metadataOf(object)
	if phase := at(object, "status.phase"); phase == nil || phase == "" {
		setAt(object, "Active", "status", "phase")
	}
	if len(textsAt(object, "spec", "finalizers")) == 0 {
		setAt(object, nil, "spec", "finalizers")
	}
	name, _ := metadata["name"].(string)
	if name == "" {
		return
	}
	labels, _ := metadata["labels"].(map[string]any)
	if labels == nil {
		labels = map[string]any{}
		metadata["labels"] = labels
	}
	labels["kubernetes.io/metadata.name"] = name
}

// completeSecret moves the field for writers into the one for readers.
func completeSecret(object map[string]any) {
	if object["type"] == nil || object["type"] == "" {
		object["type"] = "Opaque"
	}
	texts, _ := object["stringData"].(map[string]any)
	delete(object, "stringData")
	if len(texts) == 0 {
		return
	}
	data, _ := object["data"].(map[string]any)
	if data == nil {
		data = map[string]any{}
		object["data"] = data
	}
	for name, text := range texts {
		if text, ok := text.(string); ok {
			data[name] = base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
}

// prepareCreate brings a new object to its first state.
func (r *resource) prepareCreate(object map[string]any) {
	metadata := metadataOf(object)
	switch {
	case r.builtin == nil:
		if r.Status {
			delete(object, "status")
		}
		if r.Generation || r.custom {
			metadata["generation"] = int64(1)
		}
		return
	case r.builtin.Generation:
		metadata["generation"] = int64(1)
	}
	if r.builtin.Subresource("status") == nil || r.builtin.CreatedWithStatus {
		return
	}
	status := map[string]any{}
	if r.builtin.Phase != "" {
		status["phase"] = r.builtin.Phase
	}
	object["status"] = status
	if r.GroupResource() == namespaces {
		finalizers := append(textsAt(object, "spec", "finalizers"), "kubernetes")
		slices.Sort(finalizers)
		setAt(object, anySlice(slices.Compact(finalizers)), "spec", "finalizers")
	}
}

// prepareUpdate brings back what the resource, or the subresource that is
// written, does not write, and counts the change.
func (r *resource) prepareUpdate(subresource string, next, current map[string]any) {
	metadata, was := metadataOf(next), metadataOf(current)
	keep(metadata, was, "generation")
	switch sub := r.subresource(subresource); {
	case subresource == "scale":
		// The object was made from itself.
	case sub == nil && subresource == "":
		for _, path := range r.resets() {
			keepAt(next, current, path)
		}
	case sub == nil || sub.Only != nil:
		onlyAt(next, current, r.writes(subresource, sub))
	default:
		for _, path := range sub.Resets {
			keepAt(next, current, path)
		}
	}
	if r.GroupResource() == namespaces && subresource == "" {
		keepAt(next, current, "spec.finalizers")
	}
	if r.counts() && r.changed(next, current) {
		generation, _ := was["generation"].(int64)
		metadataOf(next)["generation"] = generation + 1
	}
}

// subresource of a built-in kind, nil if there is none of that name.
func (r *resource) subresource(name string) *kinds.Subresource {
	if r.builtin == nil || name == "" {
		return nil
	}
	return r.builtin.Subresource(name)
}

// resets are what a write to the resource itself leaves alone.
func (r *resource) resets() []string {
	switch {
	case r.builtin != nil:
		return r.builtin.Resets()
	case r.Status:
		return []string{"status"}
	}
	return nil
}

// writes are what a write to a subresource changes, where it leaves all else
// alone.
func (r *resource) writes(name string, sub *kinds.Subresource) []string {
	if sub != nil {
		return sub.Only
	}
	return []string{name}
}

// counts tells whether the generation is kept.
func (r *resource) counts() bool {
	if r.builtin != nil {
		return r.builtin.Generation
	}
	return r.Generation || r.custom
}

// changed tells whether something differs that the generation counts.
func (r *resource) changed(next, current map[string]any) bool {
	hasStatus := r.Status || r.builtin != nil && r.builtin.Subresource("status") != nil
	counted := func(name string) bool {
		switch name {
		case "apiVersion", "kind", "metadata":
			return false
		case "status":
			return !hasStatus
		}
		return true
	}
	for name, value := range next {
		if counted(name) && !reflect.DeepEqual(value, current[name]) {
			return true
		}
	}
	for name := range current {
		if _, still := next[name]; counted(name) && !still {
			return true
		}
	}
	if r.builtin == nil || r.builtin.Counted == "" {
		return false
	}
	return !reflect.DeepEqual(at(next, r.builtin.Counted), at(current, r.builtin.Counted))
}

// isDeleting tells whether a deletion has begun.
func isDeleting(metadata map[string]any) bool { return metadata["deletionTimestamp"] != nil }

// now is the time as metadata has it.
func now() string { return metav1.Now().UTC().Format("2006-01-02T15:04:05Z") }
