// want: a Status of failure with code 200 is an error: want the error of the Status

package client

import (
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	if response.StatusCode/100 == 2 {
		return result{r, body, nil}
	}
	var status metav1.Status
	if json.Unmarshal(body, &status) == nil && status.Kind == "Status" {
		return result{r, nil, &apierrors.StatusError{ErrStatus: status}}
	}
	return result{r, nil, apierrors.NewGenericServerResponse(response.StatusCode, r.method, schema.ParseGroupResource(r.resource), r.name, string(body), 0, true)}
}
