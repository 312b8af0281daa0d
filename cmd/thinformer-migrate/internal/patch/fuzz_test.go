package patch

import (
	"bytes"
	"fmt"
	"testing"
)

// A patch makes the second text of the first one, whatever their bytes are.
func FuzzWrite(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nd"))
	f.Add([]byte("a\r\nb\r\n"), []byte("a\r\nb"))
	f.Add([]byte(nil), []byte("a\n\\ No newline at end of file\n"))
	f.Add([]byte("--- a\n+++ b\n@@ -1 +1 @@\n"), []byte("@@ -1 +1 @@\n"))
	f.Add([]byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"), []byte("x\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ny\n"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		var out bytes.Buffer
		if err := Write(&out, "file.go", before, after); err != nil {
			t.Fatal(err)
		}
		applied, err := apply(before, out.Bytes())
		if err != nil {
			t.Fatalf("%v in the patch\n%s", err, out.String())
		}
		if !bytes.Equal(applied, after) {
			t.Fatalf("%q becomes %q and not %q by\n%s", before, applied, after, out.String())
		}
	})
}

// apply is a strict reader of the unified format: each line that a hunk keeps or removes
// must be in the text, and the counts of a hunk must be those of its lines.
func apply(text, patch []byte) ([]byte, error) {
	old := lines(text)
	all := lines(patch)
	if len(all) == 0 {
		return text, nil
	}
	all = all[2:]
	var result bytes.Buffer
	at := 0
	for len(all) > 0 {
		var fromA, countA, fromB, countB int
		if _, err := fmt.Sscanf(all[0], "@@ -%d,%d +%d,%d @@\n", &fromA, &countA, &fromB, &countB); err != nil {
			return nil, fmt.Errorf("%q: %w", all[0], err)
		}
		if countA > 0 {
			fromA--
		}
		if countB > 0 {
			fromB--
		}
		for ; at < fromA; at++ {
			result.WriteString(old[at])
		}
		if written := len(lines(result.Bytes())); written != fromB {
			return nil, fmt.Errorf("%q begins after %d lines", all[0], written)
		}
		for all = all[1:]; countA > 0 || countB > 0; {
			kind, content := all[0][0], all[0][1:]
			all = all[1:]
			if len(all) > 0 && all[0] == "\\ No newline at end of file\n" {
				content, all = content[:len(content)-1], all[1:]
			}
			if kind != '+' {
				if old[at] != content {
					return nil, fmt.Errorf("line %d is %q and not %q", at+1, old[at], content)
				}
				at, countA = at+1, countA-1
			}
			if kind != '-' {
				result.WriteString(content)
				countB--
			}
		}
	}
	for ; at < len(old); at++ {
		result.WriteString(old[at])
	}
	return result.Bytes(), nil
}
