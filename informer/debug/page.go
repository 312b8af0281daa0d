package debug

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A page is the text form of an answer. It contains only printable characters.
type page struct {
	out *bufio.Writer
	now time.Time
}

// writeText writes the text of an answer. After a write error, when the client has disconnected, a
// bufio.Writer does nothing more.
func writeText(w io.Writer, a answer) {
	p := &page{out: bufio.NewWriter(w)}
	defer p.out.Flush()
	a.writeTo(p)
}

// clientGone reports whether the client has disconnected.
func (p *page) clientGone() bool {
	_, err := p.out.Write(nil)
	return err != nil
}

func (p *page) line(format string, args ...any) {
	p.out.WriteString(printable(fmt.Sprintf(format, args...)))
	p.out.WriteByte('\n')
}

// ago returns how long before now a time is.
func (p *page) ago(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return p.now.Sub(at).Round(time.Millisecond).String() + " ago"
}

// printable replaces characters that are not printable by Go escape sequences.
func printable(text string) string {
	var out strings.Builder
	for i, r := range text {
		if size := utf8.RuneLen(r); unicode.IsPrint(r) && (r != utf8.RuneError || strings.HasPrefix(text[i:], "\uFFFD")) {
			out.WriteString(text[i : i+size])
			continue
		}
		if r == utf8.RuneError {
			fmt.Fprintf(&out, `\x%02x`, text[i])
			continue
		}
		quoted := strconv.QuoteRune(r)
		out.WriteString(quoted[1 : len(quoted)-1])
	}
	return out.String()
}
