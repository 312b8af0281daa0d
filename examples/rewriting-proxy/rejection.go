package main

import (
	"errors"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rejection is an error response in the form of API servers, which clients know how to
// display.
type rejection struct {
	code    int
	reason  metav1.StatusReason
	message string
}

func (r *rejection) Error() string { return r.message }

func (r *rejection) status() *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: r.message, Reason: r.reason, Code: int32(r.code),
	}
}

// badGateway returns the rejection for a response of the API server that cannot be passed on.
func badGateway(err error) *rejection {
	return &rejection{http.StatusBadGateway, "BadGateway", fmt.Sprintf("rewriting-proxy: cannot rewrite the API server's response: %.300v", err)}
}

// rejectionFor returns the rejection for an error.
func rejectionFor(err error) *rejection {
	var known *rejection
	if errors.As(err, &known) {
		return known
	}
	return &rejection{http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, fmt.Sprintf("rewriting-proxy: no response from the API server: %.300v", err)}
}

func (r *rejection) write(w http.ResponseWriter) {
	status, err := encoded(r.status())
	if err != nil {
		http.Error(w, r.message, r.code)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.code)
	_, _ = w.Write(status) // a failed write has no recipient
}
