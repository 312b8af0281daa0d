package debug

import (
	"bytes"
	"encoding/json"
)

// indent lays out JSON that has no white space for people, unless there would be
// little but white space then: a number takes two bytes, and a line of its own
// some hundred levels down a thousand.
func indent(compact []byte) []byte {
	if indentation(compact) > 8*len(compact)+1<<10 {
		return compact
	}
	var out bytes.Buffer
	_ = json.Indent(&out, compact, "", "  ") // it comes from an encoder
	return out.Bytes()
}

// indentation is how many bytes of line breaks and spaces indent adds at most.
func indentation(compact []byte) (n int) {
	line := 1 // what a new line costs
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
