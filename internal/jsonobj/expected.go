package jsonobj

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/thinformer/thinformer/internal/brief"
)

// Expected restricts the kind and apiVersion of a whole object, if it has them. An
// object with another kind or group does not fit, whatever its fields are. The version
// within a group is not compared.
type Expected struct{ Kinds, Groups []string }

// Refuse returns an error if an object in another encoding has an unexpected
// apiVersion or kind.
func (e *Expected) Refuse(apiVersion, kind []byte) error {
	want, got := e.mismatch(kindMark, kind)
	if want == "" {
		want, got = e.mismatch(apiVersionMark, apiVersion)
	}
	if want == "" {
		return nil
	}
	return fmt.Errorf("%s does not fit %s", got, want)
}

// mismatch describes the expected and the actual value of a kind or an apiVersion;
// both are "" if the value is expected.
func (e *Expected) mismatch(m fieldMark, text []byte) (want, got string) {
	if len(text) == 0 {
		return "", ""
	}
	what, allowed, option := "kind", e.Kinds, "ResourceInfo.Kind"
	if m == apiVersionMark {
		what, allowed, option = "group", e.Groups, "ResourceInfo.Group"
		slash := bytes.IndexByte(text, '/')
		text = text[:max(slash, 0)] // a version alone is in the core group
	}
	for _, name := range allowed {
		if string(text) == name {
			return "", ""
		}
	}
	return describeType(what, allowed[0]) + " (" + option + ")", "an object of " + describeType(what, brief.Text(string(text), maxQuotedLen))
}

func describeType(what, name string) string {
	if name == "" {
		return "the core group" // an empty kind is not checked
	}
	return fmt.Sprintf("the %s %q", what, name)
}

// fieldMark marks fields that the decoder treats specially.
type fieldMark uint8

const (
	noMark            fieldMark = iota
	managedFieldsMark           // metadata.managedFields of the whole object
	kindMark                    // kind of the whole object
	apiVersionMark              // apiVersion of the whole object
)

// typeMark returns the mark of kind and apiVersion.
func typeMark(name string) fieldMark {
	switch name {
	case "kind":
		return kindMark
	case "apiVersion":
		return apiVersionMark
	}
	return noMark
}

// checkTypeName compares the kind or apiVersion at i with the expected ones. A value
// that is not a string is not compared. It returns i.
func (d *Decoder) checkTypeName(m fieldMark, i int) int {
	if i >= len(d.data) {
		return d.failShort()
	}
	if d.data[i] != '"' {
		return i
	}
	text, end := d.textAt(i)
	if end < 0 {
		return -1
	}
	if want, got := d.Expected.mismatch(m, text); want != "" {
		return d.fail(&ValueError{Offset: i, Want: want, Got: got})
	}
	return i
}

// checkTypeNames compares the kind and apiVersion of the object at i, whose type
// decodes itself, with the expected ones.
func (d *Decoder) checkTypeNames(i int) int {
	if i >= len(d.data) || d.data[i] != '{' {
		return i
	}
	at, done := d.openContainer(i, '}')
	for !done && at >= 0 {
		var name []byte
		if name, at = d.keyAt(at); at < 0 {
			return -1
		}
		if m := typeMark(string(name)); m != noMark {
			if at = d.checkTypeName(m, at); at < 0 {
				return -1
			}
		}
		if at = d.skip(at); at < 0 {
			return -1
		}
		at, done = d.nextElement(at, '}')
	}
	if at < 0 {
		return -1
	}
	return i
}

// withTypeNames returns a copy in which the kind and the apiVersion of the whole
// object are marked. If the type lacks these fields, they are added as fields that are
// skipped like any unknown field.
func (f *fields) withTypeNames() *fields {
	list := slices.Clone(f.list)
	for _, name := range []string{"kind", "apiVersion"} {
		if f.named(name) == nil {
			list = append(list, field{name: name, node: &node{mode: asUnknown}})
		}
	}
	all := newFields(list)
	for i := range all.list {
		all.list[i].mark = typeMark(all.list[i].name)
	}
	return all
}
