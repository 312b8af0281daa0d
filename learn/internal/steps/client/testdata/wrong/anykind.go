// want: a Status of failure with code 200 is an error: the kind is not Status

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
	var status metav1.Status
	switch code := response.StatusCode; {
	case err != nil:
		err = fmt.Errorf("read the response: %w", err)
	case json.Unmarshal(body, &status) == nil && status.Status == metav1.StatusFailure:
		err = &apierrors.StatusError{ErrStatus: status}
	case code/100 != 2:
		err = apierrors.NewGenericServerResponse(code, r.method, schema.ParseGroupResource(r.resource), r.name, string(body), 0, true)
	}
	return result{r, body, err}
}
