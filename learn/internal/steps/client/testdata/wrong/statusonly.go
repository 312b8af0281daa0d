// want: an error without a Status is recognized: which is no Status

package client

import (
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (r *request) read(response *http.Response, err error) result {
	if err != nil {
		return result{r, nil, err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return result{r, nil, fmt.Errorf("read the response: %w", err)}
	}
	var status metav1.Status
	if json.Unmarshal(body, &status) == nil && status.Kind == "Status" && status.Status == metav1.StatusFailure {
		return result{r, nil, &apierrors.StatusError{ErrStatus: status}}
	}
	if response.StatusCode/100 != 2 {
		return result{r, nil, fmt.Errorf("the server responds with %d: %s", response.StatusCode, body)}
	}
	return result{r, body, nil}
}
