package debug

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A page is a text for people, as it is or in HTML: the same lines, with links.
// What it is given may come from anywhere: nothing of it is taken for markup,
// and nothing but printable characters reaches a terminal.
type page struct {
	out  strings.Builder
	html bool
	now  time.Time
}

func layOut(a answer, asHTML bool) []byte {
	p := &page{html: asHTML}
	p.markup("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>informers</title></head><body><pre>\n")
	if p.html {
		p.linkLine("all informers", query{})
		p.line("")
	}
	a.lay(p)
	p.markup("</pre></body></html>\n")
	return []byte(p.out.String())
}

// markup is ours, and only HTML has it.
func (p *page) markup(text string) {
	if p.html {
		p.out.WriteString(text)
	}
}

// print writes one text, or part of a line.
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

// link writes a text that leads to the answer of another query. It is relative
// to the page itself, wherever that is served.
func (p *page) link(text string, to query) {
	p.markup(`<a href="?` + html.EscapeString(to.String()) + `">`)
	p.print(text)
	p.markup("</a>")
}

func (p *page) linkLine(text string, to query) {
	p.link(text, to)
	p.out.WriteByte('\n')
}

// forms ask for keys by hand, of an informer with this id.
func (p *page) forms(id, prefix string) {
	if !p.html {
		return
	}
	input := func(name, value, kind string) string {
		return `<input name="` + name + `" value="` + html.EscapeString(value) + `"` + kind + `>`
	}
	of := input("informer", id, ` type="hidden"`)
	p.markup("</pre>\n<form>" + of + "keys that begin with " + input("prefix", prefix, "") + " <button>list</button></form>\n")
	p.markup("<form>" + of + "the key " + input("key", "", "") + " <button>show</button></form>\n<pre>\n")
}

// ago is how long ago something was.
func (p *page) ago(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return p.now.Sub(at).Round(time.Millisecond).String() + " ago"
}

// printable writes what is not, as Go would in a string.
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
