package apitest

import (
	"strconv"
	"strings"
)

// key is where an object is in its table.
type key struct{ namespace, name string }

// compareKeys orders a table as a kube-apiserver lists it: by the text
// namespace/name, in which a-b/x comes before a/x.
func compareKeys(a, b key) int {
	if a.namespace != b.namespace {
		return comparePaths(a.namespace, b.namespace)
	}
	return strings.Compare(a.name, b.name)
}

// comparePaths compares two texts that differ as if each had a slash at its end.
func comparePaths(a, b string) int {
	switch {
	case strings.HasPrefix(b, a):
		return compareBytes('/', b[len(a)])
	case strings.HasPrefix(a, b):
		return compareBytes(a[len(b)], '/')
	}
	return strings.Compare(a, b)
}

func compareBytes(a, b byte) int {
	if a < b {
		return -1
	}
	return 1
}

// record is one state of one object. Nothing in it changes.
type record struct {
	key
	version uint64
	// raw is the object in JSON, in the form of a draft, with this version. A
	// deleted record has the last state, with the version of the deletion.
	raw []byte
	// stamp is where in raw the version begins.
	stamp   uint32
	deleted bool
}

func newRecord(k key, of draft, version uint64) *record {
	return &record{key: k, version: version, raw: of.at(version), stamp: uint32(len(of.before))}
}

// draft is the text without its version.
func (r *record) draft() draft {
	var digits [20]byte
	end := int(r.stamp) + len(strconv.AppendUint(digits[:0], r.version, 10))
	return draft{before: r.raw[:r.stamp], after: r.raw[end:]}
}

// restamped is the same state with another version.
func (r *record) restamped(version uint64) *record {
	return newRecord(r.key, r.draft(), version)
}
