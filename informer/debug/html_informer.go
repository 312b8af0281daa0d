package debug

// writeHTML writes the tables of an informer.
func (s informerState) writeHTML(p *htmlPage) {
	p.write("<table class=\"facts\"><caption class=\"hidden\">State of ", escape(s.ID), "</caption><tbody>")
	if s.Resource != "" {
		p.row("Resource", escape(s.Resource))
	}
	p.row("State", markup(choose(s.Running, "running", "not running")), ", ", markup(choose(s.Synced, "synced", "not synced")))
	p.row("Store", "<b>", number(s.Objects), "</b> objects", s.atVersion())
	p.row("Queued", number(s.Queued), " changes")
	if s.Bodies > 0 {
		p.row("Bodies", number(s.Bodies), " kept, about ", number(int(s.BodyBytes)), " bytes")
	}
	s.Source.writeHTML(p)
	p.write("</tbody></table>\n")
	s.writeNamespaces(p)
	if len(s.Handlers) == 0 {
		return
	}
	p.write(`<table class="grid" role="table"><caption>Handlers<span class="hidden"> of `, escape(s.ID), `</span></caption><thead role="rowgroup"><tr role="row">`)
	for _, name := range handlerColumns {
		p.write(`<th role="columnheader" scope="col">`, name, "</th>")
	}
	p.write(`</tr></thead><tbody role="rowgroup">`)
	for _, h := range s.Handlers {
		h.writeHTML(p)
	}
	p.write("</tbody></table>\n")
}

// atVersion returns what follows the number of objects.
func (s informerState) atVersion() markup {
	if s.NamespaceCount == 0 {
		return atVersion(s.Version, s.Epoch)
	}
	return " of " + number(s.NamespaceCount) + " namespaces, " + escape(s.versions()) + atVersion("", s.Epoch)
}

// versionOfAll returns what follows the state of an informer. The versions of several
// namespaces say nothing about an object.
func (s informerState) versionOfAll() markup {
	if s.NamespaceCount > 0 {
		return ""
	}
	return atVersion(s.Version, s.Epoch)
}

// namespaceColumns are the names of the cells of a namespace.
var namespaceColumns = []markup{"Name", "Synced", "Source", "Version", "Epoch", "Last failure"}

func (s informerState) writeNamespaces(p *htmlPage) {
	if len(s.Namespaces) == 0 {
		return
	}
	caption := markup("Namespaces")
	if more := s.NamespaceCount - len(s.Namespaces); more > 0 {
		caption += ", without " + number(more) + " others"
	}
	p.write(`<table class="grid" role="table"><caption>`, caption, `<span class="hidden"> of `, escape(s.ID), `</span></caption><thead role="rowgroup"><tr role="row">`)
	for _, name := range namespaceColumns {
		p.write(`<th role="columnheader" scope="col">`, name, "</th>")
	}
	p.write(`</tr></thead><tbody role="rowgroup">`)
	for _, n := range s.Namespaces {
		cells := []markup{markup(choose(n.Synced, "yes", "no")), escape(string(n.Source.Phase)), escape(n.Version), number(n.Epoch), escape(n.Source.Error)}
		p.write(`<tr role="row"><th role="rowheader" scope="row">`, escape(n.Namespace), "</th>")
		for i, cell := range cells {
			p.write(`<td role="cell" data-label="`, namespaceColumns[i+1], `">`, cell, "</td>")
		}
		p.write("\n</tr>")
	}
	p.write("</tbody></table>\n")
}

// atVersion returns what follows the description of a store or a source.
func atVersion(version string, epoch int) (text markup) {
	if version != "" {
		text = " at version " + escape(version)
	}
	if epoch > 0 {
		text += ", epoch " + number(epoch)
	}
	return text
}

func (s sourceState) writeHTML(p *htmlPage) {
	if s.Phase != "" {
		of := markup("")
		if s.Name != "" {
			of = escape(s.Name) + ": "
		}
		p.row("Source", of, escape(string(s.Phase)), atVersion(s.Version, s.Epoch))
	}
	if s.Mode != "" {
		mode := escape(string(s.Mode))
		if s.ModeReason != "" {
			mode += ", because: " + escape(s.ModeReason)
		}
		p.row("Mode", mode)
	}
	p.row("Last event", p.age(s.LastEvent, ago))
	p.row("Last bookmark", p.age(s.LastBookmark, ago))
	if s.Relists > 0 {
		p.row("Relists", number(s.Relists), ", the last because: ", escape(s.RelistReason))
	}
	if s.Undecodable > 0 {
		p.row("Skipped", number(s.Undecodable), " objects that could not be decoded: their Go type does not match them")
	}
	if s.ListUndecodable > 0 {
		p.row("Missing", number(s.ListUndecodable), " objects of the list, the first because: ", escape(s.ListError))
	}
	if s.Error != "" {
		p.row("Failures", number(s.Failures), ", the last: ", escape(s.Error))
	}
}

// handlerColumns are the names of the cells that handlerState.writeHTML writes.
var handlerColumns = []markup{"Name", "Synced", "Pending", "Merged", "Panics", "In callbacks"}

func (h handlerState) writeHTML(p *htmlPage) {
	p.write(`<tr role="row"><th role="rowheader" scope="row">`, escape(h.Name), "</th>")
	running := markup("no")
	if !h.Since.IsZero() {
		running = p.age(h.Since, forTime)
	}
	cells := []markup{markup(choose(h.Synced, "yes", "no")), number(h.Pending), number(h.Merged), number(h.Panics), running}
	for i, cell := range cells {
		p.write(`<td role="cell" data-label="`, handlerColumns[i+1], `">`, cell, "</td>")
	}
	p.write("\n</tr>")
}
