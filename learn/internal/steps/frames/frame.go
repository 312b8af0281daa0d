package frames

import (
	"fmt"
	"strings"
	"time"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

func events(t *judge.T, parts stack.Parts) {
	for _, typ := range []string{"ADDED", "MODIFIED", "DELETED"} {
		sent := frame(typ, "web", "7")
		event := nextEvent(t, newDecoder(t, parts, newBody(sent)), sent)
		if string(event.Type) != typ || event.ResourceVersion != "7" || event.InitialEventsEnd {
			t.Fatalf("sent: %s\nthe event has the type %q, the version %q and InitialEventsEnd %v, want %s, %q and false", judge.Short(sent), event.Type, event.ResourceVersion, event.InitialEventsEnd, typ, "7")
		}
		wantWeb(t, sent, event.Object)
	}
	sent := `{"object":{"metadata":{"name":"web","resourceVersion":"7"},"data":{"a":"b"},"Data":{"a":"c"}},"other":[{}],"type":"ADDED","Type":"DELETED","Object":{}}`
	event := nextEvent(t, newDecoder(t, parts, newBody(sent)), sent)
	if event.Type != "ADDED" || event.Object == nil || event.Object.Name != "web" {
		t.Fatalf("sent: %s\nthe event is %s: the object may come before the type, and there may be other fields, also Type and Object", judge.Short(sent), describe(event))
	}
	if got := event.Object.Data["a"]; got != "b" {
		t.Fatalf(`the object has the fields "data":{"a":"b"} and "Data":{"a":"c"}, and the event %v: names of fields are case-sensitive`, event.Object.Data)
	}
	for _, text := range []string{`}"{`, "{", "}}}}", "[", `\`, `"`} {
		sent := fmt.Sprintf(`{"type":"ADDED","object":{"metadata":{"name":"web","resourceVersion":"7"},"data":{"a":%q}}}`, text)
		event, err := next(t, newDecoder(t, parts, newBody(sent)))
		if err != nil || event.Object == nil || event.Object.Data["a"] != text {
			t.Fatalf("sent: %s\nNext returns %s and %s: brackets and quotes in a string do not end a frame", sent, describe(event), judge.ShortError(err))
		}
	}
}

// wantWeb fails unless object is that of frame(..., "web", "7").
func wantWeb(t *judge.T, sent string, object *stack.ConfigMap) {
	if object == nil {
		t.Fatalf("sent: %s\nthe event has no object", judge.Short(sent))
	}
	for _, field := range []struct{ name, got, want string }{
		{"kind", object.Kind, "ConfigMap"},
		{"apiVersion", object.APIVersion, "v1"},
		{"metadata.name", object.Name, "web"},
		{"metadata.namespace", object.Namespace, "shop"},
		{"metadata.resourceVersion", object.ResourceVersion, "7"},
		{"metadata.labels.app", object.Labels["app"], "shop"},
		{"data.of", object.Data["of"], "web"},
	} {
		if field.got != field.want {
			t.Fatalf("sent: %s\nthe object of the event has the %s %q, want %q", judge.Short(sent), field.name, field.got, field.want)
		}
	}
}

func ownObjects(t *judge.T, parts stack.Parts) {
	second := `{"type":"MODIFIED","object":{"metadata":{"name":"api","resourceVersion":"8"}}}` + "\n"
	decoder := newDecoder(t, parts, newBody(frame("ADDED", "web", "7")+second))
	first := nextEvent(t, decoder, second)
	last := nextEvent(t, decoder, second)
	if last.Object == nil {
		t.Fatalf("sent: %s\nthe event has no object", judge.Short(second))
	}
	if len(last.Object.Data) > 0 || last.Object.Namespace != "" {
		t.Fatalf("sent: %s\nthe object of the event has the namespace %q and the data %v, from the event before it", judge.Short(second), last.Object.Namespace, last.Object.Data)
	}
	if first.Object == nil || first.Object == last.Object || first.Object.Name != "web" || first.Object.Data["of"] != "web" {
		t.Fatalf("the object of an event changed when Next was called again: each event needs a new object, because caches keep it")
	}
}

func whiteSpace(t *judge.T, parts stack.Parts) {
	one, two := strings.TrimSpace(frame("ADDED", "one", "1")), strings.TrimSpace(frame("ADDED", "two", "2"))
	indented := "{\n  \"type\": \"ADDED\",\n  \"object\": {\n    \"metadata\": {\"name\": \"one\"}\n  }\n}"
	for _, test := range []struct{ name, sent string }{
		{"each frame on a line", one + "\n" + two + "\n"},
		{"no newline at the end", one + "\n" + two},
		{"nothing between two frames", one + two},
		{"empty lines and a space before the first frame", "\n\n " + one + "\n" + two + "\n"},
		{"\\r\\n, an empty line and a tab between two frames", one + "\r\n\r\n\t" + two + "\r\n"},
		{"a space and an empty line at the end", one + "\n" + two + " \n\n"},
		{"line ends within the first frame", indented + "\n" + two + "\n"},
	} {
		wantNames(t, newDecoder(t, parts, newBody(test.sent)), "sent: two frames, with "+test.name, "one", "two")
	}
}

func reads(t *judge.T, parts stack.Parts) {
	sent := frame("ADDED", "名前", "1") + frame("MODIFIED", "two", "2") + frame("DELETED", "three", "3")
	for _, size := range []int{1, 2, 3, 50, len(sent)} {
		var pieces []any
		for rest := sent; rest != ""; {
			n := min(size, len(rest))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		wantNames(t, newDecoder(t, parts, newBody(pieces...)), fmt.Sprintf("sent: three frames of %d bytes, of which each Read returns at most %d", len(sent), size), "名前", "two", "three")
	}
}

func atOnce(t *judge.T, parts stack.Parts) {
	one, two := frame("ADDED", "one", "1"), frame("ADDED", "two", "2")
	for _, test := range []struct {
		name   string
		pieces []any
		events int
	}{
		{"a frame, without the newline after it", []any{strings.TrimSpace(one), time.Hour, "\n"}, 1},
		{"a frame with its newline", []any{one, time.Hour, two}, 1},
		{"two frames in one Read", []any{one + two, time.Hour}, 2},
		{"a frame and half of the next one", []any{one + two[:20], time.Hour, two[20:]}, 1},
	} {
		begun := time.Now()
		decoder := newDecoder(t, parts, newBody(test.pieces...))
		for i := range test.events {
			event := nextOf(t, decoder, "sent: "+test.name)
			if waited := time.Since(begun); waited > 0 {
				t.Fatalf("%s had arrived, but Next (call %d) returned %s only %v later, when more data arrived", test.name, i+1, describe(event), waited)
			}
		}
	}
}

func large(t *judge.T, parts stack.Parts) {
	for _, size := range []int{64 << 10, 1 << 20} {
		text := strings.Repeat("0123456789abcdef", size/16)
		sent := `{"type":"ADDED","object":{"metadata":{"name":"big"},"data":{"text":"` + text + `"}}}` + "\n"
		decoder := newDecoder(t, parts, newBody(sent, time.Hour, frame("ADDED", "two", "2")))
		begun := time.Now()
		event, err := next(t, decoder)
		if err != nil {
			t.Fatalf("a frame of %d bytes: Next returns %s, want an event\nbufio.Scanner has a limit of 64 KB; an object can have more than 1 MB.", len(sent), judge.ShortError(err))
		}
		if event.Object == nil || event.Object.Data["text"] != text {
			t.Fatalf("a frame of %d bytes: the event is %s, whose data differs", len(sent), describe(event))
		}
		if waited := time.Since(begun); waited > 0 {
			t.Fatalf("a frame of %d bytes had arrived, but Next returned it only %v later, when more data arrived", len(sent), waited)
		}
		wantNames(t, decoder, "a frame after one of "+fmt.Sprint(len(sent))+" bytes", "two")
	}
}
