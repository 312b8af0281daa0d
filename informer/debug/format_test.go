package debug

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A browser gets HTML, a program that accepts JSON gets JSON, curl gets text.
func TestAcceptHeader(t *testing.T) {
	for accept, want := range map[string]format{
		"":    formatText,
		"*/*": formatText,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": formatHTML,
		"application/json":                       formatJSON,
		"application/json, text/plain, */*":      formatJSON,
		"application/*":                          formatJSON,
		"Application/JSON; charset=utf-8":        formatJSON,
		"text/plain;q=0.5, application/json":     formatJSON,
		"application/json;q=0.1, text/html;q=.2": formatHTML,
		"application/json;q=0":                   formatText,
		"application/json;q=x":                   formatText,
		"application/json;q=NaN":                 formatText,
		"image/png":                              formatText,
		";;,,/":                                  formatText,
	} {
		require.Equal(t, want, negotiate(accept), accept)
	}
}
