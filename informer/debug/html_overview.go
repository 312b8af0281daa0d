package debug

import "net/url"

// anchor returns the id of the part of the page that describes an informer.
func anchor(id string) markup { return escape("informer-" + url.QueryEscape(id)) }

func (a overview) frame() frame {
	return frame{title: a.tally().worst().String() + ": informers", current: allInformers.text, at: a.Now, live: true}
}

// tally counts the informers, and the sections with a health.
func (a overview) tally() (t tally) {
	for _, s := range a.Sections {
		if s.hasHealth {
			t[healthOf(s.problems)]++
		}
	}
	for _, s := range a.Informers {
		t[healthOf(s.problems)]++
	}
	return t
}

func (a overview) writeHTML(p *htmlPage) {
	t := a.tally()
	p.write("<h1>Informers</h1>\n")
	p.state(t.worst(), escape(t.String()))
	if t.worst() != healthy {
		p.write("<section id=\"problems\" aria-labelledby=\"problems-heading\">\n<h2 id=\"problems-heading\">Problems</h2>\n<ul class=\"problems\">")
		for _, worst := range []health{failing, waiting} {
			for i, s := range a.Sections {
				p.problems(s.problems, worst, "<a href=\"#section-"+number(i)+"\">"+escape(s.Title)+"</a>")
			}
			for _, s := range a.Informers {
				p.problems(s.problems, worst, `<a href="#`+anchor(s.ID)+`">`+escape(s.ID)+"</a>")
			}
		}
		p.write("</ul>\n</section>\n")
	}
	if len(a.Informers) > 0 {
		p.searchAllForm(a.Informers)
	}
	p.write("<div class=\"cards\">\n")
	for i, s := range a.Sections {
		s.writeHTML(p, number(i))
	}
	p.write("</div>\n<div class=\"cards\">\n")
	for _, s := range a.Informers {
		p.write(`<article id="`, anchor(s.ID), `">`, "\n<h2>", link{s.ID, query{informer: s.ID}}.markup(), " ", healthOf(s.problems).badge(), "</h2>\n")
		s.writeHTML(p)
		p.write("</article>\n")
	}
	p.write("</div>\n")
}
