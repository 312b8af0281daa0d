package leader

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// record is the part of a Lease that describes the leader. A changed record shows that
// its holder was alive. The times are informational, since they are of the holder's
// clock.
type record struct {
	holder         string
	seconds        int32 // leaseDurationSeconds, 0 if missing
	transitions    int32
	acquire, renew string // as in the object
}

// lease is the object with its record, including fields set by others. It is
// immutable.
type lease struct {
	object *unstructured.Unstructured
	record record
}

const (
	apiVersion = "coordination.k8s.io/v1"
	kind       = "Lease"
)

// leaseOf parses an object. Fields that are missing or of another type are left zero.
func leaseOf(object *unstructured.Unstructured) *lease {
	spec, _ := object.Object["spec"].(map[string]any)
	text := func(name string) string { s, _ := spec[name].(string); return s }
	number := func(name string) int32 { n, _ := spec[name].(int64); return int32(n) }
	return &lease{object, record{
		holder: text("holderIdentity"), seconds: number("leaseDurationSeconds"), transitions: number("leaseTransitions"),
		acquire: text("acquireTime"), renew: text("renewTime"),
	}}
}

// newLease returns a Lease that is not stored yet.
func newLease(namespace, name string) *lease {
	return leaseOf(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"namespace": namespace, "name": name},
	}})
}

// withRecord returns a copy with another record. It keeps everything else: labels,
// annotations, and other fields of the spec. It keeps the resourceVersion, so that it
// replaces nothing newer.
func (l *lease) withRecord(r record) *lease {
	object := l.object.DeepCopy()
	spec, _ := object.Object["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
		object.Object["spec"] = spec
	}
	spec["holderIdentity"] = r.holder
	spec["leaseDurationSeconds"] = int64(r.seconds)
	spec["leaseTransitions"] = int64(r.transitions)
	spec["acquireTime"], spec["renewTime"] = r.acquire, r.renew
	return &lease{object, r}
}

// microTime formats a time for a Lease.
func microTime(t time.Time) string { return t.UTC().Format(metav1.RFC3339Micro) }
