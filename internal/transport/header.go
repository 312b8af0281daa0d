package transport

import "strings"

// FitsHeader reports whether a value is valid in a header: no control characters
// except tab, no space at its ends.
func FitsHeader(value string) bool {
	for i := range len(value) {
		if b := value[i]; b < ' ' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return value == strings.Trim(value, " \t")
}

// isTokenByte reports whether a header name may contain b (RFC 9110, token).
func isTokenByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
		strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
}
