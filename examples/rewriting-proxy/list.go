package main

import (
	"bytes"
	"encoding/json"
	"io"
)

// list rewrites {"kind":"EndpointsList","metadata":{...},"items":[...]} item by
// item: of a list of any length one item is held.
type list struct {
	in    values
	items *rewriter

	stage stage
	// comma is whether something stands before the next field or item.
	comma          bool
	hadItems, over bool // over: it is a Status, which has no items
}

type stage int

const (
	beforeList stage = iota
	inFields
	inItems
)

// next appends a field of the list, or an item.
func (l *list) next(out *bytes.Buffer) error {
	switch l.stage {
	case beforeList:
		l.stage = inFields
		return l.bracket(out, '{')
	case inItems:
		if !l.in.More() {
			l.stage, l.comma = inFields, true
			return l.bracket(out, ']')
		}
		return l.item(out)
	}
	if !l.in.More() {
		return l.end(out)
	}
	return l.field(out)
}

// bracket passes one.
func (l *list) bracket(out *bytes.Buffer, want json.Delim) error {
	token, err := l.in.token()
	if err != nil {
		return err
	}
	if token != want {
		return unrewritablef("there is %v in it, where %v should be", token, want)
	}
	out.WriteByte(byte(want))
	return nil
}

func (l *list) separate(out *bytes.Buffer) {
	if l.comma {
		out.WriteByte(',')
	}
	l.comma = true
}

func (l *list) item(out *bytes.Buffer) error {
	var raw json.RawMessage
	if err := l.in.decode(&raw); err != nil {
		return inside(err)
	}
	item, err := l.items.object(raw)
	if err != nil {
		return err
	}
	l.separate(out)
	out.Write(item)
	return nil
}

// field passes all but the items as they are. It knows which there may be, as
// an object in a field that is passed would not be rewritten.
func (l *list) field(out *bytes.Buffer) error {
	token, err := l.in.token()
	if err != nil {
		return err
	}
	name, _ := token.(string) // the decoder takes nothing else for a name
	var raw json.RawMessage
	switch name {
	case "items":
		return l.open(out)
	case "kind", "apiVersion", "metadata",
		"status", "message", "reason", "details", "code": // of a Status
		if err := l.in.decode(&raw); err != nil {
			return inside(err)
		}
	default:
		return unrewritablef("it has a field %q, which no list has", name)
	}
	l.over = l.over || name == "kind" && string(raw) == `"Status"`
	l.separate(out)
	out.WriteString(`"` + name + `":`)
	out.Write(raw)
	return nil
}

// open begins the items.
func (l *list) open(out *bytes.Buffer) error {
	l.separate(out)
	l.hadItems = true
	out.WriteString(`"items":`)
	token, err := l.in.token()
	switch {
	case err != nil:
		return err
	case token == nil:
		out.WriteString("null")
		return nil
	case token != json.Delim('['):
		return unrewritablef("its items are %v", token)
	}
	l.stage, l.comma = inItems, false
	out.WriteByte('[')
	return nil
}

func (l *list) end(out *bytes.Buffer) error {
	if err := l.bracket(out, '}'); err != nil {
		return err
	}
	out.WriteByte('\n')
	if !l.hadItems && !l.over {
		return unrewritablef("it is no list: it has no items")
	}
	switch _, err := l.in.Token(); err {
	case io.EOF:
		return io.EOF
	case nil:
		return unrewritablef("something stands behind the list")
	default:
		return explained(err)
	}
}

// inside turns the end of a body into an error: something had begun.
func inside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
