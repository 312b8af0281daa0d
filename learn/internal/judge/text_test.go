package judge

import (
	"errors"
	"strings"
	"testing"
)

func TestShort(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "``",
		"{\"a\":\"你\"}\r\n":         "`{\"a\":\"你\"}\\r\\n`",
		"\xe4\xbd":                  "`\\xe4\\xbd`",
		strings.Repeat("12345", 25): "`" + strings.Repeat("12345", 24) + "` and 5 more bytes",
	} {
		if got := Short(text); got != want {
			t.Errorf("Short(%q) is %s, want %s", text, got, want)
		}
	}
	if got := ShortError(nil) + ", " + ShortError(errors.New("cut")); got != "no error, the error `cut`" {
		t.Errorf("got %s", got)
	}
}
