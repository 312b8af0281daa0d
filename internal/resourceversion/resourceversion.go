// Package resourceversion compares resource versions.
//
// The versions of a kube-apiserver are positive decimal numbers of any length
// and are ordered. Versions of other sources may be any text, and are compared
// only for equality. The empty version and "0" are not versions of a state, and
// have no order.
package resourceversion

import "k8s.io/apimachinery/pkg/util/resourceversion"

// Compare returns a negative number if a is older than b, a positive one if it
// is newer, and zero if they are equal. ok is false if the versions differ and
// have no order.
func Compare(a, b string) (order int, ok bool) {
	if a == b {
		return 0, true
	}
	order, err := resourceversion.CompareResourceVersion(a, b)
	return order, err == nil
}

// HasOrder reports whether a version can be compared with others.
func HasOrder(version string) bool {
	_, err := resourceversion.CompareResourceVersion(version, "1")
	return err == nil
}

// IsOlder reports whether a is older than b. It is false if they have no order.
func IsOlder(a, b string) bool {
	order, ok := Compare(a, b)
	return ok && order < 0
}

// IsAtLeast reports whether a is b or a newer version. If they have no order, it
// reports whether they are equal.
func IsAtLeast(a, b string) bool {
	order, ok := Compare(a, b)
	return ok && order >= 0
}
