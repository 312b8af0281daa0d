package debug

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A page is the text form of an answer, plain or as HTML with links. All input is
// escaped: it contains no markup and only printable characters.
type page struct {
	out  *bufio.Writer
	html bool
	now  time.Time
}

// writeText writes the text of an answer. After a write error, when the client has disconnected, a
// bufio.Writer does nothing more.
func writeText(w io.Writer, a answer, html bool) {
	p := &page{out: bufio.NewWriter(w), html: html}
	defer p.out.Flush()
	p.markup("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>informers</title></head><body><pre>\n")
	if p.html {
		p.linkLine("all informers", query{})
		p.line("")
	}
	a.writeTo(p)
	p.markup("</pre></body></html>\n")
}

// clientGone reports whether the client has disconnected.
func (p *page) clientGone() bool {
	_, err := p.out.Write(nil)
	return err != nil
}

// markup writes trusted HTML, and nothing in plain text.
func (p *page) markup(text string) {
	if p.html {
		p.out.WriteString(text)
	}
}

// print writes an escaped text.
func (p *page) print(text string) {
	text = printable(text)
	if p.html {
		text = html.EscapeString(text)
	}
	p.out.WriteString(text)
}

func (p *page) line(format string, args ...any) {
	p.print(fmt.Sprintf(format, args...))
	p.out.WriteByte('\n')
}

// link writes a link to the answer of another query. It is relative to the path of
// the page.
func (p *page) link(text string, target query) {
	p.markup(`<a href="?` + html.EscapeString(target.String()) + `">`)
	p.print(text)
	p.markup("</a>")
}

func (p *page) linkLine(text string, target query) {
	p.link(text, target)
	p.out.WriteByte('\n')
}

// searchForms writes the forms for keys of the informer with this id.
func (p *page) searchForms(id, prefix string) {
	if !p.html {
		return
	}
	input := func(name, value, kind string) string {
		return `<input name="` + name + `" value="` + html.EscapeString(value) + `"` + kind + `>`
	}
	informerInput := input("informer", id, ` type="hidden"`)
	p.markup("</pre>\n<form>" + informerInput + "keys that begin with " + input("prefix", prefix, "") + " <button>list</button></form>\n")
	p.markup("<form>" + informerInput + "the key " + input("key", "", "") + " <button>show</button></form>\n<pre>\n")
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
