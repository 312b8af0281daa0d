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

// Page is one of the answers that a list arrives in, while it is read. Its
// functions are called by one goroutine, one after another.
type Page[T any] struct {
	// Doing is what errors say was being done, "list pods".
	Doing string
	// Next is the next item, and io.EOF after the last one. After an [*ItemError]
	// it is called again; every other error is the end of the list.
	Next func() (T, error)
	// Meta is what the server says of the list: its version, and the token that
	// the next page is asked for with, "" on the last one. It is asked after
	// io.EOF.
	Meta func() (resourceVersion, continuation string)
	// Close releases the page. It is called once. Default: there is nothing to
	// release.
	Close func()
}

// PagedList is a list that arrives in as many pages as the server likes to make
// of it. open asks for each, with the options that it gets: those of the first
// are opts, whose Limit is the size of a page. The error of the first is that of
// PagedList. ctx bounds all of it, and open gets one that Close of the List
// ends as well.
//
// The first page fixes the version, and the server's token carries it on: all
// pages show one state of the collection. The server keeps old states for a few
// minutes. When the token has expired, the API offers two ways: to go on from
// where the list was, in a newer state, or to begin again. Only the second is
// consistent, so it is what happens, in one page this time, since a server that
// could not keep the state for so many pages could not do it again. What was
// yielded before is void: the sequence says so with ErrRestarted.
func PagedList[T any](ctx context.Context, opts metav1.ListOptions, open func(context.Context, metav1.ListOptions) (*Page[T], error)) (*List[T], error) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &pages[T]{ask: open, ctx: ctx, asked: opts, opts: opts}
	if err := p.open(); err != nil {
		cancel(nil)
		return nil, err
	}
	end := func() { cancel(errListClosed) }
	return &List[T]{
		items: p.items, version: func() string { return p.first },
		cancel: end, close: func() { end(); p.close() },
	}, nil
}

var errNoPage = errors.New("list: what is to open a page returned neither a page nor an error")

// errListClosed is the cause of a list's context that Close has ended.
var errListClosed = errors.New("the list was closed")

// pages is the one loop in which this module follows continue tokens.
type pages[T any] struct {
	ask func(context.Context, metav1.ListOptions) (*Page[T], error)
	ctx context.Context
	// asked is what the caller wants; opts ask for the page that comes next.
	asked, opts metav1.ListOptions

	// now is the page that is open, nil if none is.
	now *Page[T]
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

// open asks for the page that opts describe.
func (p *pages[T]) open() (err error) {
	if p.now, err = p.ask(p.ctx, p.opts); err == nil && p.now == nil {
		err = errNoPage
	}
	return err
}

// close releases the page that is open, if one is.
func (p *pages[T]) close() {
	if p.now != nil && p.now.Close != nil {
		p.now.Close()
	}
	p.now = nil
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
		p.opts, p.first, p.seen = p.asked, "", nil
		p.opts.Limit = 0
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
		item, err := p.now.Next()
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
		if !yield(item, nil) {
			return false, nil
		}
	}
	version, token := p.now.Meta()
	if p.first == "" {
		p.first = version
	}
	if token == "" {
		return false, nil
	}
	if err := p.follow(token, items); err != nil {
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
	return fmt.Errorf("%s: %w", p.now.Doing, whyOver(p.ctx, err))
}

// pageOf is the page that a reader decodes off a body.
func pageOf[T any](doing string, reader *listReader, body io.Closer) *Page[T] {
	return &Page[T]{
		Doing: doing,
		Next: func() (item T, err error) {
			object, err := reader.next()
			if err != nil {
				return item, err
			}
			return object.(T), nil
		},
		Meta: func() (resourceVersion, continuation string) {
			meta := reader.meta()
			return meta.resourceVersion, meta.continuation
		},
		Close: func() {
			reader.close()
			body.Close()
		},
	}
}

func isExpired(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

func isItemError(err error) bool {
	_, ok := err.(*ItemError)
	return ok
}
