package requestbody

import (
	"bytes"
	cryptorand "crypto/rand"
	"encoding/binary"
	"errors"
	"regexp"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v2"
)

// errAliases is the error for a body with aliases.
var errAliases = errors.New("yaml: the body has aliases (*name), which this server refuses, because they can make 1 MB of YAML 8 GB of JSON: replace each alias by the value of its anchor")

// RejectAliases fails if a YAML body has aliases, including merge keys. It
// reads the body without expanding them.
func RejectAliases(body []byte) error {
	body = inUTF8(body)
	if bytes.IndexByte(body, '*') < 0 || bytes.IndexByte(body, '&') < 0 {
		return nil
	}
	// The decoder cannot report aliases, but before expanding any it reports an
	// alias without an anchor. Renaming every possible alias to a name without an
	// anchor makes it fail. Within scalar values, the renaming does not change the
	// structure.
	name := cryptorand.Text()
	renamed := aliasStart.ReplaceAll(body, []byte("*"+name+"$1"))
	err := yaml.Unmarshal(renamed, new(struct{}))
	if err != nil && strings.Contains(err.Error(), "unknown anchor '"+name) {
		return errAliases
	}
	return nil
}

// aliasStart matches the indicator of an alias and the first letter of its
// name.
var aliasStart = regexp.MustCompile(`\*([0-9A-Za-z_-])`)

// inUTF8 converts a YAML body to UTF-8. YAML decoders take a body that begins
// with a byte order mark of UTF-16 as UTF-16.
func inUTF8(body []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	case bytes.HasPrefix(body, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	default:
		return body
	}
	units := make([]uint16, 0, len(body)/2)
	for rest := body[2:]; len(rest) >= 2; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}
	return []byte(string(utf16.Decode(units)))
}
