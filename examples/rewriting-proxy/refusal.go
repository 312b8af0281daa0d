package main

import (
	"errors"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// refusal is what a client is told instead of an answer, in the form in which
// API servers say it: clients know how to show it.
type refusal struct {
	code    int
	reason  metav1.StatusReason
	message string
}

func (r *refusal) Error() string { return r.message }

func (r *refusal) status() *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: r.message, Reason: r.reason, Code: int32(r.code),
	}
}

// badGateway is for an answer of the API server that cannot be passed on.
func badGateway(err error) *refusal {
	return &refusal{http.StatusBadGateway, "BadGateway", fmt.Sprintf("rewriting-proxy: cannot rewrite the API server's answer: %.300v", err)}
}

// refusalFor is what a client is told of an error.
func refusalFor(err error) *refusal {
	var said *refusal
	if errors.As(err, &said) {
		return said
	}
	return &refusal{http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, fmt.Sprintf("rewriting-proxy: the API server does not answer: %.300v", err)}
}

func (r *refusal) write(w http.ResponseWriter) {
	status, err := encoded(r.status())
	if err != nil {
		http.Error(w, r.message, r.code)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.code)
	_, _ = w.Write(status) // if the client has gone, nobody is to be told
}
