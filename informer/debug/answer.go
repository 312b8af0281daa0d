package debug

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// The answers to requests: as JSON with these tags, which the package comment
// documents, as text by answer_text.go, and as HTML by the files html_*.go. Fields
// without a tag are not part of the JSON.
type (
	// An overview describes all informers.
	overview struct {
		Now       time.Time       `json:"now"`
		Sections  []section       `json:"sections,omitempty"`
		Informers []informerState `json:"informers"`
	}
	section struct {
		Title string `json:"title"`
		State any    `json:"state,omitempty"`
		lines []string
		// problems are meaningful if hasHealth is true.
		problems  []problem
		hasHealth bool
	}
	// A listing is a page of one informer's store.
	listing struct {
		Now      time.Time     `json:"now"`
		Informer informerState `json:"informer"`
		// Keys are sorted. Objects are their objects if the query asked for them.
		Keys     []string `json:"keys"`
		Objects  []object `json:"objects,omitempty"`
		Continue string   `json:"continue,omitempty"`

		query query
		// load reads the Keys. It is nil if the query asked for objects.
		load func()
		// objects yields the Objects one by one, and completes Keys and Continue. It is
		// nil if the query did not ask for objects.
		objects iter.Seq[object]
		// mayShowObjects is true if a query may ask for objects.
		mayShowObjects, hasTimeline bool
	}
	// A detail describes one key.
	detail struct {
		Now      time.Time     `json:"now"`
		Informer informerState `json:"informer"`
		Stored   bool          `json:"stored"`
		object
		// Events are missing if there is no timeline.
		Events []Event `json:"events,omitempty"`

		// load reads the object.
		load        func()
		hasTimeline bool
	}
	object struct {
		Key string `json:"key"`
		// Object is the object. If it is not shown, Hidden is the reason.
		Object json.RawMessage `json:"object,omitempty"`
		Hidden string          `json:"hidden,omitempty"`
	}
	failure struct {
		Error string `json:"error"`

		// informer is the ID of an informer whose keys can be searched instead.
		informer string
	}
)

type informerState struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Resource string `json:"resource,omitempty"`
	Running  bool   `json:"running"`
	Synced   bool   `json:"synced"`
	Version  string `json:"version"`
	Epoch    int    `json:"epoch"`
	Objects  int    `json:"objects"`
	Queued   int    `json:"queued"`
	// Bodies and BodyBytes are those of the informer of the metadata of Bodies.
	Bodies    int            `json:"bodies,omitempty"`
	BodyBytes int64          `json:"bodyBytes,omitempty"`
	Source    sourceState    `json:"source"`
	Handlers  []handlerState `json:"handlers"`
	// NamespaceCount and Namespaces are those of an informer of several namespaces.
	// Only a listing has Namespaces.
	NamespaceCount int              `json:"namespaceCount,omitempty"`
	Namespaces     []namespaceState `json:"namespaces,omitempty"`

	// versionsIn are the versions in the namespaces.
	versionsIn []string
	problems   []problem
}

type namespaceState struct {
	Namespace string      `json:"namespace"`
	Synced    bool        `json:"synced"`
	Version   string      `json:"version"`
	Epoch     int         `json:"epoch"`
	Source    sourceState `json:"source"`
}

type sourceState struct {
	// Name is that of the reflector whose state it is, if there may be several.
	Name         string          `json:"name,omitempty"`
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
	// ListUndecodable is the number of objects of the last list that could not be
	// decoded, ListError the reason for the first one.
	ListUndecodable int       `json:"listUndecodable,omitempty"`
	ListError       string    `json:"listError,omitempty"`
	Error           string    `json:"error,omitempty"`
	Since           time.Time `json:"since,omitzero"`
	Failures        int       `json:"failures"`
	RetryAt         time.Time `json:"retryAt,omitzero"`
}

type handlerState struct {
	Name    string    `json:"name"`
	Synced  bool      `json:"synced"`
	Pending int       `json:"pending"`
	Merged  uint64    `json:"merged"`
	Panics  uint64    `json:"panics"`
	Since   time.Time `json:"since,omitzero"`
}

// next returns the query for the next page.
func (a *listing) next() query {
	next := a.query
	next.after, next.format = a.Continue, ""
	return next
}

func stateOf(e entry, now time.Time) informerState {
	s := e.state
	result := informerState{
		ID:        e.id,
		Name:      s.Name,
		Running:   s.Running,
		Synced:    s.Synced,
		Version:   s.Version,
		Epoch:     s.Epoch,
		Objects:   s.Objects,
		Queued:    s.Queued,
		Bodies:    s.Bodies,
		BodyBytes: s.BodyBytes,
		Source:    sourceOf(s.Source),
		Handlers:  make([]handlerState, len(s.Handlers)),
		problems:  problemsOf(s, now),
	}
	if s.Resource.Resource != "" {
		result.Resource = s.Resource.GroupResource().String()
	}
	if result.NamespaceCount = s.NamespaceCount; s.NamespaceCount > 0 {
		result.Source.Name = s.Source.Name
	}
	for _, n := range s.Namespaces {
		result.versionsIn = append(result.versionsIn, n.Version)
	}
	for i, h := range s.Handlers {
		result.Handlers[i] = handlerOf(h)
	}
	return result
}

// withNamespaces returns the state with those of the namespaces, which
// informer.State bounds.
func (s informerState) withNamespaces(all []informer.NamespaceState) informerState {
	for _, n := range all {
		s.Namespaces = append(s.Namespaces, namespaceState{Namespace: n.Namespace, Synced: n.Synced, Version: n.Version, Epoch: n.Epoch, Source: sourceOf(n.Source)})
	}
	return s
}

func sourceOf(s reflector.State) sourceState {
	result := sourceState{
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
	if s.ListErr != nil {
		result.ListUndecodable, result.ListError = s.ListUndecodable, s.ListErr.Error()
	}
	if s.Err != nil {
		result.Error = s.Err.Error()
	}
	return result
}

func handlerOf(h informer.HandlerState) handlerState {
	return handlerState{Name: h.Name, Synced: h.Synced, Pending: h.Pending, Merged: h.Merged, Panics: h.Panics, Since: h.Since}
}
