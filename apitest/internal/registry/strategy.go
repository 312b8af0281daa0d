package registry

import (
	"encoding/base64"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/internal/kinds"
)

// strategy contains the rules for writes that depend on the kind.
type strategy struct {
	// CreateByUpdate: a PUT creates an object that does not exist.
	CreateByUpdate bool
	// BlindUpdate: an update need not have a resourceVersion.
	BlindUpdate bool
	// DeletedInFull: the response to a delete is the object, not a Status.
	DeletedInFull bool
	// Orphans: a delete without a propagation policy orphans the dependents.
	Orphans bool
	// Name validates a name.
	Name validation.ValidateNameFunc
	// Complete sets, on every write, fields that tests of controllers rely on.
	Complete func(object map[string]any)
}

// Resources with rules of their own.
var (
	Pods       = schema.GroupResource{Resource: "pods"}
	Namespaces = schema.GroupResource{Resource: "namespaces"}
	Jobs       = schema.GroupResource{Group: "batch", Resource: "jobs"}
)

// strategyOf returns the strategy of a resource. Resources that are not built
// in follow the rules of custom resources.
func strategyOf(r *Resource) strategy {
	if r.Builtin == nil {
		return strategy{Name: validation.NameIsDNSSubdomain}
	}
	s := strategy{BlindUpdate: true, Name: validation.NameIsDNSSubdomain}
	switch r.Group {
	case "":
		s.ofCore(r.GroupVersionResource.Resource)
	case "rbac.authorization.k8s.io":
		s.CreateByUpdate, s.Name = true, ValidatePathSegment
	case "coordination.k8s.io":
		s.CreateByUpdate, s.BlindUpdate = true, false
	case "events.k8s.io":
		s.CreateByUpdate = true
	case "apps":
		if r.GroupVersionResource.Resource == "statefulsets" {
			s.Name = validation.NameIsDNSLabel
		}
	case "batch":
		s.Orphans = r.GroupResource() == Jobs
	case "apiextensions.k8s.io":
		s.BlindUpdate = false
	}
	return s
}

func (s *strategy) ofCore(resource string) {
	switch resource {
	case "endpoints", "events", "limitranges":
		s.CreateByUpdate = true
	case "namespaces":
		s.DeletedInFull, s.Name, s.Complete = true, validation.NameIsDNSLabel, completeNamespace
	case "persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates", "resourcequotas", "serviceaccounts":
		s.DeletedInFull = true
	case "replicationcontrollers":
		s.Orphans = true
	case "secrets":
		s.Complete = completeSecret
	case "services":
		s.CreateByUpdate, s.DeletedInFull, s.Name = true, true, validation.NameIsDNSLabel
	}
}

// ValidatePathSegment accepts any name that is valid in a path.
func ValidatePathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// completeNamespace sets the phase, and the label by which selectors find a
// namespace.
func completeNamespace(object map[string]any) {
	metadata := objects.Metadata(object)
	if phase := objects.At(object, "status.phase"); phase == nil || phase == "" {
		objects.SetAt(object, "Active", "status", "phase")
	}
	if len(objects.StringsAt(object, "spec", "finalizers")) == 0 {
		objects.SetAt(object, nil, "spec", "finalizers")
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

// completeSecret moves stringData, which is write-only, into data.
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

// PrepareCreate sets the initial fields of a new object.
func (r *Resource) PrepareCreate(object map[string]any) {
	metadata := objects.Metadata(object)
	switch {
	case r.Builtin == nil:
		if r.Status {
			delete(object, "status")
		}
		if r.Generation || r.Custom {
			metadata["generation"] = int64(1)
		}
		return
	case r.Builtin.Generation:
		metadata["generation"] = int64(1)
	}
	if r.Builtin.Subresource("status") == nil || r.Builtin.CreatedWithStatus {
		return
	}
	status := map[string]any{}
	if r.Builtin.Phase != "" {
		status["phase"] = r.Builtin.Phase
	}
	object["status"] = status
	if r.GroupResource() == Namespaces {
		finalizers := append(objects.StringsAt(object, "spec", "finalizers"), "kubernetes")
		slices.Sort(finalizers)
		objects.SetAt(object, objects.StringList(slices.Compact(finalizers)), "spec", "finalizers")
	}
}

// PrepareUpdate restores the fields that the resource or the subresource does
// not write, and increments the generation if necessary.
func (r *Resource) PrepareUpdate(subresource string, next, current map[string]any) {
	metadata, old := objects.Metadata(next), objects.Metadata(current)
	objects.Copy(metadata, old, "generation")
	switch sub := r.subresource(subresource); {
	case subresource == "scale":
		// The object was derived from the current one.
	case sub == nil && subresource == "":
		for _, path := range r.resets() {
			objects.CopyAt(next, current, path)
		}
	case sub == nil || sub.Only != nil:
		objects.CopyAllExcept(next, current, r.writes(subresource, sub))
	default:
		for _, path := range sub.Resets {
			objects.CopyAt(next, current, path)
		}
	}
	if r.GroupResource() == Namespaces && subresource == "" {
		objects.CopyAt(next, current, "spec.finalizers")
	}
	if r.TracksGeneration() && r.Changed(next, current) {
		generation, _ := old["generation"].(int64)
		objects.Metadata(next)["generation"] = generation + 1
	}
}

// subresource returns a subresource of a built-in kind, nil if there is none of
// that name.
func (r *Resource) subresource(name string) *kinds.Subresource {
	if r.Builtin == nil || name == "" {
		return nil
	}
	return r.Builtin.Subresource(name)
}

// resets returns the paths that a write to the resource itself does not change.
func (r *Resource) resets() []string {
	switch {
	case r.Builtin != nil:
		return r.Builtin.Resets()
	case r.Status:
		return []string{"status"}
	}
	return nil
}

// writes returns the paths that a write to a subresource exclusively changes.
func (r *Resource) writes(name string, sub *kinds.Subresource) []string {
	if sub != nil {
		return sub.Only
	}
	return []string{name}
}

// TracksGeneration reports whether the generation is maintained.
func (r *Resource) TracksGeneration() bool {
	if r.Builtin != nil {
		return r.Builtin.Generation
	}
	return r.Generation || r.Custom
}

// Changed reports whether a field that the generation counts differs.
func (r *Resource) Changed(next, current map[string]any) bool {
	hasStatus := r.Status || r.Builtin != nil && r.Builtin.Subresource("status") != nil
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
	if r.Builtin == nil || r.Builtin.Counted == "" {
		return false
	}
	return !reflect.DeepEqual(objects.At(next, r.Builtin.Counted), objects.At(current, r.Builtin.Counted))
}

// Finished reports whether next completes the deletion of an object.
func (r *Resource) Finished(next, current map[string]any) bool {
	metadata, old := objects.Metadata(next), objects.Metadata(current)
	if !objects.IsDeleting(old) || len(objects.StringsAt(metadata, "finalizers")) > 0 {
		return false
	}
	if grace, _ := old["deletionGracePeriodSeconds"].(int64); grace != 0 {
		return false
	}
	return r.GroupResource() != Namespaces || len(objects.StringsAt(next, "spec", "finalizers")) == 0
}
