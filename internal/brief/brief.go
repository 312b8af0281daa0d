package brief

import "unicode/utf8"

// Mark is the end of a truncated text.
const Mark = "..."

// Text returns s if it has at most n bytes. It truncates a longer s to at most n
// bytes, at a rune boundary, and appends [Mark].
func Text(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	// The concatenation copies, so that the result does not retain s.
	return s[:n] + Mark
}
