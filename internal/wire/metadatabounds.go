package wire

import (
	"fmt"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// maxIdentifierLen bounds, in bytes, each identifier of an object or a collection:
// namespace, name, UID and resourceVersion. Kubernetes allows names of 253 bytes,
// and its versions have at most 20. These texts are keys, and errors, logs and
// pages quote them. A longer one is rejected, because a truncated one could
// identify another object or version.
const maxIdentifierLen = 1024

// checkIdentity returns an error for an identifier that is too long. It affects
// this object only.
func checkIdentity(object any) error {
	o, ok := object.(Object)
	if !ok {
		return nil
	}
	for _, text := range [...]struct{ path, value string }{
		{"metadata.name", o.GetName()},
		{"metadata.namespace", o.GetNamespace()},
		{"metadata.uid", string(o.GetUID())},
		{"metadata.resourceVersion", o.GetResourceVersion()},
	} {
		if n := len(text.value); n > maxIdentifierLen {
			return &jsonobj.ValueError{
				Path: text.path,
				Want: fmt.Sprintf("an identifier of at most %d bytes", maxIdentifierLen),
				Got:  fmt.Sprintf("a string of %d bytes", n),
			}
		}
	}
	return nil
}

// versionError is the error of a collection version that is too long.
type versionError struct{ length int }

func (e *versionError) Error() string {
	return fmt.Sprintf("metadata.resourceVersion has %d bytes, but the limit is %d", e.length, maxIdentifierLen)
}

// Undecodable marks a failure that no retry can fix, for a reflector.
func (e *versionError) Undecodable() bool { return true }

// CheckVersion returns an error for the version of a collection that is too long.
func CheckVersion(version string) error {
	if len(version) > maxIdentifierLen {
		return &versionError{len(version)}
	}
	return nil
}

// orEmpty returns the identifier, or "" if it is too long.
func orEmpty(identifier string) string {
	if len(identifier) > maxIdentifierLen {
		return ""
	}
	return identifier
}
