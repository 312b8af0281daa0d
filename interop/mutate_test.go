package interop_test

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// member is one key of an object, with its value: an object is []member, an
// array []any, so that the document includes the order of keys.
type member struct {
	key   string
	value any
}

// mutate returns an equivalent document in another notation, with a few values changed.
func mutate(t *testing.T, data []byte, random *rand.Rand) []byte {
	t.Helper()
	decoder := stdjson.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	document, err := parse(decoder)
	require.NoError(t, err)
	m := mutator{random, 1 + random.IntN(4)*30}
	return m.write(nil, m.change(document))
}

func parse(decoder *stdjson.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case stdjson.Delim('{'):
		object := []member{}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := parse(decoder)
			if err != nil {
				return nil, err
			}
			object = append(object, member{key.(string), value})
		}
		_, err = decoder.Token()
		return object, err
	case stdjson.Delim('['):
		array := []any{}
		for decoder.More() {
			value, err := parse(decoder)
			if err != nil {
				return nil, err
			}
			array = append(array, value)
		}
		_, err = decoder.Token()
		return array, err
	}
	return token, nil
}

// mutator changes a random part of the values.
type mutator struct {
	random *rand.Rand
	one    int
}

func (m mutator) sometimes() bool { return m.random.IntN(m.one+40) == 0 }

func (m mutator) change(value any) any {
	if m.sometimes() {
		return m.replacement(value)
	}
	switch value := value.(type) {
	case []member:
		var changed []member
		for _, old := range value {
			changed = append(changed, member{old.key, m.change(old.value)})
		}
		if m.random.IntN(3) == 0 {
			m.random.Shuffle(len(changed), func(i, j int) { changed[i], changed[j] = changed[j], changed[i] })
		}
		if m.sometimes() {
			changed = append(changed, member{fmt.Sprintf("unknown%d", m.random.IntN(1000)), m.replacement(value)})
		}
		if m.sometimes() && len(changed) > 0 { // a key in another case is another field
			if one := &changed[m.random.IntN(len(changed))]; one.key != "kind" && one.key != "apiVersion" {
				one.key = strings.ToUpper(one.key[:min(1, len(one.key))]) + one.key[min(1, len(one.key)):]
			}
		}
		return unique(changed)
	case []any:
		var changed []any
		for _, old := range value {
			changed = append(changed, m.change(old))
		}
		return changed
	default:
		return value
	}
}

// unique removes keys that are duplicates because of a changed case.
func unique(object []member) []member {
	seen := map[string]bool{}
	var kept []member
	for _, m := range object {
		if !seen[m.key] {
			kept = append(kept, m)
		}
		seen[m.key] = true
	}
	return kept
}

// replacement returns another value of the same type, a null, or occasionally a value of
// another type, which both sides must reject alike.
func (m mutator) replacement(value any) any {
	strange := []string{"", "é", "🛒", "\u2028", "\x00", "\x7f", `"\/`, "0", "1", "-1.5", "true", "null", "25%", "100m", "1Gi", "0.1", "1e3", "2026-03-01T08:30:00Z", "2026-03-01T10:30:00.5+02:00", "AAEC", "AAE", "not base64!", strings.Repeat("long ", 40)}
	numbers := []stdjson.Number{"0", "-0", "1", "-1", "0.0", "1.0", "0.5", "1e2", "1E+2", "1e-7", "127", "128", "255", "256", "32768", "65536", "2147483647", "2147483648", "-2147483649", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e400", "-1e-400", "123456789012345678901234567890"}
	if m.random.IntN(4) == 0 {
		return nil
	}
	same := m.random.IntN(3) > 0
	switch value := value.(type) {
	case string:
		if same {
			return strange[m.random.IntN(len(strange))]
		}
	case stdjson.Number:
		if same {
			return numbers[m.random.IntN(len(numbers))]
		}
	case bool:
		if same {
			return !value
		}
	case []any:
		if same {
			return append(append([]any{}, value...), value...)
		}
	case []member:
		if same {
			return []member{}
		}
	}
	others := []any{true, false, "text", stdjson.Number("7"), []any{}, []member{}, []any{nil, []member{{"a", nil}}}, []member{{"", []any{[]any{}}}}}
	return others[m.random.IntN(len(others))]
}

func (m mutator) write(to []byte, value any) []byte {
	to = m.space(to)
	switch value := value.(type) {
	case nil:
		to = append(to, "null"...)
	case bool:
		to = strconv.AppendBool(to, value)
	case stdjson.Number:
		to = append(to, value...)
	case string:
		to = m.quote(to, value)
	case []any:
		to = append(to, '[')
		for i, item := range value {
			if i > 0 {
				to = append(to, ',')
			}
			to = m.write(to, item)
		}
		to = append(to, ']')
	case []member:
		to = append(to, '{')
		for i, member := range value {
			if i > 0 {
				to = append(to, ',')
			}
			to = m.space(m.quote(m.space(to), member.key))
			to = m.write(append(to, ':'), member.value)
		}
		to = append(to, '}')
	}
	return m.space(to)
}

func (m mutator) space(to []byte) []byte {
	for m.random.IntN(20) == 0 {
		to = append(to, " \t\r\n"[m.random.IntN(4)])
	}
	return to
}

// quote writes a string with more escapes than necessary.
func (m mutator) quote(to []byte, text string) []byte {
	to = append(to, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\' || r < ' ' || m.random.IntN(200) == 0:
			for _, unit := range utf16.Encode([]rune{r}) {
				to = fmt.Appendf(to, `\u%04x`, unit)
			}
		case r == '/' && m.random.IntN(4) == 0:
			to = append(to, `\/`...)
		default:
			to = append(to, string(r)...)
		}
	}
	if m.random.IntN(400) == 0 { // half of a surrogate pair, and an invalid byte
		to = append(to, `\ud83d`...)
	}
	if m.random.IntN(400) == 0 {
		to = append(to, 0xff)
	}
	return append(to, '"')
}
