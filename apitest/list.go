package apitest

import (
	"errors"
	"net/http"
	"strconv"
)

// page is what a list is answered with.
type page struct {
	records []*record
	about   listMeta
}

// list answers with the objects that are chosen, in order.
func (c *call) list() error {
	options, chosen, err := c.parseListing()
	if err != nil {
		return err
	}
	found, err := c.listed(options, chosen)
	if err != nil {
		return err
	}
	return c.answerList(found)
}

// parseListing reads which objects a request is about.
func (c *call) parseListing() (listOptions, *choice, error) {
	options, err := parseList(c.query)
	if err != nil {
		return options, nil, err
	}
	chosen, err := parseSelection(c.query, c.resource)
	return options, chosen, err
}

// listed are the objects that are chosen.
func (c *call) listed(options listOptions, chosen *choice) (page, error) {
	if err := c.await(max(options.version, options.atLeast)); err != nil {
		return page{}, err
	}
	past, err := c.resource.table.at(options.version)
	if older := (tooOld{}); errors.As(err, &older) {
		return page{}, options.forgotten()
	}
	if newer := (tooNew{}); errors.As(err, &newer) {
		return page{}, tooLarge(newer) // the store was set back meanwhile
	}
	if err != nil {
		return page{}, err
	}
	return c.page(past, chosen, options), nil
}

// page takes out of a table what a list asks for.
func (c *call) page(of *snapshot, chosen *choice, options listOptions) page {
	p := page{about: listMeta{version: strconv.FormatUint(of.at, 10)}}
	if chosen.name != "" && (c.namespace != "" || !c.resource.Namespaced) {
		if found := of.get(key{c.namespace, chosen.name}); found != nil && chosen.matches(found) {
			p.records = append(p.records, found)
		}
		return p
	}
	var from *key
	var after bool
	if options.next != nil {
		var at key
		at, after = options.next.from(c.namespace, c.resource.Namespaced)
		from = &at
	}
	all := chosen.everything()
	var left int64
	for r := range of.records(c.namespace, from, after) {
		if options.limit > 0 && len(p.records) == options.limit {
			left++
			if !all {
				break // how many of the others are chosen is not counted
			}
			continue
		}
		if all || chosen.matches(r) {
			p.records = append(p.records, r)
		}
	}
	if left > 0 {
		p.about.next = continueAfter(p.records[len(p.records)-1].key, c.namespace, of.at)
		if all {
			p.about.remaining = &left
		}
	}
	return p
}

// answerList writes a list in the form that was asked for.
func (c *call) answerList(p page) error {
	f := c.format
	if f.as.Kind == "Table" {
		texts := make([][]byte, len(p.records))
		for i, r := range p.records {
			texts[i] = r.raw
		}
		table, err := f.table(c.resource, texts, p.about)
		if err != nil {
			return err
		}
		return f.send(c.w, c.r, http.StatusOK, table)
	}
	before, err := f.listHead(c.resource, p.about)
	if err != nil {
		return err
	}
	if f.yaml || f.pretty {
		whole, err := f.appendItems(before, c.resource, p.records, func(text []byte) ([]byte, error) { return text, nil })
		if err != nil {
			return err
		}
		return f.send(c.w, c.r, http.StatusOK, append(whole, `]}`...))
	}
	out := newOutput(c.w, c.r, http.StatusOK, f.mediaType())
	const part = 32 << 10
	rest, err := f.appendItems(before, c.resource, p.records, func(text []byte) ([]byte, error) {
		if len(text) < part {
			return text, nil
		}
		_, err := out.Write(text)
		return text[:0], err
	})
	if err != nil {
		panic(http.ErrAbortHandler) // the answer has begun, and cannot be ended well
	}
	if _, err := out.Write(append(rest, "]}\n"...)); err == nil {
		_ = out.Close() // fails only when the client has gone
	}
	return nil
}

// listHead is a list up to its items.
func (f *format) listHead(res *resource, about listMeta) ([]byte, error) {
	meta, err := about.text()
	if err != nil {
		return nil, err
	}
	kind, version := res.ListKind, res.GroupVersion().String()
	if f.as.Kind != "" {
		kind, version = f.as.Kind, f.as.GroupVersion().String()
	} else if res.custom && about.next == "" {
		// Lists without a type of their own always say where they go on.
		meta = append([]byte(`{"continue":"",`), meta[1:]...)
	}
	out := append(make([]byte, 0, 40<<10), `{"kind":`...)
	out = strconv.AppendQuote(out, kind)
	out = append(out, `,"apiVersion":`...)
	out = strconv.AppendQuote(out, version)
	out = append(out, `,"metadata":`...)
	out = append(out, meta...)
	return append(out, `,"items":[`...), nil
}

// appendItems appends objects as the items of a list. After each, drain may take
// away what there is.
func (f *format) appendItems(out []byte, res *resource, records []*record, drain func([]byte) ([]byte, error)) (_ []byte, err error) {
	for i, r := range records {
		if i > 0 {
			out = append(out, ',')
		}
		if f.as.Kind != "" {
			partial, err := f.partial(r.raw)
			if err != nil {
				return nil, err
			}
			out = append(out, partial...)
		} else {
			before, after := res.item(r.raw)
			out = append(append(out, before...), after...)
		}
		if out, err = drain(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}
