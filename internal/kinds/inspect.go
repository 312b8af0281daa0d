package kinds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxFindings is how many the real server tells of.
const maxFindings = 100

// Inspect reads the JSON of an object as the Go type of its built-in kind does,
// and says so in the real server's words: which fields come twice or are not
// known, in their order, and what is wrong with the first value that is not of
// the type of its field. The text is valid JSON.
func (t *Type) Inspect(text []byte) (findings []error, err error) {
	i := inspector{tokens: json.NewDecoder(bytes.NewReader(text)), seen: map[string]bool{}}
	i.tokens.UseNumber()
	if err := i.value(slot{Type: t}); err != nil {
		return nil, err
	}
	return i.findings, i.misfit
}

// inspector is one walk through a text.
type inspector struct {
	tokens   *json.Decoder
	findings []error
	seen     map[string]bool
	// misfit is the first value of another type. Reading goes on after it.
	misfit error
	// path of the value, as findings have it.
	path []string
	// owner is the Go struct that the value is in, names are the fields from
	// the root.
	owner string
	names []string
}

// value reads the next value. It fails where the real server stops, too.
func (i *inspector) value(of slot) error {
	if of.Type == nil || of.closed() {
		var text json.RawMessage
		if err := i.tokens.Decode(&text); err != nil || of.Type == nil {
			return err
		}
		return i.placed(of.form.check(text))
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
		i.expect(of, "bool", of.sort == boolean)
	case string:
		i.expect(of, "string", of.sort == text)
		if of.isBytes() {
			if err := checkBase64(token); err != nil {
				i.save(err)
			}
		}
	case json.Number:
		if of.sort != number {
			i.expect(of, "number", false)
		} else {
			i.expect(of, "number "+token.String(), isOf(of.name, token.String()))
		}
	}
	return nil
}

// isOf tells whether a number is of a Go type.
func isOf(name, number string) bool {
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

func (i *inspector) object(of slot) error {
	if of.sort != object {
		i.expect(of, "object", false)
		of = slot{}
	}
	owner, names, path := i.owner, len(i.names), len(i.path)
	came := map[string]bool{}
	for i.tokens.More() {
		token, err := i.tokens.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		var member slot
		if of.Type != nil {
			member = i.enter(of, name, came)
		}
		if err := i.value(member); err != nil {
			return err
		}
		i.owner, i.names, i.path = owner, i.names[:names], i.path[:path]
	}
	_, err := i.tokens.Token()
	return err
}

// enter goes to a member of an object, and tells of it if it has come before or
// is not known.
func (i *inspector) enter(of slot, name string, came map[string]bool) slot {
	member := of.member(name)
	switch {
	case member.Type == nil:
		i.find("unknown field ", name)
		return member
	case came[name]:
		i.find("duplicate field ", name)
	}
	came[name] = true
	if field := of.fields[name]; field != nil {
		i.owner = of.structName()
		i.names = append(append(i.names, field.parts...), name)
	}
	if len(i.path) > 0 {
		i.path = append(i.path, ".")
	}
	i.path = append(i.path, name)
	return member
}

// find tells of a member of the object at the path, once.
func (i *inspector) find(what, name string) {
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

func (i *inspector) list(of slot) error {
	var part slot
	if of.sort == list || of.isBytes() {
		part = of.part()
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

// expect notes a value that is not of its type.
func (i *inspector) expect(of slot, got string, fits bool) {
	if !fits {
		i.save(fmt.Errorf("json: cannot unmarshal %s into Go struct field %s.%s of type %s", got, i.owner, strings.Join(i.names, "."), of.goType()))
	}
}

// placed says where a value is that its own type has refused.
func (i *inspector) placed(err error) error {
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		other.Struct, other.Field = i.owner, strings.Join(i.names, ".")
	}
	return err
}

func (i *inspector) save(err error) {
	if i.misfit == nil {
		i.misfit = err
	}
}
