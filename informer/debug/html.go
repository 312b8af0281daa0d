package debug

import (
	"bufio"
	"html"
	"io"
	"strconv"
	"time"
)

// markup is HTML. A constant is markup; other text becomes markup by escape, so that
// the compiler finds text that is not escaped.
type markup string

// escape returns text as markup, with printable characters only.
func escape(text string) markup { return markup(html.EscapeString(printable(text))) }

// attribute returns text as the value of an attribute that the browser sends back:
// characters that are not printable are kept.
func attribute(text string) markup { return markup(html.EscapeString(text)) }

func number[N int | uint64](n N) markup { return markup(strconv.FormatUint(uint64(n), 10)) }

// An htmlPage is the HTML form of an answer.
type htmlPage struct {
	out *bufio.Writer
	now time.Time
}

// writeHTML writes the HTML of an answer. assets is the version of the script and the
// style sheet.
func writeHTML(w io.Writer, a answer, assets string) {
	p := &htmlPage{out: bufio.NewWriter(w), now: now()}
	defer p.out.Flush()
	f := a.frame()
	p.head(f, assets)
	a.writeHTML(p)
	p.write("</main>\n</body></html>\n")
}

func (p *htmlPage) write(parts ...markup) {
	for _, part := range parts {
		p.out.WriteString(string(part))
	}
}

// clientGone reports whether the client has disconnected.
func (p *htmlPage) clientGone() bool {
	_, err := p.out.Write(nil)
	return err != nil
}

// A frame is the part of a page around its content.
type frame struct {
	title string
	// above are the pages above this one, current is its name.
	above   []link
	current string
	// at is the time of the answer.
	at time.Time
	// live is true if the script updates the page.
	live bool
}

type link struct {
	text   string
	target query
}

// markup returns the link. It is relative to the path of the page.
func (l link) markup() markup {
	return `<a href="?` + escape(l.target.String()) + `">` + escape(l.text) + "</a>"
}

// allInformers is the link to the page of all informers.
var allInformers = link{text: "Informers"}

// head writes everything before the content. The script shows the button, and writes
// to the element with the role status when the state changes.
func (p *htmlPage) head(f frame, assets string) {
	p.now = f.at
	p.write(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>`, escape(f.title), `</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="?file=page.css&amp;v=`, escape(assets), `">
<script src="?file=page.js&amp;v=`, escape(assets), `" defer></script>
</head><body`)
	if f.live {
		p.write(` data-live`)
	}
	p.write(">\n<header><nav aria-label=\"Pages\"><ol>")
	for _, above := range f.above {
		p.write("<li>", above.markup(), "</li>")
	}
	p.write(`<li aria-current="page">`, escape(f.current), "</li></ol></nav>\n",
		`<p id="updates"><span id="freshness">As of `, clock(f.at), `.</span> `,
		`<a id="reload" href="">Reload</a><button id="pause" type="button" aria-pressed="false" hidden>Pause updates</button></p>`,
		"</header>\n", `<p id="announcement" class="hidden" role="status"></p>`, "\n<main id=\"main\">\n")
}

// clock returns a time of day. Its attribute has the date.
func clock(at time.Time) markup {
	return `<time datetime="` + markup(at.UTC().Format(time.RFC3339Nano)) + `">` + markup(at.UTC().Format("15:04:05")) + ` UTC</time>`
}

// Kinds of ages: the words before or after the duration. The script updates them.
const (
	ago     markup = "ago"
	forTime markup = "for"
	inTime  markup = "in"
)

// age returns how long a time is before or after now.
func (p *htmlPage) age(at time.Time, kind markup) markup {
	if at.IsZero() {
		return "never"
	}
	d := p.now.Sub(at)
	if kind == inTime {
		d = -d
	}
	d = max(0, d).Round(time.Second)
	text := markup(d.String()) + " ago"
	if kind != ago {
		text = kind + " " + markup(d.String())
	}
	return `<time datetime="` + markup(at.UTC().Format(time.RFC3339Nano)) + `" data-age="` + kind + `">` + text + `</time>`
}

// row writes a row of a table of facts.
func (p *htmlPage) row(name markup, value ...markup) {
	p.write(`<tr><th scope="row">`, name, "</th><td>")
	p.write(value...)
	p.write("</td>\n</tr>")
}

// badge returns the health as a word.
func (h health) badge() markup {
	return `<strong class="badge ` + h.class() + `">` + markup(h.String()) + "</strong>"
}
