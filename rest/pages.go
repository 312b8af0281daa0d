// Only package cache uses the exported names of this file.

package rest

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/attempt"
	"github.com/thinformer/thinformer/internal/wire"
)

// Page is one page of a list while it is read. Its functions are called
// sequentially.
type Page[T any] struct {
	// Operation describes the operation in errors, such as "list pods".
	Operation string
	// Next returns the next item, and io.EOF after the last one. After an
	// [*ItemError] it is called again; every other error ends the list.
	Next func() (T, error)
	// Meta returns the version of the list and the continue token for the next
	// page, "" on the last one. It is called after io.EOF.
	Meta func() (resourceVersion, continuation string)
	// Close releases the page. It is called once. Default: nothing to release.
	Close func()
}

// PagedList returns a list of one or more pages. open requests each page with the
// options that it receives: for the first page these are opts with the size of the page
// as the Limit. An error of the first page is returned by PagedList. ctx bounds the whole
// list; open receives a context that Close of the List also ends.
//
// Limit is the size of all pages. If it is 0, pageSize is, as Config.PageSize describes.
//
// The first page determines the version, and the continue token preserves it: all
// pages show one state of the collection. The server keeps old states for a few
// minutes. When the token has expired, the API permits either continuing in a newer
// state or restarting. Only a restart is consistent, so the list restarts, now in a
// single page, because another paged list would likely expire again. The sequence
// yields ErrRestarted, after which the previous items are void.
func PagedList[T any](ctx context.Context, opts metav1.ListOptions, pageSize int64, open func(context.Context, metav1.ListOptions) (*Page[T], error)) (*List[T], error) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &pages[T]{openPage: open, ctx: ctx}
	opts.Limit, p.grow = limit(opts, pageSize)
	p.requested, p.opts = opts, opts
	if err := p.open(); err != nil {
		cancel(nil)
		return nil, err
	}
	end := func() { cancel(errListClosed) }
	return &List[T]{
		items: p.items, version: func() string { return p.version },
		cancel: end, close: func() { end(); p.close() },
	}, nil
}

// The first page is small, so that its items arrive early. Each further one has twice the
// size, because a client with a limit of requests per second waits for each. kube-apiserver
// doubles the pages that it requests from etcd in the same way and up to the same size.
const (
	firstPageSize = 500
	maxPageSize   = 10_000
)

// limit returns the size of the first page, 0 for no pages, and whether it grows. The
// server reads a limit together with a version as "exactly this version", so no limit is
// added to options with a version. From version 0 the server lists from its cache, with
// or without paging.
func limit(opts metav1.ListOptions, pageSize int64) (size int64, grow bool) {
	switch {
	case opts.Limit != 0:
		return opts.Limit, false
	case opts.ResourceVersion != "" && opts.ResourceVersion != "0", pageSize < 0:
		return 0, false
	case pageSize == 0:
		return firstPageSize, true
	}
	return pageSize, false
}

var errNoPage = errors.New("list: the function that opens a page returned neither a page nor an error")

// errListClosed is the cause of a list's context that Close has ended.
var errListClosed = errors.New("the list was closed")

// pages is the only loop in this module that follows continue tokens.
type pages[T any] struct {
	openPage func(context.Context, metav1.ListOptions) (*Page[T], error)
	ctx      context.Context
	// requested are the options of the caller; opts are those of the next page.
	requested, opts metav1.ListOptions
	grow            bool // each page has twice the size of the previous one

	// current is the open page, nil if there is none.
	current *Page[T]
	// version is that of the first page, and so of the list: the continue token
	// determines the state of the later pages.
	version string
	// seen has the hashes of the tokens so far: a repeated token would cause an
	// endless loop.
	seen map[uint64]bool
	seed maphash.Seed
	// emptyPages counts the consecutive pages without items.
	emptyPages int
}

// maxEmptyPages bounds the number of consecutive pages that have no items but a
// token.
const maxEmptyPages = 1000

// open requests the page that opts describe. A page that continues the list may be
// retried even if the first page may not.
func (p *pages[T]) open() (err error) {
	ctx := p.ctx
	if p.opts.Continue != p.requested.Continue {
		ctx = attempt.Repeated(ctx)
	}
	if p.current, err = p.openPage(ctx, p.opts); err == nil && p.current == nil {
		err = errNoPage
	}
	return err
}

// close releases the open page, if any.
func (p *pages[T]) close() {
	if p.current != nil && p.current.Close != nil {
		p.current.Close()
	}
	p.current = nil
}

// items yields the open page and those that follow it.
func (p *pages[T]) items(yield func(T, error) bool) {
	var zero T
	restarted := false
	for {
		more, err := p.yieldPage(yield)
		if err != nil {
			yield(zero, err)
			return
		}
		if !more {
			return
		}
		if err = p.open(); err == nil {
			continue
		}
		// A list that begins with a continue token of the caller cannot be
		// restarted.
		if restarted || p.requested.Continue != "" || !isExpired(err) {
			yield(zero, err)
			return
		}
		restarted = true
		p.opts, p.version, p.seen = p.requested, "", nil
		p.opts.Limit = 0
		if err = p.open(); err != nil {
			yield(zero, err)
			return
		}
		if !yield(zero, ErrRestarted) {
			return
		}
	}
}

// yieldPage yields the items of the open page and closes it. more reports whether
// there is another page, for which opts are set.
func (p *pages[T]) yieldPage(yield func(T, error) bool) (more bool, err error) {
	defer p.close()
	var zero T
	items := 0
	for {
		item, err := p.current.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if !isItemError(err) {
				return false, p.wrap(err)
			}
			if !yield(zero, err) {
				return false, nil
			}
			continue
		}
		items++
		if !yield(item, nil) {
			return false, nil
		}
	}
	version, token := p.current.Meta()
	if err := wire.CheckVersion(version); err != nil {
		return false, p.wrap(err)
	}
	if p.version == "" {
		p.version = version
	}
	if token == "" {
		return false, nil
	}
	if err := p.setNextPage(token, items); err != nil {
		return false, p.wrap(err)
	}
	return true, nil
}

// setNextPage sets the options for the page after one with so many items.
func (p *pages[T]) setNextPage(token string, items int) error {
	if p.seen == nil {
		p.seen, p.seed = map[uint64]bool{}, maphash.MakeSeed()
	}
	hash := maphash.String(p.seed, token)
	if p.seen[hash] {
		return errors.New("the server's continue token refers to a page that has been read")
	}
	p.seen[hash] = true
	if p.emptyPages++; items > 0 {
		p.emptyPages = 0
	}
	if p.emptyPages > maxEmptyPages {
		return fmt.Errorf("%d consecutive pages had no items but a continue token", p.emptyPages)
	}
	// The token includes the version; the server rejects a request with both.
	p.opts.Continue = token
	p.opts.ResourceVersion, p.opts.ResourceVersionMatch = "", ""
	if p.grow {
		p.opts.Limit = min(2*p.opts.Limit, maxPageSize)
	}
	return nil
}

// wrap adds the operation to an error, or replaces it by the error of the ended
// context.
func (p *pages[T]) wrap(err error) error {
	return fmt.Errorf("%s: %w", p.current.Operation, contextError(p.ctx, err))
}

// newPage returns the page that a reader decodes from a body.
func newPage[T any](operation string, reader *wire.ListReader, body io.Closer) *Page[T] {
	return &Page[T]{
		Operation: operation,
		Next: func() (item T, err error) {
			object, err := reader.Next()
			if err != nil {
				return item, convertItemError(err)
			}
			return object.(T), nil
		},
		Meta: func() (resourceVersion, continuation string) {
			meta := reader.Meta()
			return meta.ResourceVersion, meta.Continuation
		},
		Close: func() {
			reader.Close()
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
