package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The documented exit codes, and what is printed with them.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "informers", "factory.go")
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "usage: thinformer-factory -o FILE IMPORTPATH"},
		{[]string{"-o", file}, 2, "usage: "},
		{[]string{"example.com/shop"}, 2, "usage: "},
		{[]string{"-unknown"}, 2, "usage: "},
		{[]string{"-o", file, "..."}, 1, "thinformer-factory: load \"...\": give the import path of one package"},
		{[]string{"-o", file, "example.com/shop/none"}, 1, "thinformer-factory: load example.com/shop/none"},
	} {
		var stderr bytes.Buffer
		if code := run(test.args, &stderr); code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%q exits with %d, and prints\n%s", test.args, code, &stderr)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a failure has written the file")
	}
}
