package debug

import (
	"bytes"
	"encoding/json"
)

// indent indents compact JSON, unless the result would be mostly white space: a
// number takes two bytes, and its own line at a depth of some hundreds a thousand.
// Each line but the first begins with prefix.
func indent(compact []byte, prefix string) []byte {
	if indentation(compact) > 8*len(compact)+1<<10 {
		return compact
	}
	var out bytes.Buffer
	_ = json.Indent(&out, compact, prefix, "  ") // compact is valid JSON
	return out.Bytes()
}

// indentation returns the maximal number of bytes of white space that indent adds.
func indentation(compact []byte) (n int) {
	line := 1 // bytes of a new line at this depth
	for i := 0; i < len(compact); i++ {
		switch compact[i] {
		case '"':
			for i++; compact[i] != '"'; i++ {
				if compact[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			line += 2
			n += line
		case '}', ']':
			line -= 2
			n += line
		case ',':
			n += line
		case ':':
			n++
		}
	}
	return n
}
