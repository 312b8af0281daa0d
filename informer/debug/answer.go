package debug

import (
	"encoding/json"
	"time"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// What is answered: as JSON by these tags, which the package comment lists, or
// laid out for people by page.go.
type (
	// An overview is of all informers.
	overview struct {
		Now       time.Time       `json:"now"`
		Sections  []section       `json:"sections,omitempty"`
		Informers []informerState `json:"informers"`
	}
	section struct {
		Title string `json:"title"`
		State any    `json:"state,omitempty"`
		lines []string
	}
	// A listing is a page of one informer's store.
	listing struct {
		Now      time.Time     `json:"now"`
		Informer informerState `json:"informer"`
		// Keys, in order, and the Objects of these if they were asked for.
		Keys     []string `json:"keys"`
		Objects  []object `json:"objects,omitempty"`
		Continue string   `json:"continue,omitempty"`

		asked query
	}
	// A detail is all there is to say of one key.
	detail struct {
		Now      time.Time     `json:"now"`
		Informer informerState `json:"informer"`
		Stored   bool          `json:"stored"`
		object
		// Events are missing where nothing is traced.
		Events []Event `json:"events,omitempty"`

		traced bool
	}
	object struct {
		Key string `json:"key"`
		// Object, or Hidden, which says why it is not shown.
		Object json.RawMessage `json:"object,omitempty"`
		Hidden string          `json:"hidden,omitempty"`
	}
	failure struct {
		Error string `json:"error"`
	}
)

type informerState struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Resource string         `json:"resource,omitempty"`
	Running  bool           `json:"running"`
	Synced   bool           `json:"synced"`
	Version  string         `json:"version"`
	Epoch    int            `json:"epoch"`
	Objects  int            `json:"objects"`
	Queued   int            `json:"queued"`
	Source   sourceState    `json:"source"`
	Handlers []handlerState `json:"handlers"`
}

type sourceState struct {
	Phase        reflector.Phase `json:"phase"`
	Mode         reflector.Mode  `json:"mode"`
	ModeReason   string          `json:"modeReason,omitempty"`
	Version      string          `json:"version"`
	Epoch        int             `json:"epoch"`
	LastEvent    time.Time       `json:"lastEvent,omitzero"`
	LastBookmark time.Time       `json:"lastBookmark,omitzero"`
	Relists      int             `json:"relists"`
	RelistReason string          `json:"relistReason,omitempty"`
	Undecodable  uint64          `json:"undecodable"`
	Error        string          `json:"error,omitempty"`
	Since        time.Time       `json:"since,omitzero"`
	Failures     int             `json:"failures"`
	RetryAt      time.Time       `json:"retryAt,omitzero"`
}

type handlerState struct {
	Name    string    `json:"name"`
	Synced  bool      `json:"synced"`
	Pending int       `json:"pending"`
	Merged  uint64    `json:"merged"`
	Panics  uint64    `json:"panics"`
	Since   time.Time `json:"since,omitzero"`
}

func stateOf(e entry) informerState {
	s := e.state
	shown := informerState{
		ID:       e.id,
		Name:     s.Name,
		Running:  s.Running,
		Synced:   s.Synced,
		Version:  s.Version,
		Epoch:    s.Epoch,
		Objects:  s.Objects,
		Queued:   s.Queued,
		Source:   sourceOf(s.Source),
		Handlers: make([]handlerState, len(s.Handlers)),
	}
	if s.Resource.Resource != "" {
		shown.Resource = s.Resource.GroupResource().String()
	}
	for i, h := range s.Handlers {
		shown.Handlers[i] = handlerOf(h)
	}
	return shown
}

func sourceOf(s reflector.State) sourceState {
	shown := sourceState{
		Phase:        s.Phase,
		Mode:         s.Mode,
		ModeReason:   s.ModeReason,
		Version:      s.Version,
		Epoch:        s.Epoch,
		LastEvent:    s.LastEvent,
		LastBookmark: s.LastBookmark,
		Relists:      s.Relists,
		RelistReason: s.RelistReason,
		Undecodable:  s.Undecodable,
		Since:        s.Since,
		Failures:     s.Failures,
		RetryAt:      s.RetryAt,
	}
	if s.Err != nil {
		shown.Error = s.Err.Error()
	}
	return shown
}

func handlerOf(h informer.HandlerState) handlerState {
	return handlerState{Name: h.Name, Synced: h.Synced, Pending: h.Pending, Merged: h.Merged, Panics: h.Panics, Since: h.Since}
}
