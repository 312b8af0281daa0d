package rest

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pages is a list that arrives in pages: the one loop in which this module
// follows continue tokens.
//
// The first page fixes the version, and the server's token carries it on: all
// pages show one state of the collection. The server keeps old states for a few
// minutes. When the token has expired, the API offers two ways: to go on from
// where the list was, in a newer state, or to begin again. Only the second is
// consistent, so it is what happens, in one page this time, since a server that
// could not keep the state for so many pages could not do it again. What was
// yielded before is void: the sequence says so with ErrRestarted.
type pages[T Object] struct {
	view *View[T]
	ctx  context.Context
	// asked is what the caller wants; opts ask for the page that comes next.
	asked, opts metav1.ListOptions
	limit       int64

	// what is being done, for errors.
	what   string
	body   io.Closer
	reader *listReader
	// first is the version of the first page, which is that of the list: the
	// token says which state the later ones are to show.
	first string
	// seen are the tokens of the pages before, by their hash: a server that
	// hands one out again would be followed for ever.
	seen map[uint64]bool
	seed maphash.Seed
	// empty counts the pages without items since the last one with some.
	empty int
}

// maxEmptyPages is how many pages may come in a row that have no items and yet
// a token.
const maxEmptyPages = 1000

// open asks for the page that opts and limit describe.
func (p *pages[T]) open() error {
	opts := p.opts
	opts.Limit = p.limit
	r := p.view.in(p.view.rest().Get(), p.view.namespace).as(verbList).inParts().options(&opts)
	r.SetHeader("Accept", p.view.codec.accept(acceptList, p.view.client.config.AcceptContentTypes))
	p.what = r.what()
	response, err := r.open(p.ctx, false)
	if err != nil {
		return err
	}
	reader, err := p.view.codec.listReader(response.Header.Get("Content-Type"), response.Body)
	if err != nil {
		response.Body.Close()
		return p.failed(err)
	}
	p.body, p.reader = response.Body, reader
	return nil
}

// close releases the page that is open, if one is.
func (p *pages[T]) close() {
	if p.reader == nil {
		return
	}
	p.reader.close()
	p.body.Close()
	p.reader, p.body = nil, nil
}

// items yields the open page and those that follow it.
func (p *pages[T]) items(yield func(T, error) bool) {
	var none T
	restarted := false
	for {
		goesOn, err := p.page(yield)
		if err != nil {
			yield(none, err)
			return
		}
		if !goesOn {
			return
		}
		if err = p.open(); err == nil {
			continue
		}
		// A list that the caller began in the middle has no beginning to go
		// back to.
		if restarted || p.asked.Continue != "" || !isExpired(err) {
			yield(none, err)
			return
		}
		restarted = true
		p.opts, p.limit, p.first, p.seen = p.asked, 0, "", nil
		if err = p.open(); err != nil {
			yield(none, err)
			return
		}
		if !yield(none, ErrRestarted) {
			return
		}
	}
}

// page yields the items of the open page and closes it. It says whether another
// page is to be asked for; opts ask for it then.
func (p *pages[T]) page(yield func(T, error) bool) (goesOn bool, err error) {
	defer p.close()
	var none T
	items := 0
	for {
		object, err := p.reader.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if !isItemError(err) {
				return false, p.failed(err)
			}
			if !yield(none, err) {
				return false, nil
			}
			continue
		}
		items++
		if !yield(object.(T), nil) {
			return false, nil
		}
	}
	meta := p.reader.meta()
	if p.first == "" {
		p.first = meta.resourceVersion
	}
	if meta.continuation == "" {
		return false, nil
	}
	if err := p.follow(meta.continuation, items); err != nil {
		return false, p.failed(err)
	}
	return true, nil
}

// follow makes the options ask for the page after one with so many items.
func (p *pages[T]) follow(token string, items int) error {
	if p.seen == nil {
		p.seen, p.seed = map[uint64]bool{}, maphash.MakeSeed()
	}
	hash := maphash.String(p.seed, token)
	if p.seen[hash] {
		return errors.New("the server's continue token leads back to a page that has been read")
	}
	p.seen[hash] = true
	if p.empty++; items > 0 {
		p.empty = 0
	}
	if p.empty > maxEmptyPages {
		return fmt.Errorf("%d pages in a row had no items and said that there are more", p.empty)
	}
	// The token says which version it goes on with; the server refuses both.
	p.opts.Continue = token
	p.opts.ResourceVersion, p.opts.ResourceVersionMatch = "", ""
	return nil
}

// failed says what was being read. When the context has ended, that is why.
func (p *pages[T]) failed(err error) error {
	return fmt.Errorf("%s: %w", p.what, whyOver(p.ctx, err))
}

func isExpired(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

func isItemError(err error) bool {
	_, ok := err.(*ItemError)
	return ok
}
