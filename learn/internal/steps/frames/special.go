package frames

import (
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// bookmark returns a BOOKMARK frame with annotations.
func bookmark(version, annotations string) string {
	return `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"` + version + `","annotations":{` + annotations + `}}}}` + "\n"
}

func bookmarks(t *judge.T, parts stack.Parts) {
	sent := bookmark("9", "")
	decoder := newDecoder(t, parts, newBody(sent+frame("ADDED", "one", "10")))
	event := nextEvent(t, decoder, sent)
	if event.Type != "BOOKMARK" || event.ResourceVersion != "9" {
		t.Fatalf("sent: %s\nthe event is %s, want the type BOOKMARK and the version %q", judge.Short(sent), describe(event), "9")
	}
	if event.Object != nil {
		t.Fatalf("sent: %s\nthe event has an object, want none: it has no name, and a store must not receive it", judge.Short(sent))
	}
	if event.InitialEventsEnd {
		t.Fatalf("sent: %s\nInitialEventsEnd is set, although the bookmark has no annotation", judge.Short(sent))
	}
	wantNames(t, decoder, "sent: a bookmark, then a frame with an object", "one")
}

func endMark(t *judge.T, parts stack.Parts) {
	// One decoder shows also whether an event has the mark of the event before it.
	tests := []struct {
		annotations string
		want        bool
	}{
		{`"k8s.io/initial-events-end":"true"`, true},
		{`"other":"1","k8s.io/initial-events-end":"true"`, true},
		{`"k8s.io/initial-events-end":"false"`, false},
		{`"k8s.io/initial-events-end":"True"`, false},
		{`"k8s.io/initial-events-end":""`, false},
		{`"initial-events-end":"true"`, false},
		{"", false},
	}
	var stream strings.Builder
	for _, test := range tests {
		stream.WriteString(bookmark("9", test.annotations))
	}
	decoder := newDecoder(t, parts, newBody(stream.String()))
	for _, test := range tests {
		event := nextEvent(t, decoder, bookmark("9", test.annotations))
		if event.InitialEventsEnd != test.want {
			t.Fatalf("a bookmark with the annotations {%s}: InitialEventsEnd is %v, want %v", test.annotations, event.InitialEventsEnd, test.want)
		}
	}
	sent := strings.Replace(bookmark("9", `"k8s.io/initial-events-end":"true"`), "BOOKMARK", "MODIFIED", 1)
	if event := nextEvent(t, newDecoder(t, parts, newBody(sent)), sent); event.InitialEventsEnd || event.Object == nil {
		t.Fatalf("sent: %s\nthe event is %s with InitialEventsEnd %v: the annotation has a meaning only on a bookmark", judge.Short(sent), describe(event), event.InitialEventsEnd)
	}
}

func errorEvents(t *judge.T, parts stack.Parts) {
	for _, test := range []struct {
		fields string
		is     func(error) bool
		name   string
	}{
		{`"message":"too old resource version: 1 (5)","reason":"Expired","code":410`, apierrors.IsResourceExpired, "IsResourceExpired"},
		{`"message":"too old resource version: 1 (5)","reason":"Gone","code":410`, apierrors.IsGone, "IsGone"},
		{`"message":"etcd","reason":"InternalError","code":500`, apierrors.IsInternalError, "IsInternalError"},
	} {
		sent := frame("ADDED", "one", "1") + `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` + test.fields + `}}` + "\n"
		decoder := newDecoder(t, parts, newBody(sent))
		nextEvent(t, decoder, sent)
		event, err := next(t, decoder)
		var status *apierrors.StatusError
		if !errors.As(err, &status) {
			t.Fatalf("an ERROR event with a Status {%s}\nNext returns %s and %s, want a *errors.StatusError", test.fields, describe(event), judge.ShortError(err))
		}
		if got := fields(status.ErrStatus); got != test.fields {
			t.Fatalf("an ERROR event with a Status {%s}\nNext returns a *errors.StatusError with {%s}", test.fields, got)
		}
		if !test.is(err) {
			t.Fatalf("an ERROR event with a Status {%s}\nNext returns %s, for which errors.%s is false, want true", test.fields, judge.ShortError(err), test.name)
		}
		if event.Object != nil {
			t.Fatalf("an ERROR event: Next returns an object beside the error")
		}
	}
}

// fields returns the fields of a Status that errorEvents compares, as JSON.
func fields(status metav1.Status) string {
	return fmt.Sprintf(`"message":%q,"reason":%q,"code":%d`, status.Message, status.Reason, status.Code)
}

func undecodable(t *judge.T, parts stack.Parts) {
	for _, test := range []struct{ typ, object string }{
		{"ADDED", `{"metadata":{"name":5}}`}, {"MODIFIED", `{"metadata":[]}`}, {"DELETED", `"text"`}, {"ADDED", `[1]`},
		{"BOOKMARK", `{"metadata":{"resourceVersion":5}}`},
	} {
		wantOneError(t, parts, `{"type":"`+test.typ+`","object":`+test.object+`}`, "although the object cannot be decoded")
	}
}

// wantOneError fails unless the second of three frames is an error, and the third one an
// event.
func wantOneError(t *judge.T, parts stack.Parts, sent, why string) {
	decoder := newDecoder(t, parts, newBody(frame("ADDED", "one", "1")+sent+"\n"+frame("ADDED", "two", "2")))
	nextEvent(t, decoder, frame("ADDED", "one", "1"))
	event, err := next(t, decoder)
	if err == nil {
		t.Fatalf("sent: a whole frame, then %s\nNext returns %s and no error, %s", judge.Short(sent), describe(event), why)
	}
	if isEnd(err) {
		t.Fatalf("sent: a whole frame, then %s\nNext returns %s, which means that the body has ended; want another error", judge.Short(sent), judge.ShortError(err))
	}
	event, err = next(t, decoder)
	if err != nil || event.Object == nil || event.Object.Name != "two" {
		t.Fatalf("after %s, Next returns %s and %s\nwant the event of the next frame: one object must not end the watch", judge.Short(sent), describe(event), judge.ShortError(err))
	}
}

func incomplete(t *judge.T, parts stack.Parts) {
	const why = "want an error: a known type and an object are necessary"
	for _, typ := range []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"} {
		wantOneError(t, parts, `{"type":"`+typ+`"}`, why)
		wantOneError(t, parts, `{"type":"`+typ+`","object":null}`, why)
	}
	wantOneError(t, parts, "{}", why)
	wantOneError(t, parts, `{"object":{"metadata":{"name":"web"}}}`, why)
	for _, typ := range []string{"", "CHANGED", "added"} {
		wantOneError(t, parts, strings.TrimSpace(frame(typ, "web", "7")), why)
	}
}

func server(t *judge.T, parts stack.Parts) {
	apiServer := t.Server(apitest.Options{BookmarkInterval: time.Minute})
	base, dial := judge.Dial(apiServer)
	object := func(name, text string) *stack.ConfigMap {
		return &stack.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Data: map[string]string{"text": text}}
	}
	apitest.Create(t, apiServer, object("one", strings.Repeat("你好", 50_000)))
	yes := true
	options := &metav1.ListOptions{Watch: true, AllowWatchBookmarks: true, SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
	body, err := parts.NewClient(base, parts.NewTransport(dial)).Verb("GET").Resource("configmaps").VersionedParams(options).Stream(t.Context())
	if err != nil {
		t.Fatalf("a watch of the API server: Stream returns %s", judge.ShortError(err))
	}
	t.Cleanup(func() { body.Close() })
	decoder := newDecoder(t, parts, body)
	if event := nextOf(t, decoder, "a streamed list of the API server"); event.Type != "ADDED" || event.Object == nil || len(event.Object.Data["text"]) != 300_000 {
		t.Fatalf("the API server streams an object with 300,000 bytes of data: the event is %s", describe(event))
	}
	if event := nextOf(t, decoder, "a streamed list of the API server"); !event.InitialEventsEnd || event.ResourceVersion == "" {
		t.Fatalf("the API server ends the initial events with a bookmark: the event is %s with InitialEventsEnd %v", describe(event), event.InitialEventsEnd)
	}
	created := apitest.Create(t, apiServer, object("two", "你好"))
	event := nextOf(t, decoder, "a change in the API server, after the initial events")
	if event.Object == nil || event.Object.Name != "two" || event.ResourceVersion != created.ResourceVersion {
		t.Fatalf("an object %q of version %s was created in the API server: the event is %s", "two", created.ResourceVersion, describe(event))
	}
}
