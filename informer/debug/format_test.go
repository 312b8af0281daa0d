package debug

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A browser gets HTML, a program that accepts JSON gets JSON, curl gets text.
func TestAcceptHeader(t *testing.T) {
	for accept, want := range map[string]format{
		"":    asText,
		"*/*": asText,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": asHTML,
		"application/json":                       asJSON,
		"application/json, text/plain, */*":      asJSON,
		"application/*":                          asJSON,
		"Application/JSON; charset=utf-8":        asJSON,
		"text/plain;q=0.5, application/json":     asJSON,
		"application/json;q=0.1, text/html;q=.2": asHTML,
		"application/json;q=0":                   asText,
		"application/json;q=x":                   asText,
		"application/json;q=NaN":                 asText,
		"image/png":                              asText,
		";;,,/":                                  asText,
	} {
		require.Equal(t, want, negotiate(accept), accept)
	}
}
