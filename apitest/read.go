package apitest

import (
	"errors"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// page is the content of a list response.
type page struct {
	records []*storage.Record
	about   response.ListMeta
}

// list responds with the selected objects, in order.
func (c *call) list() error {
	options, chosen, err := c.parseListing()
	if err != nil {
		return err
	}
	found, err := c.listed(options, chosen)
	if err != nil {
		return err
	}
	return c.respondList(found)
}

// parseListing parses the options and selectors of a list.
func (c *call) parseListing() (params.ListOptions, *registry.Selection, error) {
	options, err := params.ParseList(c.query)
	if err != nil {
		return options, nil, err
	}
	chosen, err := registry.ParseSelection(c.query, c.resource)
	return options, chosen, err
}

// listed returns the selected objects.
func (c *call) listed(options params.ListOptions, chosen *registry.Selection) (page, error) {
	if err := c.await(max(options.Version, options.AtLeast)); err != nil {
		return page{}, err
	}
	past, err := c.resource.Table.At(options.Version)
	if older := (storage.TooOld{}); errors.As(err, &older) {
		return page{}, options.ExpiredError()
	}
	if newer := (storage.TooNew{}); errors.As(err, &newer) {
		return page{}, params.TooLargeError(newer) // the store was rewound in the meantime
	}
	if err != nil {
		return page{}, err
	}
	return c.page(past, chosen, options), nil
}

// page selects the objects of a list from a table.
func (c *call) page(snapshot *storage.Snapshot, chosen *registry.Selection, options params.ListOptions) page {
	p := page{about: response.ListMeta{Version: strconv.FormatUint(snapshot.Version, 10)}}
	if chosen.Name != "" && (c.Namespace != "" || !c.resource.Namespaced) {
		if found := snapshot.Get(storage.Key{Namespace: c.Namespace, Name: chosen.Name}); found != nil && chosen.Matches(found) {
			p.records = append(p.records, found)
		}
		return p
	}
	var from *storage.Key
	var after bool
	if options.Next != nil {
		var at storage.Key
		at, after = options.Next.From(c.Namespace, c.resource.Namespaced)
		from = &at
	}
	all := chosen.MatchesAll()
	var left int64
	for r := range snapshot.Records(c.Namespace, from, after) {
		if options.Limit > 0 && len(p.records) == options.Limit {
			left++
			if !all {
				break // the remaining count is omitted with selectors
			}
			continue
		}
		if all || chosen.Matches(r) {
			p.records = append(p.records, r)
		}
	}
	if left > 0 {
		p.about.Next = params.ContinueAfter(p.records[len(p.records)-1].Key, c.Namespace, snapshot.Version)
		if all {
			p.about.Remaining = &left
		}
	}
	return p
}

// respondList writes a list in the requested format.
func (c *call) respondList(p page) error {
	f := c.format
	if f.Target.Kind == "Table" {
		texts := make([][]byte, len(p.records))
		for i, r := range p.records {
			texts[i] = r.Raw
		}
		table, err := f.Table(c.resource, texts, p.about)
		if err != nil {
			return err
		}
		return f.Send(c.w, c.r, http.StatusOK, table)
	}
	before, err := f.ListHead(c.resource, p.about)
	if err != nil {
		return err
	}
	if f.YAML || f.Pretty {
		whole, err := f.AppendItems(before, c.resource, p.records, func(text []byte) ([]byte, error) { return text, nil })
		if err != nil {
			return err
		}
		return f.Send(c.w, c.r, http.StatusOK, append(whole, `]}`...))
	}
	out := response.NewOutput(c.w, c.r, http.StatusOK, f.MediaType())
	const part = 32 << 10
	rest, err := f.AppendItems(before, c.resource, p.records, func(text []byte) ([]byte, error) {
		if len(text) < part {
			return text, nil
		}
		_, err := out.Write(text)
		return text[:0], err
	})
	if err != nil {
		panic(http.ErrAbortHandler) // the response has begun; it can only be aborted
	}
	if _, err := out.Write(append(rest, "]}\n"...)); err == nil {
		_ = out.Close() // fails only when the client has disconnected
	}
	return nil
}

// await waits until the store has reached a version, up to versionWaitTimeout.
func (c *call) await(version uint64) error {
	err := c.server.store.Await(c.r.Context(), version, versionWaitTimeout)
	if newer := (storage.TooNew{}); errors.As(err, &newer) {
		return params.TooLargeError(newer)
	}
	return err
}

// get responds with one object.
func (c *call) get() error {
	found, err := c.found()
	if err != nil {
		return err
	}
	return c.respond(http.StatusOK, found.Raw)
}

// found returns the named object. If a version is requested, it waits until the
// store has reached it, and returns the newest state.
func (c *call) found() (*storage.Record, error) {
	version, err := params.ParseVersion(c.query.Get("resourceVersion"))
	if err != nil {
		return nil, err
	}
	if err := c.await(version); err != nil {
		return nil, err
	}
	found := c.resource.Table.Get(storage.Key{Namespace: c.Namespace, Name: c.Name})
	if found == nil {
		return nil, apierrors.NewNotFound(c.GroupResource(), c.Name)
	}
	return found, nil
}
