package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// rewriteWatch rewrites events such as {"type":"ADDED","object":{...}} as they arrive. It
// stops at an event that cannot be rewritten and sends an ERROR event, as API servers do
// to end a watch.
func rewriteWatch(out *bufio.Writer, in values, objects *rewriter) error {
	for {
		err := rewriteEvent(out, in, objects)
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, new(unrewritable)):
			status, err := encoded(badGateway(err).status())
			if err != nil {
				return err
			}
			return event(out, []byte(`"ERROR"`), status)
		case err != nil:
			return err
		}
	}
}

func rewriteEvent(out *bufio.Writer, in values, objects *rewriter) error {
	// Not a struct: field names would be matched case-insensitively.
	var fields map[string]json.RawMessage
	if err := in.decode(&fields); err != nil {
		return err
	}
	object := fields["object"]
	switch typ := string(fields["type"]); typ {
	case `"ADDED"`, `"MODIFIED"`, `"DELETED"`:
		var err error
		if object, err = objects.object(object); err != nil {
			return err
		}
	case `"BOOKMARK"`, `"ERROR"`: // a version, or a Status
	default:
		return unrewritablef("it has an event of type %.40s", typ)
	}
	if len(object) == 0 {
		return unrewritablef("it has an event without an object")
	}
	return event(out, fields["type"], object)
}

// event writes an event as API servers do: on one line, with its type first.
func event(out *bufio.Writer, typ, object []byte) error {
	out.WriteString(`{"type":`)
	out.Write(typ)
	out.WriteString(`,"object":`)
	out.Write(object)
	out.WriteString("}\n")
	return out.Flush()
}
