package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/internal/jsonobj"
)

// maxInputDepth is the maximum depth of an object from Go.
const maxInputDepth = 1000

var errNotAnObject = errors.New("its JSON is not an object")

// Member is one field of a JSON object. The name is as written, without the
// quotes.
type Member struct{ Name, Value []byte }

// MembersOf splits an object in compact JSON, as encoding/json writes it. The
// members are sorted by name.
func MembersOf(text []byte) (all []Member, err error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, errNotAnObject
	}
	for rest := text[1:]; len(rest) > 0 && rest[0] != '}'; {
		name, err := jsonobj.Skip(rest, maxInputDepth)
		if err != nil {
			return nil, err
		}
		value := rest[name+1:]
		end, err := jsonobj.Skip(value, maxInputDepth)
		if err != nil {
			return nil, err
		}
		all = append(all, Member{rest[1 : name-1], value[:end]})
		rest = bytes.TrimPrefix(value[end:], []byte(","))
	}
	byName := func(a, b Member) int { return bytes.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(all, byName) {
		slices.SortFunc(all, byName)
	}
	return all, nil
}

// MemberValue returns the value of a member, nil if there is none.
func MemberValue(all []Member, name string) []byte {
	for _, m := range all {
		if string(m.Name) == name {
			return m.Value
		}
	}
	return nil
}

// appendCanonical appends a value with all its members sorted, as a map is
// encoded. An object given as a struct then has the same text as one given as a
// map. Without nulls, it omits members that are null.
func appendCanonical(out, text []byte, nulls bool) ([]byte, error) {
	switch text[0] {
	case '{':
		all, err := MembersOf(text)
		if err != nil {
			return out, err
		}
		out = append(out, '{')
		for _, m := range all {
			if !nulls && isNull(m.Value) {
				continue
			}
			if out[len(out)-1] != '{' {
				out = append(out, ',')
			}
			if out, err = appendMember(out, m, nulls); err != nil {
				return out, err
			}
		}
		return append(out, '}'), nil
	case '[':
		out = append(out, '[')
		for rest := text[1:]; len(rest) > 0 && rest[0] != ']'; {
			end, err := jsonobj.Skip(rest, maxInputDepth)
			if err != nil {
				return out, err
			}
			if out[len(out)-1] != '[' {
				out = append(out, ',')
			}
			if out, err = appendCanonical(out, rest[:end], nulls); err != nil {
				return out, err
			}
			rest = bytes.TrimPrefix(rest[end:], []byte(","))
		}
		return append(out, ']'), nil
	}
	return append(out, text...), nil
}

func appendMember(out []byte, m Member, nulls bool) ([]byte, error) {
	out = append(out, '"')
	out = append(out, m.Name...)
	out = append(out, '"', ':')
	return appendCanonical(out, m.Value, nulls)
}

func isNull(value []byte) bool { return string(value) == "null" }

// IsBlank reports whether metadata omit a value.
func IsBlank(value []byte) bool {
	switch string(value) {
	case "null", `""`, "{}", "[]", "0":
		return true
	}
	return false
}

// MemberString returns a member that is a string, "" for any other.
func MemberString(all []Member, name string) (text string) {
	value := MemberValue(all, name)
	if len(value) > 1 && value[0] == '"' && bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	if value == nil || json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}

// SetMember sets the value of a member, and keeps the members sorted.
func SetMember(all []Member, name string, value []byte) []Member {
	at, found := slices.BinarySearchFunc(all, name, func(m Member, name string) int {
		return strings.Compare(string(m.Name), name)
	})
	if found {
		all[at].Value = value
		return all
	}
	return slices.Insert(all, at, Member{[]byte(name), value})
}

// DraftOf returns the object with these members: the same text that encode
// produces. The metadata do not include the resourceVersion, and fields do not
// include apiVersion, kind and metadata. Both are sorted. Without nulls, members
// that are null are omitted.
func DraftOf(apiVersion, kind string, metadata, fields []Member, nulls bool) (d Draft, err error) {
	size := 100
	for _, m := range slices.Concat(metadata, fields) {
		size += len(m.Name) + len(m.Value) + 4
	}
	text := make([]byte, 0, size)
	text = append(text, `{"apiVersion":`...)
	text = strconv.AppendQuote(text, apiVersion)
	text = append(text, `,"kind":`...)
	text = strconv.AppendQuote(text, kind)
	text = append(text, `,"metadata":{"resourceVersion":"`...)
	split := len(text)
	text = append(text, '"')
	for _, m := range metadata {
		text = append(text, ',')
		if text, err = appendMember(text, m, nulls); err != nil {
			return d, err
		}
	}
	text = append(text, '}')
	for _, m := range fields {
		if !nulls && isNull(m.Value) {
			continue
		}
		text = append(text, ',')
		if text, err = appendMember(text, m, nulls); err != nil {
			return d, err
		}
	}
	text = append(text, '}')
	return Draft{Before: text[:split:split], After: text[split:]}, nil
}
