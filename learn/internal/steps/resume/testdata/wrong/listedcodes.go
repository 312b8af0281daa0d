// want: a rejected watch is returned: 405 as an ERROR event: Follow does not return

package resume

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Only the codes that the table names are final.
func isFinal(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return errors.Is(err, errStore)
	}
	switch status.Status().Code {
	case 400, 401, 403, 404, 410:
		return true
	}
	return false
}
