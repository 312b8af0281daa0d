package apitest

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// answer writes an object.
func (c *call) answer(code int, raw []byte) error {
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(code)
	_, err := c.w.Write(raw)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// answerStatus writes a Status that tells of success.
func (c *call) answerStatus(status *metav1.Status) error {
	status.Kind, status.APIVersion = "Status", "v1"
	text, err := json.Marshal(status)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, text)
}
