package leader

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// record is what a Lease says about who leads. Two records that differ mean that
// its holder has been alive in between; its times mean nothing more, for they
// are by the holder's clock.
type record struct {
	holder         string
	seconds        int32 // leaseDurationSeconds; 0 if it says none
	transitions    int32
	acquire, renew string // as they are written
}

// lease is the object that a record stands in, with all that others have put
// into it. It is not changed once it is here.
type lease struct {
	object *unstructured.Unstructured
	record record
}

const (
	apiVersion = "coordination.k8s.io/v1"
	kind       = "Lease"
)

// leaseOf reads an object. What is missing, or of another type than it should
// be, is left empty.
func leaseOf(object *unstructured.Unstructured) *lease {
	spec, _ := object.Object["spec"].(map[string]any)
	text := func(name string) string { s, _ := spec[name].(string); return s }
	number := func(name string) int32 { n, _ := spec[name].(int64); return int32(n) }
	return &lease{object, record{
		holder: text("holderIdentity"), seconds: number("leaseDurationSeconds"), transitions: number("leaseTransitions"),
		acquire: text("acquireTime"), renew: text("renewTime"),
	}}
}

// newLease is one that is not on the server yet.
func newLease(namespace, name string) *lease {
	return leaseOf(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"namespace": namespace, "name": name},
	}})
}

// with is a copy that says something else about who leads, and keeps the rest:
// labels, annotations, and the fields of the spec that are not ours. It carries
// the version that it was read at, so that it replaces nothing newer.
func (l *lease) with(r record) *lease {
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

// microTime is a time in the form of a Lease.
func microTime(t time.Time) string { return t.UTC().Format(metav1.RFC3339Micro) }
