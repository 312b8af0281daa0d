package main

import (
	"bufio"
	"encoding/json"
	"io"
)

// listFields are the fields of a list, and of a Status sent instead. Objects in another
// field would not be rewritten.
var listFields = map[string]bool{
	"kind": true, "apiVersion": true, "metadata": true, "items": true,
	"status": true, "message": true, "reason": true, "details": true, "code": true,
}

// rewriteList rewrites {"kind":"EndpointsList","metadata":{...},"items":[...]}
// item by item: it holds one item at a time. All other fields are passed unchanged.
func rewriteList(out *bufio.Writer, in values, items *rewriter) error {
	if err := in.bracket('{'); err != nil {
		return err
	}
	out.WriteByte('{')
	complete := false
	for separator := ""; in.More(); separator = "," {
		token, err := in.token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // the decoder accepts no other type as a name
		if !listFields[name] {
			return unrewritablef("it has the field %q, which a list does not have", name)
		}
		out.WriteString(separator + `"` + name + `":`)
		if name == "items" {
			complete, err = true, rewriteItems(out, in, items)
		} else {
			var raw json.RawMessage
			raw, err = in.nextValue()
			out.Write(raw)
			complete = complete || name == "kind" && string(raw) == `"Status"`
		}
		if err != nil {
			return err
		}
	}
	if err := in.bracket('}'); err != nil {
		return err
	}
	out.WriteString("}\n")
	if !complete {
		return unrewritablef("it is not a list: it has no items")
	}
	switch _, err := in.Token(); err {
	case io.EOF:
		return nil
	case nil:
		return unrewritablef("there is data after the list")
	default:
		return wrapJSONError(err)
	}
}

func rewriteItems(out *bufio.Writer, in values, items *rewriter) error {
	switch token, err := in.token(); {
	case err != nil:
		return err
	case token == nil:
		_, err = out.WriteString("null")
		return err
	case token != json.Delim('['):
		return unrewritablef("its items are %v", token)
	}
	out.WriteByte('[')
	for separator := ""; in.More(); separator = "," {
		raw, err := in.nextValue()
		if err != nil {
			return err
		}
		item, err := items.object(raw)
		if err != nil {
			return err
		}
		out.WriteString(separator)
		if _, err := out.Write(item); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return in.bracket(']')
}
