package quantity

import (
	"bytes"
	"fmt"
)

// The longest text of a quantity, and the greatest exponent in one.
const (
	maxLen      = 100
	maxExponent = 100
)

// Check refuses a text that would be costly to parse. It may have quotes and
// white space around it. Whether it is a quantity at all is not asked.
func Check(text []byte) error {
	if len(text) > maxLen {
		return fmt.Errorf("a quantity of %d bytes: more than %d are not read", len(text), maxLen)
	}
	at := bytes.IndexAny(text, "eE")
	if at < 0 {
		return nil
	}
	exponent := 0
	for _, c := range text[at:] {
		if c < '0' || c > '9' {
			continue
		}
		if exponent = exponent*10 + int(c-'0'); exponent > maxExponent {
			return fmt.Errorf("a quantity with an exponent beyond %d: it is not computed", maxExponent)
		}
	}
	return nil
}
