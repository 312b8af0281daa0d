package debug

import (
	"bytes"
	"slices"
	"time"
)

func (o object) writeHTML(p *htmlPage) {
	if o.Hidden != "" {
		p.write("<p>", escape(o.Hidden), "</p>\n")
		return
	}
	p.write("<pre>")
	for line := range bytes.Lines(indent(o.Object, "")) {
		p.write(escape(string(bytes.TrimSuffix(line, []byte("\n")))), "\n")
	}
	p.write("</pre>\n")
}

func (d *detail) frame() frame {
	above := []link{allInformers, {d.Informer.ID, query{informer: d.Informer.ID}}}
	return frame{title: d.Key + ": " + d.Informer.ID, above: above, current: d.Key, at: d.Now, live: true}
}

func (d *detail) writeHTML(p *htmlPage) {
	p.write("<h1>", escape(d.Key), "</h1>\n")
	stored := choose(d.Stored, "The object is stored", "The object is not stored")
	p.state(healthOf(d.Informer.problems), markup(stored)+". The informer is "+markup(choose(d.Informer.Running, "running", "not running"))+d.Informer.versionOfAll()+".")
	p.searchForm(query{informer: d.Informer.ID})
	if d.Stored {
		p.write("<section aria-labelledby=\"object\">\n<h2 id=\"object\">Object</h2>\n")
		d.object.writeHTML(p)
		p.write("</section>\n")
	}
	p.write("<section aria-labelledby=\"timeline\">\n<h2 id=\"timeline\">Timeline</h2>\n")
	switch {
	case !d.hasTimeline:
		p.write("<p>There is no timeline: Options.Timeline is not set.</p>\n")
	case len(d.Events) == 0:
		p.write("<p>The timeline has no events of this key.</p>\n")
	default:
		p.timeline(d.Events)
	}
	p.write("</section>\n")
}

// timeline writes the events, the newest first, since a page is read from its top.
func (p *htmlPage) timeline(events []Event) {
	p.write("<table class=\"timeline\"><caption>The newest version is first.</caption><thead><tr>",
		`<th scope="col">Time (UTC)</th><th scope="col">Stage</th><th scope="col">Event</th><th scope="col">Handler</th></tr></thead>`)
	for _, e := range slices.Backward(events) {
		p.write(`<tbody><tr><th scope="rowgroup" colspan="4">Version `, escape(e.Version), "</th></tr>")
		for i, s := range e.Steps {
			at := escape(s.At.UTC().Format("15:04:05.000000"))
			if i > 0 {
				at = escape("+" + s.At.Sub(e.Steps[0].At).Round(time.Microsecond).String())
			}
			p.write("<tr><td>", at, "</td><td>", escape(string(s.Stage)), "</td><td>", escape(s.Event), "</td><td>", escape(s.Handler), "</td>\n</tr>")
		}
		if e.DroppedSteps > 0 {
			p.write(`<tr><td colspan="4">and `, number(e.DroppedSteps), " steps between these</td></tr>")
		}
		p.write("</tbody>")
	}
	p.write("</table>\n")
}
