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
		{nil, 2, "thinformer-factory: -o FILE and IMPORTPATH are missing\nusage: thinformer-factory -o FILE IMPORTPATH"},
		{[]string{"-h"}, 0, "usage: "},
		{[]string{"-o", file}, 2, "thinformer-factory: IMPORTPATH is missing"},
		{[]string{"example.com/shop"}, 2, "thinformer-factory: -o FILE is missing"},
		{[]string{"example.com/shop", "-o", file}, 2, "thinformer-factory: there are 3 arguments after the flags"},
		{[]string{"-unknown"}, 2, "usage: "},
		{[]string{"-o", file, "..."}, 1, "thinformer-factory: load \"...\": give the import path of one package"},
		{[]string{"-o", file, "example.com/shop/none"}, 1, "thinformer-factory: load example.com/shop/none: no required module provides package"},
		{[]string{"-o", file, "fmt"}, 1, "fmt is not a factory that can be wrapped"},
	} {
		var stderr bytes.Buffer
		code := run(test.args, &stderr)
		if code != test.code || strings.Count(stderr.String(), test.want) != 1 || strings.Contains(stderr.String(), "-: ") {
			t.Errorf("%q exits with %d, and prints\n%s", test.args, code, &stderr)
		}
	}
	if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Error("a failure has created the folder")
	}
}
