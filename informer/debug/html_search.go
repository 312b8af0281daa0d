package debug

// searchForm writes a form that searches the keys of the informer of a query.
func (p *htmlPage) searchForm(q query) {
	p.write(`<form id="find" role="search"><input type="hidden" name="informer" value="`, attribute(q.informer), `">`)
	if q.objects {
		p.write(`<input type="hidden" name="objects" value="true">`)
	}
	p.write(`<label>Search by key <input id="search" type="search" name="search" value="`, attribute(q.search), `" autocomplete="off" spellcheck="false"></label> <button>Search</button></form>`, "\n")
}

// searchAllForm writes a form that searches the keys of a selected informer.
func (p *htmlPage) searchAllForm(informers []informerState) {
	p.write(`<form id="find" role="search"><label>Informer <select id="informer" name="informer">`)
	for _, s := range informers {
		p.write(`<option value="`, attribute(s.ID), `">`, escape(s.ID), "</option>")
	}
	p.write(`</select></label> <label>Search by key <input id="search" type="search" name="search" autocomplete="off" spellcheck="false"></label> <button>Search</button></form>`, "\n")
}

func (f failure) frame() frame {
	above := []link{allInformers}
	if f.informer != "" {
		above = append(above, link{f.informer, query{informer: f.informer}})
	}
	return frame{title: f.Error, above: above, current: "Error", at: now()}
}

func (f failure) writeHTML(p *htmlPage) {
	p.write("<h1>The request failed</h1>\n<p>", escape(f.Error), "</p>\n")
	if f.informer != "" {
		p.searchForm(query{informer: f.informer})
	}
}
