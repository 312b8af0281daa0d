package frames

import (
	"errors"
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
	wantNames(t, decoder, sent, "one")
}

func endMark(t *judge.T, parts stack.Parts) {
	for _, test := range []struct {
		annotations string
		want        bool
	}{
		{`"k8s.io/initial-events-end":"true"`, true},
		{`"other":"1","k8s.io/initial-events-end":"true"`, true},
		{`"k8s.io/initial-events-end":"false"`, false},
		{`"k8s.io/initial-events-end":""`, false},
		{`"initial-events-end":"true"`, false},
	} {
		sent := bookmark("9", test.annotations)
		event := nextEvent(t, newDecoder(t, parts, newBody(sent)), sent)
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
		if !test.is(err) || status.ErrStatus.Message == "" || status.ErrStatus.Code == 0 {
			t.Fatalf("an ERROR event with a Status {%s}\nNext returns %s, for which errors.%s is %v; want true, with the message and the code", test.fields, judge.ShortError(err), test.name, test.is(err))
		}
		if event.Object != nil {
			t.Fatalf("an ERROR event: Next returns an object beside the error")
		}
	}
}

func undecodable(t *judge.T, parts stack.Parts) {
	for _, object := range []string{`{"metadata":{"name":5}}`, `{"metadata":[]}`, `"text"`, `[1]`} {
		sent := `{"type":"ADDED","object":` + object + `}` + "\n"
		decoder := newDecoder(t, parts, newBody(sent+frame("ADDED", "two", "2")))
		if event, err := next(t, decoder); err == nil {
			t.Fatalf("sent: %s\nNext returns %s and no error, although the object cannot be decoded", judge.Short(sent), describe(event))
		}
		event, err := next(t, decoder)
		if err != nil || event.Object == nil || event.Object.Name != "two" {
			t.Fatalf("after a frame whose object cannot be decoded (%s), Next returns %s and %s\nwant the event of the next frame: one object must not end the watch", object, describe(event), judge.ShortError(err))
		}
	}
}

func incomplete(t *judge.T, parts stack.Parts) {
	whole := frame("ADDED", "web", "7")
	nextEvent(t, newDecoder(t, parts, newBody(whole)), whole)
	for _, sent := range []string{
		`{"type":"ADDED"}`, `{"type":"ADDED","object":null}`, `{"type":"BOOKMARK"}`, `{"type":"ERROR"}`, `{}`,
		strings.TrimSpace(frame("", "web", "7")), strings.TrimSpace(frame("CHANGED", "web", "7")), strings.TrimSpace(frame("added", "web", "7")),
	} {
		event, err := next(t, newDecoder(t, parts, newBody(sent+"\n")))
		if err == nil {
			t.Fatalf("sent: %s\nNext returns %s and no error, want an error: a known type and an object are necessary", judge.Short(sent), describe(event))
		}
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
	if event := nextEvent(t, decoder, "a streamed list"); event.Type != "ADDED" || event.Object == nil || len(event.Object.Data["text"]) != 300_000 {
		t.Fatalf("the API server streams an object with 300,000 bytes of data: the event is %s", describe(event))
	}
	if event := nextEvent(t, decoder, "a streamed list"); !event.InitialEventsEnd || event.ResourceVersion == "" {
		t.Fatalf("the API server ends the initial events with a bookmark: the event is %s with InitialEventsEnd %v", describe(event), event.InitialEventsEnd)
	}
	created := apitest.Create(t, apiServer, object("two", "你好"))
	event := nextEvent(t, decoder, "a change")
	if event.Object == nil || event.Object.Name != "two" || event.ResourceVersion != created.ResourceVersion {
		t.Fatalf("an object %q of version %s was created in the API server: the event is %s", "two", created.ResourceVersion, describe(event))
	}
}
