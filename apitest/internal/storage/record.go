package storage

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// Key identifies an object in its table.
type Key struct{ Namespace, Name string }

// compareKeys orders a table as a kube-apiserver lists it: by the text
// namespace/name, in which a-b/x is before a/x.
func compareKeys(a, b Key) int {
	if a.Namespace != b.Namespace {
		return comparePaths(a.Namespace, b.Namespace)
	}
	return strings.Compare(a.Name, b.Name)
}

// comparePaths compares two different texts as if each ended with a slash.
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

// Record is one state of one object. It is immutable.
type Record struct {
	Key
	Version uint64
	// Raw is the object in JSON, in the form of a draft, with this version. A
	// deleted record has the last state, with the version of the deletion.
	Raw []byte
	// versionOffset is the position of the version in raw.
	versionOffset uint32
	Deleted       bool
}

// NewRecord returns the record of a draft at a version.
func NewRecord(k Key, draft objects.Draft, version uint64) *Record {
	return &Record{Key: k, Version: version, Raw: draft.At(version), versionOffset: uint32(len(draft.Before))}
}

// draft returns the text without its version.
func (r *Record) draft() objects.Draft {
	var digits [20]byte
	end := int(r.versionOffset) + len(strconv.AppendUint(digits[:0], r.Version, 10))
	return objects.Draft{Before: r.Raw[:r.versionOffset], After: r.Raw[end:]}
}

// WithVersion returns the same state with another version.
func (r *Record) WithVersion(version uint64) *Record {
	return NewRecord(r.Key, r.draft(), version)
}

// IsState reports whether a record has the text of a draft, ignoring the version.
func (r *Record) IsState(d objects.Draft) bool {
	has := r.draft()
	return bytes.Equal(d.Before, has.Before) && bytes.Equal(d.After, has.After)
}
