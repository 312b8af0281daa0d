package process

import (
	"bytes"
	"encoding/json"

	"github.com/thinformer/thinformer/learn/internal/judge"
)

// records is a writer for the output of the program. It separates the results of the
// checks from what the solution prints.
type records struct {
	ended func(Outcome)

	check  string // the present one, "" between two
	output output // since its beginning
	record []byte // the beginning of a record that is not complete
}

// Write reads records, which begin with judge.RecordMark and end with a line.
func (r *records) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		if len(r.record) == 0 {
			text := p
			if i := bytes.IndexByte(p, judge.RecordMark); i >= 0 {
				text, r.record = p[:i], []byte{judge.RecordMark}
				p = p[i+1:]
			} else {
				p = nil
			}
			r.output.add(text)
			continue
		}
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			r.record = append(r.record, p...)
			break
		}
		r.read(append(r.record, p[:i]...))
		r.record, p = nil, p[i+1:]
	}
	return written, nil
}

// read reads a record. Other text after the mark was printed by the solution.
func (r *records) read(record []byte) {
	var result judge.Result
	switch err := json.Unmarshal(record[1:], &result); {
	case err != nil || result.Check == "":
		r.output.add(append(record, '\n'))
	case result.Begun:
		r.check, r.output = result.Check, output{}
	default:
		r.end(result)
	}
}

// end passes the outcome of the present check on.
func (r *records) end(result judge.Result) {
	outcome := Outcome{result, r.output.text()}
	r.check, r.output = "", output{}
	r.ended(outcome)
}

// Parts of a long output that are kept.
const (
	firstBytes = 4 << 10
	lastBytes  = 32 << 10
)

// output keeps the beginning and the end of a text.
type output struct {
	first, last []byte
	omitted     bool
}

func (o *output) add(text []byte) {
	n := min(len(text), firstBytes-len(o.first))
	o.first = append(o.first, text[:n]...)
	o.last = append(o.last, text[n:]...)
	if excess := len(o.last) - lastBytes; excess > 0 {
		o.omitted = true
		o.last = append(o.last[:0], o.last[excess:]...)
	}
}

func (o *output) text() string {
	if o.omitted {
		return string(o.first) + "\n[...]\n" + string(o.last)
	}
	return string(o.first) + string(o.last)
}
