package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// watch rewrites {"type":"ADDED","object":{...}} after {"type":...}, each as it
// comes.
type watch struct {
	in      values
	objects *rewriter
	// failed: an ERROR event has been sent, and is the last.
	failed bool
}

// next appends an event. One that cannot be rewritten is the last: the client
// is told so by an ERROR event, which is how API servers end a watch.
func (w *watch) next(out *bytes.Buffer) error {
	if w.failed {
		return io.EOF
	}
	err := w.event(out)
	if !errors.As(err, new(unrewritable)) {
		return err
	}
	w.failed = true
	status, err := encoded(badGateway(err).status())
	if err != nil {
		return err
	}
	frame(out, []byte(`"ERROR"`), status)
	return nil
}

func (w *watch) event(out *bytes.Buffer) error {
	// Not a struct: names of fields would be matched without regard to case.
	var event map[string]json.RawMessage
	if err := w.in.decode(&event); err != nil {
		return err
	}
	object := event["object"]
	switch typ := string(event["type"]); typ {
	case `"ADDED"`, `"MODIFIED"`, `"DELETED"`:
		var err error
		if object, err = w.objects.object(object); err != nil {
			return err
		}
	case `"BOOKMARK"`, `"ERROR"`: // a version, and a Status
	default:
		return unrewritablef("it has an event of type %.40s", typ)
	}
	if len(object) == 0 {
		return unrewritablef("it has an event without an object")
	}
	frame(out, event["type"], object)
	return nil
}

// frame writes an event as API servers do: on a line, with its type first.
func frame(out *bytes.Buffer, typ, object []byte) {
	out.WriteString(`{"type":`)
	out.Write(typ)
	out.WriteString(`,"object":`)
	out.Write(object)
	out.WriteString("}\n")
}
