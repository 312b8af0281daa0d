package apitest

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// answer writes an object, in the form in which it is stored.
func (c *call) answer(code int, text []byte) error {
	text, err := c.format.object(c.resource, text)
	if err != nil {
		return err
	}
	return c.format.send(c.w, c.r, code, text)
}

// answerStatus writes a Status that tells of success.
func (c *call) answerStatus(status *metav1.Status) error {
	status.Kind, status.APIVersion = "Status", "v1"
	text, err := json.Marshal(status)
	if err != nil {
		return err
	}
	return c.format.send(c.w, c.r, http.StatusOK, text)
}
