package quantity

import (
	"bytes"
	"fmt"
)

// Limits of the length of a quantity and of its exponent.
const (
	maxLen      = 100
	maxExponent = 100
)

// Check returns an error for a text that would be expensive to parse. The text may
// include quotes and surrounding white space. Check does not validate the quantity.
func Check(text []byte) error {
	if len(text) > maxLen {
		return fmt.Errorf("quantity of %d bytes exceeds the limit of %d", len(text), maxLen)
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
			return fmt.Errorf("quantity exponent exceeds the limit of %d", maxExponent)
		}
	}
	return nil
}
