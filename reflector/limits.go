package reflector

import (
	"fmt"

	"github.com/thinformer/thinformer/internal/brief"
	"github.com/thinformer/thinformer/listwatch"
)

const (
	// maxErrorLength limits the text of an error, in bytes. A longer text is cut
	// and ends in "...". The documentation of Error states the number.
	maxErrorLength = 16 << 10
	// maxVersionLength limits a version. A longer version is refused, because a
	// truncated version would be a different one. Versions of Kubernetes have at
	// most 20 bytes.
	maxVersionLength = 1024
)

// boundedError returns err with its text limited to maxErrorLength bytes.
func boundedError(err error) error { return brief.Error(err, maxErrorLength) }

// checkVersion returns an error if version is too long.
func checkVersion(version string) error {
	if len(version) > maxVersionLength {
		return &versionError{len(version)}
	}
	return nil
}

// versionError reports that a source returned a version that is too long.
type versionError struct{ length int }

func (e *versionError) Error() string {
	return fmt.Sprintf("the source returned a resource version of %d bytes; the limit is %d", e.length, maxVersionLength)
}

// Undecodable makes failureOf classify the error as undecodable.
func (e *versionError) Undecodable() bool { return true }

// dropLongVersion returns item, or a copy without its version if that is too
// long.
func dropLongVersion(item *listwatch.ItemError) *listwatch.ItemError {
	if item == nil || len(item.ResourceVersion) <= maxVersionLength {
		return item
	}
	short := *item
	short.ResourceVersion = ""
	return &short
}
