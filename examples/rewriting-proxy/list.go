package main

import (
	"bufio"
	"encoding/json"
	"io"
)

// listFields are those of a list, and of the Status that may be there instead. An
// object in another would not be rewritten.
var listFields = map[string]bool{
	"kind": true, "apiVersion": true, "metadata": true, "items": true,
	"status": true, "message": true, "reason": true, "details": true, "code": true,
}

// rewriteList rewrites {"kind":"EndpointsList","metadata":{...},"items":[...]}
// item by item: of a list of any length one item is held. All but the items
// passes as it is.
func rewriteList(out *bufio.Writer, in values, items *rewriter) error {
	if err := in.bracket('{'); err != nil {
		return err
	}
	out.WriteByte('{')
	whole := false
	for separator := ""; in.More(); separator = "," {
		token, err := in.token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // the decoder takes nothing else for a name
		if !listFields[name] {
			return unrewritablef("it has a field %q, which no list has", name)
		}
		out.WriteString(separator + `"` + name + `":`)
		if name == "items" {
			whole, err = true, rewriteItems(out, in, items)
		} else {
			var raw json.RawMessage
			raw, err = in.within()
			out.Write(raw)
			whole = whole || name == "kind" && string(raw) == `"Status"`
		}
		if err != nil {
			return err
		}
	}
	if err := in.bracket('}'); err != nil {
		return err
	}
	out.WriteString("}\n")
	if !whole {
		return unrewritablef("it is no list: it has no items")
	}
	switch _, err := in.Token(); err {
	case io.EOF:
		return nil
	case nil:
		return unrewritablef("something stands behind the list")
	default:
		return explained(err)
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
		raw, err := in.within()
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
