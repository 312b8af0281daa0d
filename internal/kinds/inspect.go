package kinds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxFindings is the number of findings that the real server reports.
const maxFindings = 100

// Inspect reads the JSON of an object as the Go type of its built-in kind does.
// It returns the duplicate and unknown fields, in their order in the text, and the
// error of the first value that has another type than its field, both in the words
// of the real server. The text must be valid JSON.
func (t *Type) Inspect(text []byte) (findings []error, err error) {
	i := inspector{tokens: json.NewDecoder(bytes.NewReader(text)), seen: map[string]bool{}}
	i.tokens.UseNumber()
	if err := i.value(fieldType{Type: t}); err != nil {
		return nil, err
	}
	return i.findings, i.mismatch
}

// inspector is the state of one walk over a text.
type inspector struct {
	tokens   *json.Decoder
	findings []error
	seen     map[string]bool
	// mismatch is the error of the first value of a wrong type. Reading continues
	// after it.
	mismatch error
	// path of the value, in the notation of findings.
	path []string
	// owner is the Go struct that contains the value; names are the fields from
	// the root.
	owner string
	names []string
}

// value reads the next value. It fails where the real server stops reading, too.
func (i *inspector) value(typ fieldType) error {
	if typ.Type == nil || typ.opaque() {
		var text json.RawMessage
		if err := i.tokens.Decode(&text); err != nil || typ.Type == nil {
			return err
		}
		return i.withPath(typ.encoding.check(text))
	}
	token, err := i.tokens.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return i.object(typ)
		}
		return i.list(typ)
	case bool:
		i.expect(typ, "bool", typ.kind == boolean)
	case string:
		i.expect(typ, "string", typ.kind == text)
		if typ.isBytes() {
			if err := checkBase64(token); err != nil {
				i.saveMismatch(err)
			}
		}
	case json.Number:
		if typ.kind != number {
			i.expect(typ, "number", false)
		} else {
			i.expect(typ, "number "+token.String(), numberFits(typ.name, token.String()))
		}
	}
	return nil
}

// numberFits reports whether a number can be stored in a Go type.
func numberFits(name, number string) bool {
	var err error
	switch name {
	case "int32":
		_, err = strconv.ParseInt(number, 10, 32)
	case "int64":
		_, err = strconv.ParseInt(number, 10, 64)
	case "uint8":
		_, err = strconv.ParseUint(number, 10, 8)
	default:
		_, err = strconv.ParseFloat(number, 64)
	}
	return err == nil
}

func (i *inspector) object(typ fieldType) error {
	if typ.kind != object {
		i.expect(typ, "object", false)
		typ = fieldType{}
	}
	owner, names, path := i.owner, len(i.names), len(i.path)
	seenHere := map[string]bool{}
	for i.tokens.More() {
		token, err := i.tokens.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		var member fieldType
		if typ.Type != nil {
			member = i.enter(typ, name, seenHere)
		}
		if err := i.value(member); err != nil {
			return err
		}
		i.owner, i.names, i.path = owner, i.names[:names], i.path[:path]
	}
	_, err := i.tokens.Token()
	return err
}

// enter moves to a member of an object. It adds a finding if the member is a
// duplicate or unknown.
func (i *inspector) enter(typ fieldType, name string, seenHere map[string]bool) fieldType {
	member := typ.memberType(name)
	switch {
	case member.Type == nil:
		i.addFinding("unknown field ", name)
		return member
	case seenHere[name]:
		i.addFinding("duplicate field ", name)
	}
	seenHere[name] = true
	if field := typ.fields[name]; field != nil {
		i.owner = typ.structName()
		i.names = append(append(i.names, field.inlinedStructs...), name)
	}
	if len(i.path) > 0 {
		i.path = append(i.path, ".")
	}
	i.path = append(i.path, name)
	return member
}

// addFinding adds a finding about a member of the object at the path, once.
func (i *inspector) addFinding(what, name string) {
	path := name
	if len(i.path) > 0 {
		path = strings.Join(i.path, "") + "." + name
	}
	found := what + strconv.Quote(path)
	if len(i.findings) < maxFindings && !i.seen[found] {
		i.seen[found] = true
		i.findings = append(i.findings, errors.New(found))
	}
}

func (i *inspector) list(typ fieldType) error {
	var part fieldType
	if typ.kind == list || typ.isBytes() {
		part = typ.elementType()
	} else {
		i.expect(typ, "array", false)
	}
	path := len(i.path)
	for n := 0; i.tokens.More(); n++ {
		i.path = append(i.path, "[", strconv.Itoa(n), "]")
		if err := i.value(part); err != nil {
			return err
		}
		i.path = i.path[:path]
	}
	_, err := i.tokens.Token()
	return err
}

// expect saves a mismatch unless the value fits.
func (i *inspector) expect(typ fieldType, got string, fits bool) {
	if !fits {
		i.saveMismatch(fmt.Errorf("json: cannot unmarshal %s into Go struct field %s.%s of type %s", got, i.owner, strings.Join(i.names, "."), typ.goType()))
	}
}

// withPath adds the path of the value to the error of its own type.
func (i *inspector) withPath(err error) error {
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		other.Struct, other.Field = i.owner, strings.Join(i.names, ".")
	}
	return err
}

func (i *inspector) saveMismatch(err error) {
	if i.mismatch == nil {
		i.mismatch = err
	}
}
