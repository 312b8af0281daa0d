package apitest

import (
	"bytes"
	"errors"
	"slices"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// deepest is how deep an object that Go code hands in may be.
const deepest = 1000

var errNotAnObject = errors.New("its JSON is not an object")

// member is one field of an object in JSON. The name is as it is written,
// without the quotes.
type member struct{ name, value []byte }

// membersOf splits an object in compact JSON, as encoding/json writes it. They
// come in order of their names.
func membersOf(text []byte) (all []member, err error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, errNotAnObject
	}
	for rest := text[1:]; len(rest) > 0 && rest[0] != '}'; {
		name, err := jsonobj.Skip(rest, deepest)
		if err != nil {
			return nil, err
		}
		value := rest[name+1:]
		end, err := jsonobj.Skip(value, deepest)
		if err != nil {
			return nil, err
		}
		all = append(all, member{rest[1 : name-1], value[:end]})
		rest = bytes.TrimPrefix(value[end:], []byte(","))
	}
	byName := func(a, b member) int { return bytes.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(all, byName) {
		slices.SortFunc(all, byName)
	}
	return all, nil
}

// valueOf a member, nil if there is none.
func valueOf(all []member, name string) []byte {
	for _, m := range all {
		if string(m.name) == name {
			return m.value
		}
	}
	return nil
}

// appendCanonical appends a value with all its members in order, which is how a
// map is encoded: what was handed in as a struct is then the same text as what
// came as a map. Without nulls, members that are null are left out.
func appendCanonical(to, text []byte, nulls bool) ([]byte, error) {
	switch text[0] {
	case '{':
		all, err := membersOf(text)
		if err != nil {
			return to, err
		}
		to = append(to, '{')
		for _, m := range all {
			if !nulls && isNull(m.value) {
				continue
			}
			if to[len(to)-1] != '{' {
				to = append(to, ',')
			}
			if to, err = appendMember(to, m, nulls); err != nil {
				return to, err
			}
		}
		return append(to, '}'), nil
	case '[':
		to = append(to, '[')
		for rest := text[1:]; len(rest) > 0 && rest[0] != ']'; {
			end, err := jsonobj.Skip(rest, deepest)
			if err != nil {
				return to, err
			}
			if to[len(to)-1] != '[' {
				to = append(to, ',')
			}
			if to, err = appendCanonical(to, rest[:end], nulls); err != nil {
				return to, err
			}
			rest = bytes.TrimPrefix(rest[end:], []byte(","))
		}
		return append(to, ']'), nil
	}
	return append(to, text...), nil
}

func appendMember(to []byte, m member, nulls bool) ([]byte, error) {
	to = append(to, '"')
	to = append(to, m.name...)
	to = append(to, '"', ':')
	return appendCanonical(to, m.value, nulls)
}

func isNull(value []byte) bool { return string(value) == "null" }

// isBlank tells of a value that metadata does not hold.
func isBlank(value []byte) bool {
	switch string(value) {
	case "null", `""`, "{}", "[]", "0":
		return true
	}
	return false
}
