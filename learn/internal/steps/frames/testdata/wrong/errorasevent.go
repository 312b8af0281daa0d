// want: an ERROR event is an error: want a *errors.StatusError

package frames

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func statusOf(encoded []byte) error {
	var status metav1.Status
	if err := iterator.Unmarshal(encoded, &status); err != nil {
		return err
	}
	return fmt.Errorf("the watch ended: %s", status.Message)
}
