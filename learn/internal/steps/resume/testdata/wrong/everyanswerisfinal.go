// want: a server that fails or is busy is asked again: instead of opening another watch

package resume

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Every response of the server ends Follow.
func isFinal(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) || errors.Is(err, errStore)
}
