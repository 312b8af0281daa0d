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
func (i *inspector) value(of fieldType) error {
	if of.Type == nil || of.opaque() {
		var text json.RawMessage
		if err := i.tokens.Decode(&text); err != nil || of.Type == nil {
			return err
		}
		return i.withPath(of.encoding.check(text))
	}
	token, err := i.tokens.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return i.object(of)
		}
		return i.list(of)
	case bool:
		i.expect(of, "bool", of.kind == boolean)
	case string:
		i.expect(of, "string", of.kind == text)
		if of.isBytes() {
			if err := checkBase64(token); err != nil {
				i.saveMismatch(err)
			}
		}
	case json.Number:
		if of.kind != number {
			i.expect(of, "number", false)
		} else {
			i.expect(of, "number "+token.String(), numberFits(of.name, token.String()))
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

func (i *inspector) object(of fieldType) error {
	if of.kind != object {
		i.expect(of, "object", false)
		of = fieldType{}
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
		if of.Type != nil {
			member = i.enter(of, name, seenHere)
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
func (i *inspector) enter(of fieldType, name string, seenHere map[string]bool) fieldType {
	member := of.memberType(name)
	switch {
	case member.Type == nil:
		i.addFinding("unknown field ", name)
		return member
	case seenHere[name]:
		i.addFinding("duplicate field ", name)
	}
	seenHere[name] = true
	if field := of.fields[name]; field != nil {
		i.owner = of.structName()
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

func (i *inspector) list(of fieldType) error {
	var part fieldType
	if of.kind == list || of.isBytes() {
		part = of.elementType()
	} else {
		i.expect(of, "array", false)
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
func (i *inspector) expect(of fieldType, got string, fits bool) {
	if !fits {
		i.saveMismatch(fmt.Errorf("json: cannot unmarshal %s into Go struct field %s.%s of type %s", got, i.owner, strings.Join(i.names, "."), of.goType()))
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
