package jsonobj

import (
	"bytes"
	"fmt"
	"slices"
)

// Expected is what a whole object may say that it is in its kind and apiVersion,
// if it has them. One that says something else does not fit, whatever its fields
// are. The version within a group is not looked at.
type Expected struct{ Kinds, Groups []string }

// Refuse is the error of an object that says in an encoding of its own that it
// is something else, nil of one that may be what it says.
func (e *Expected) Refuse(apiVersion, kind []byte) error {
	want, got := e.refusal(kindOf, kind)
	if want == "" {
		want, got = e.refusal(versionOf, apiVersion)
	}
	if want == "" {
		return nil
	}
	return fmt.Errorf("%s does not fit %s", got, want)
}

// refusal is what should have been in the place of a kind or an apiVersion, and
// what is; both are "" if nothing is wrong with it.
func (e *Expected) refusal(m mark, text []byte) (want, got string) {
	if len(text) == 0 {
		return "", ""
	}
	what, may := "kind", e.Kinds
	if m == versionOf {
		what, may = "group", e.Groups
		slash := bytes.IndexByte(text, '/')
		text = text[:max(slash, 0)] // a version alone is one of the core group
	}
	for _, one := range may {
		if string(text) == one {
			return "", ""
		}
	}
	return spelled(what, may[0]), "an object of " + spelled(what, beginning(string(text)))
}

func spelled(what, name string) string {
	if name == "" {
		return "the core group" // an object without a kind says nothing
	}
	return fmt.Sprintf("the %s %q", what, name)
}

// mark tells a field that the decoder has something to do with.
type mark uint8

const (
	unmarked  mark = iota
	managed        // metadata.managedFields of the whole object
	kindOf         // kind of the whole object
	versionOf      // apiVersion of the whole object
)

// typeMark is the mark of the fields by which an object says what it is.
func typeMark(name string) mark {
	switch name {
	case "kind":
		return kindOf
	case "apiVersion":
		return versionOf
	}
	return unmarked
}

// expects compares the value at i, of a kind or an apiVersion, with what the
// object may be. What is no string says nothing of that. It returns i.
func (d *Decoder) expects(m mark, i int) int {
	if i >= len(d.data) {
		return d.short()
	}
	if d.data[i] != '"' {
		return i
	}
	text, end := d.textAt(i)
	if end < 0 {
		return -1
	}
	if want, got := d.Expected.refusal(m, text); want != "" {
		return d.fail(&ValueError{Offset: i, Want: want, Got: got})
	}
	return i
}

// looksFor compares what the object at i says it is, whose type decodes itself.
func (d *Decoder) looksFor(i int) int {
	if i >= len(d.data) || d.data[i] != '{' {
		return i
	}
	at, done := d.first(i, '}')
	for !done && at >= 0 {
		var name []byte
		if name, at = d.keyAt(at); at < 0 {
			return -1
		}
		if m := typeMark(string(name)); m != unmarked {
			if at = d.expects(m, at); at < 0 {
				return -1
			}
		}
		if at = d.skip(at); at < 0 {
			return -1
		}
		at, done = d.more(at, '}')
	}
	if at < 0 {
		return -1
	}
	return i
}

// withTypeNames is a copy in which the kind and the apiVersion of the whole
// object can be told from other fields. A type without them gets ones that are
// passed over as any that it does not have.
func (f *fields) withTypeNames() *fields {
	list := slices.Clone(f.list)
	for _, name := range []string{"kind", "apiVersion"} {
		if f.named(name) == nil {
			list = append(list, field{name: name, node: &node{how: asUnknown}})
		}
	}
	all := newFields(list)
	for i := range all.list {
		all.list[i].mark = typeMark(all.list[i].name)
	}
	return all
}
