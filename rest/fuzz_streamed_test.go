package rest

import (
	"io"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Any body of a raw client is read to its end or to an error, and closed once. A body
// in neither encoding is an error, not an empty list.
func FuzzStreamed(f *testing.F) {
	f.Add(`{"kind":"WidgetList","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]}`)
	f.Add(`{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"7"}}}`)
	f.Add(" \n{}")
	f.Add("k8s\x00\x0a\x00")
	f.Add("\x00\x00\x00\x09k8s\x00\x0a\x00\x12\x00")
	f.Add("k8s")
	f.Add("<html>")
	f.Add("")
	f.Fuzz(func(t *testing.T, body string) {
		client := &fakeRawClient{bodies: []string{body, body}}
		streamed, err := NewRawListWatch[*metav1.PartialObjectMetadata](client.send, RawListWatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if list, err := streamed.List(t.Context(), metav1.ListOptions{}); err == nil {
			_, err = list.Slice()
			if err == nil && len(body) < len("{}") {
				t.Fatalf("%q was accepted as a list", body)
			}
			list.Close()
		}
		client.bodies = []string{body}
		before := client.closed
		w, err := streamed.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			return
		}
		for range len(body) + 2 { // an event is longer than a byte
			_, err = w.Next(t.Context())
			if err != nil && !isItemError(err) {
				break
			}
		}
		if err == nil || isItemError(err) {
			t.Fatalf("the watch of %d bytes has no end", len(body))
		}
		w.Stop()
		if err == io.EOF && client.closed != before+1 {
			t.Fatalf("the body was closed %d times", client.closed-before)
		}
	})
}
