package process

import (
	"bytes"
	"encoding/json"

	"github.com/thinformer/thinformer/learn/internal/record"
)

// records is a writer for the output of the program. It separates the results of the
// checks from what the solution prints.
type records struct {
	ended func(Outcome)

	check   string // the present one, "" between two
	output  output // since its beginning
	partial []byte // the beginning of a record that is not complete
}

// longestRecord limits a record that does not end: the solution has printed the mark.
const longestRecord = 4 << 20

// Write reads records, which begin with record.Mark and end with a line.
func (r *records) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		if len(r.partial) == 0 {
			text := p
			if i := bytes.IndexByte(p, record.Mark); i >= 0 {
				text, r.partial = p[:i], []byte{record.Mark}
			}
			r.output.add(text)
			p = p[min(len(text)+1, len(p)):]
			continue
		}
		// A record of package judge does not contain the mark: JSON escapes it.
		i := bytes.IndexAny(p, "\n"+string(record.Mark))
		switch {
		case i < 0:
			r.partial = append(r.partial, p...)
			if len(r.partial) > longestRecord {
				r.flush()
			}
			return written, nil
		case p[i] == record.Mark:
			r.partial = append(r.partial, p[:i]...)
			r.flush()
			p = p[i:]
		default:
			r.read(append(r.partial, p[:i]...))
			r.partial, p = nil, p[i+1:]
		}
	}
	return written, nil
}

// flush makes the beginning of a record a part of the output.
func (r *records) flush() {
	r.output.add(r.partial)
	r.partial = nil
}

// read reads a record. Other text after the mark was printed by the solution, and so was a
// record that does not follow the one before it.
func (r *records) read(line []byte) {
	var result record.Result
	err := json.Unmarshal(line[1:], &result)
	switch {
	case err == nil && result.Check != "" && result.Begun && r.check == "":
		r.check, r.output = result.Check, output{}
	case err == nil && result.Check != "" && !result.Begun && r.check == result.Check:
		r.end(result)
	default:
		r.output.add(append(line, '\n'))
	}
}

// end passes the outcome of the present check on.
func (r *records) end(result record.Result) {
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
