// want: an expired version is returned: Follow does not return

package resume

import (
	"errors"
)

// Every response of the server is a reason to try again.
func isFinal(err error) bool { return errors.Is(err, errStore) }
