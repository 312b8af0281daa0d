package course

import (
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	lines := func(text string) []string { return strings.Split(text, "") }
	for _, c := range []struct{ old, new, want string }{
		{"abc", "abc", ""},
		{"abc", "axc", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"", "a", "@@ -1,1 +1,1 @@\n-\n+a\n"},
		{"abcdefghijklmnop", "xbcdefghijklmnoy", "@@ -1,4 +1,4 @@\n-a\n+x\n b\n c\n d\n@@ -13,4 +13,4 @@\n m\n n\n o\n-p\n+y\n"},
		{"abcdefg", "xbcdefy", "@@ -1,7 +1,7 @@\n-a\n+x\n b\n c\n d\n e\n f\n-g\n+y\n"},
		{"abc", "abcd", "@@ -1,3 +1,4 @@\n a\n b\n c\n+d\n"},
	} {
		old := lines(c.old)
		if c.old == "" {
			old = []string{""}
		}
		if got := unified(old, lines(c.new)); got != c.want {
			t.Errorf("unified(%q, %q) is\n%s\nwant\n%s", c.old, c.new, got, c.want)
		}
	}
}
