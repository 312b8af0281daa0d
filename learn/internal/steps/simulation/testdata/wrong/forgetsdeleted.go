// want: a version that goes back is found: after add shop/a@5, delete shop/a@7, Observe of add shop/a@6 returns nil
package simulation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// advance knows only the versions of the objects that exist.
func (c *checker) advance(key, version string) error {
	if last, known := c.objects[key]; known {
		order, err := resourceversion.CompareResourceVersion(version, last.ResourceVersion)
		if err != nil || order < 0 {
			return fmt.Errorf("version %s comes after version %s", version, last.ResourceVersion)
		}
	}
	return nil
}
