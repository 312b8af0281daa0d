package reflector

import "k8s.io/apimachinery/pkg/util/resourceversion"

// compare is the order of two versions; not ok if they have none.
func compare(a, b string) (order int, ok bool) {
	if a == b {
		return 0, true
	}
	order, err := resourceversion.CompareResourceVersion(a, b)
	return order, err == nil
}

// resumable says whether a watch can go on from a version. To a server none and
// 0 mean any moment: what happened before that moment, it would not tell.
func resumable(version string) bool { return version != "" && version != "0" }

// comparable says whether a version has an order to others.
func comparable(version string) bool {
	_, err := resourceversion.CompareResourceVersion(version, "1")
	return err == nil
}
