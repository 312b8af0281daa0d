package debug

import "slices"

func (a *listing) frame() frame {
	h := healthOf(a.Informer.problems)
	return frame{title: h.String() + ": " + a.Informer.ID, above: []link{allInformers}, current: a.Informer.ID, at: a.Now, live: a.objects == nil}
}

func (a *listing) writeHTML(p *htmlPage) {
	h := healthOf(a.Informer.problems)
	p.write("<h1>", escape(a.Informer.ID), "</h1>\n")
	p.state(h, number(a.Informer.Objects)+" objects"+a.Informer.atVersion()+".")
	if h != healthy {
		p.write("<ul id=\"problems\" class=\"problems\">")
		p.problems(a.Informer.problems, failing, "")
		p.problems(a.Informer.problems, waiting, "")
		p.write("</ul>\n")
	}
	p.searchForm(a.query)
	p.write("<div class=\"columns\">\n<section aria-labelledby=\"keys\">\n<h2 id=\"keys\">", a.heading(), "</h2>\n")
	a.writeKeys(p)
	p.write("</section>\n<article>\n<h2>State</h2>\n")
	a.Informer.writeHTML(p)
	p.write("</article>\n</div>\n")
}

// heading says which keys are listed.
func (a *listing) heading() markup {
	text := markup("Keys")
	if a.objects != nil {
		text = "Objects"
	}
	if a.query.search != "" {
		text += " that contain “" + escape(a.query.search) + "”"
	}
	if a.query.prefix != "" {
		text += " that begin with “" + escape(a.query.prefix) + "”"
	}
	if a.query.after != "" {
		text += " after " + escape(a.query.after)
	}
	return text
}

func (a *listing) writeKeys(p *htmlPage) {
	var links []markup
	if a.mayShowObjects {
		other := a.query
		other.format, other.objects = "", a.objects == nil
		links = append(links, link{choose(other.objects, "With objects", "Only keys"), other}.markup())
	}
	if a.query.after != "" {
		first := a.query
		first.format, first.after = "", ""
		links = append(links, link{"First page", first}.markup())
	}
	p.links(links)
	if a.objects != nil {
		for o := range a.objects {
			p.write("<h3>", a.link(o.Key), "</h3>\n")
			o.writeHTML(p)
			if p.clientGone() {
				return
			}
		}
	} else if len(a.Keys) > 0 {
		p.write("<ul class=\"keys\">")
		for _, key := range a.Keys {
			p.write("<li>", a.link(key), "\n</li>")
		}
		p.write("</ul>\n")
	}
	if len(a.Keys) == 0 {
		p.write("<p>", markup(choose(a.Informer.Objects == 0, "The store is empty.", "The store has no such keys.")), "</p>\n")
		if a.hasTimeline && a.query.search != "" {
			target := query{informer: a.Informer.ID, key: a.query.search, hasKey: true}
			p.write("<p>An object that has been deleted may have ", link{"a timeline", target}.markup(), ".</p>\n")
		}
	}
	if a.Continue != "" {
		p.links([]markup{link{"Next page", a.next()}.markup()})
	}
}

// link returns the link to the page of a key.
func (a *listing) link(key string) markup {
	return link{key, query{informer: a.Informer.ID, key: key, hasKey: true}}.markup()
}

func (p *htmlPage) links(all []markup) {
	if len(all) > 0 {
		p.write("<p class=\"links\">")
		p.write(slices.Concat(all)...)
		p.write("</p>\n")
	}
}
