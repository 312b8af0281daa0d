package patch

import (
	"bytes"
	"fmt"
	"io"
)

const context = 3

// Write writes the difference of a file. A nil before is a new file. Equal texts have no
// difference.
func Write(w io.Writer, name string, before, after []byte) error {
	a, b := lines(before), lines(after)
	hunks := group(compare(a, b))
	if len(hunks) == 0 {
		return nil
	}
	var out bytes.Buffer
	old := "a/" + name
	if before == nil {
		old = "/dev/null"
	}
	fmt.Fprintf(&out, "--- %s\n+++ b/%s\n", old, name)
	for _, hunk := range hunks {
		hunk.write(&out)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write the difference of %s: %w", name, err)
	}
	return nil
}

// lines splits a text after each newline.
func lines(text []byte) []string {
	var all []string
	for line := range bytes.Lines(text) {
		all = append(all, string(line))
	}
	return all
}

// A line is a line of the difference: its kind is ' ', '-' or '+'.
type line struct {
	kind byte
	text string
	a, b int // lines of both texts before it
}

// compare returns all lines of both texts in the order of a shortest edit script, by
// Myers's algorithm.
func compare(a, b []string) []line {
	var all []line
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	for i := range start {
		all = append(all, line{' ', a[i], i, i})
	}
	all = append(all, script(a[start:endA], b[start:endB], start)...)
	for i := range len(a) - endA {
		all = append(all, line{' ', a[endA+i], endA + i, endB + i})
	}
	return all
}

// script returns the lines of two texts that are equal up to an offset.
func script(a, b []string, offset int) []line {
	if len(a) == 0 || len(b) == 0 {
		return only(a, b, offset)
	}
	most := len(a) + len(b)
	furthest := make([]int, 2*most+2)
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int(nil), furthest...))
		for k := -d; k <= d; k += 2 {
			at := most + k
			var x int
			if k == -d || k != d && furthest[at-1] < furthest[at+1] {
				x = furthest[at+1]
			} else {
				x = furthest[at-1] + 1
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			furthest[at] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(a, b, offset, trace, most)
			}
		}
	}
	return nil // not reached: the script of most lines ends at the end of both texts
}

// only returns the script of two texts if one of them is empty. The search of a shortest
// script needs memory for the square of the number of lines, and a new file can have many.
func only(a, b []string, offset int) []line {
	var all []line
	for x, text := range a {
		all = append(all, line{'-', text, offset + x, offset})
	}
	for y, text := range b {
		all = append(all, line{'+', text, offset, offset + y})
	}
	return all
}

func backtrack(a, b []string, offset int, trace [][]int, most int) []line {
	var reversed []line
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		furthest := trace[d]
		k := x - y
		at := most + k
		previous := k - 1
		if k == -d || k != d && furthest[at-1] < furthest[at+1] {
			previous = k + 1
		}
		fromX := furthest[most+previous]
		fromY := fromX - previous
		if d == 0 {
			fromX, fromY = 0, 0
		}
		for x > fromX && y > fromY && a[x-1] == b[y-1] {
			x, y = x-1, y-1
			reversed = append(reversed, line{' ', a[x], offset + x, offset + y})
		}
		switch {
		case d == 0:
		case x == fromX:
			y--
			reversed = append(reversed, line{'+', b[y], offset + x, offset + y})
		default:
			x--
			reversed = append(reversed, line{'-', a[x], offset + x, offset + y})
		}
	}
	all := make([]line, 0, len(reversed))
	for i := len(reversed) - 1; i >= 0; i-- {
		all = append(all, reversed[i])
	}
	return all
}

// A hunk is a range of lines with changes and the lines around them.
type hunk []line

func group(all []line) []hunk {
	var hunks []hunk
	last := -1 // the last line of the present hunk
	for i, l := range all {
		if l.kind == ' ' {
			continue
		}
		from := max(i-context, last+1)
		if last < 0 || from > last+1 {
			hunks = append(hunks, nil)
		}
		end := min(i+context, len(all)-1)
		h := &hunks[len(hunks)-1]
		*h = append(*h, all[max(from, last+1):end+1]...)
		last = end
	}
	return hunks
}

func (h hunk) write(out *bytes.Buffer) {
	countA, countB := 0, 0
	for _, l := range h {
		if l.kind != '+' {
			countA++
		}
		if l.kind != '-' {
			countB++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(h[0].a, countA), span(h[0].b, countB))
	for _, l := range h {
		out.WriteByte(l.kind)
		out.WriteString(l.text)
		if len(l.text) == 0 || l.text[len(l.text)-1] != '\n' {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func span(before, count int) string {
	if count == 0 {
		return fmt.Sprintf("%d,0", before)
	}
	return fmt.Sprintf("%d,%d", before+1, count)
}
