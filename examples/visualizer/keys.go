package main

import (
	"net/http"
	"strings"
)

// keys serves the keys of the store that contain a text.
func (s *site) keys(w http.ResponseWriter, r *http.Request) {
	search := strings.TrimSpace(r.URL.Query().Get("search"))
	if len(search) > 2*maxArgument {
		writeJSON(w, http.StatusBadRequest, Answer{Message: "the parameter search is too long"})
		return
	}
	writeJSON(w, http.StatusOK, s.view.keys(search))
}

// keys returns the first keys of the store that contain a text, and counts all of them.
func (v *view) keys(search string) Keys {
	snapshot := v.pipeline.informer.Reader().Snapshot()
	found := Keys{Objects: snapshot.Len()}
	found.Keys = smallest(func(yield func(string) bool) {
		for key := range snapshot.Keys() {
			if !strings.Contains(key, search) {
				continue
			}
			found.Count++
			if !yield(key) {
				return
			}
		}
	}, maxKeys)
	return found
}
