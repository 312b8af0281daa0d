package debug

// state writes the state of the page at a glance.
func (p *htmlPage) state(h health, text markup) {
	p.write(`<p id="state" class="state">`, h.badge(), " ", text, "</p>\n")
}

// problems writes those problems of a component that have a health.
func (p *htmlPage) problems(all []problem, of health, component markup) {
	for _, one := range all {
		if one.health() != of {
			continue
		}
		p.write(`<li class="`, of.class(), `"><p>`, of.badge(), " ")
		if component != "" {
			p.write(component, ": ")
		}
		p.write(escape(one.Text), "</p>\n")
		if one.Hint != "" {
			p.write("<p><b>What to do:</b> ", escape(one.Hint), "</p>\n")
		}
		if !one.since.IsZero() {
			p.write("<p class=\"times\">", markup(of.String()), " ", p.age(one.since, forTime))
			if !one.retryAt.IsZero() {
				p.write(", next attempt ", p.age(one.retryAt, inTime))
			}
			p.write("</p>\n")
		}
		p.write("</li>")
	}
}
