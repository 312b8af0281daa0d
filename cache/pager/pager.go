package pager

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Defaults of New.
const (
	defaultPageSize       = 500
	defaultPageBufferSize = 10
)

var errNoPageFn = errors.New("listing pages: ListPager.PageFn is nil")

// ListPageFunc returns a list for the options: one page, if they have a limit.
type ListPageFunc func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error)

// SimplePageFunc returns a page function that ignores the context.
func SimplePageFunc(fn func(opts metav1.ListOptions) (runtime.Object, error)) ListPageFunc {
	if fn == nil {
		return nil
	}
	return func(_ context.Context, opts metav1.ListOptions) (runtime.Object, error) { return fn(opts) }
}

// ListPager reads lists in pages.
type ListPager struct {
	// PageSize is the limit of a page if the options have none. Zero requests
	// the whole list at once.
	PageSize int64
	// PageFn requests a page.
	PageFn ListPageFunc
	// FullListIfExpired makes List and ListWithAlloc request the whole list at
	// once if the continue token has expired.
	FullListIfExpired bool
	// PageBufferSize is the number of pages that EachListItem and
	// EachListItemWithAlloc request in advance.
	PageBufferSize int32
}

// New returns a pager with pages of 500 items, of which 10 are requested in
// advance, and with FullListIfExpired.
func New(fn ListPageFunc) *ListPager {
	return &ListPager{PageSize: defaultPageSize, PageFn: fn, FullListIfExpired: true, PageBufferSize: defaultPageBufferSize}
}

// List returns a list with the items of all pages. If there is only one page,
// it is returned as it is; otherwise the list is an internalversion.List.
// paginated reports whether more than one page was requested.
//
// Each item keeps the memory of its whole page; see ListWithAlloc.
func (p *ListPager) List(ctx context.Context, options metav1.ListOptions) (list runtime.Object, paginated bool, err error) {
	return p.list(ctx, options, meta.EachListItem)
}

// ListWithAlloc is List with a copy of each item that its page does not contain
// as a pointer. The items do not keep the memory of their page.
func (p *ListPager) ListWithAlloc(ctx context.Context, options metav1.ListOptions) (list runtime.Object, paginated bool, err error) {
	return p.list(ctx, options, meta.EachListItemWithAlloc)
}

// eachItem calls a function with each item of a list.
type eachItem = func(list runtime.Object, fn func(runtime.Object) error) error

func (p *ListPager) list(ctx context.Context, options metav1.ListOptions, each eachItem) (runtime.Object, bool, error) {
	var all *internalversion.List
	pages := p.pages(options)
	for {
		paginated := all != nil
		page, err := pages.next(ctx)
		if err != nil && p.FullListIfExpired && pages.options.Continue != "" && apierrors.IsResourceExpired(err) {
			whole := options
			whole.Limit, whole.Continue = 0, ""
			list, err := p.PageFn(ctx, whole)
			return list, paginated, err
		}
		switch {
		case err != nil:
			return nil, paginated, err
		case all == nil && pages.ended:
			return page.list, paginated, nil
		case all == nil:
			all = &internalversion.List{Items: make([]runtime.Object, 0, 2*meta.LenList(page.list))}
			all.ResourceVersion = page.version
		}
		if err := each(page.list, func(item runtime.Object) error {
			all.Items = append(all.Items, item)
			return nil
		}); err != nil {
			return nil, paginated, err
		}
		if pages.ended {
			return all, paginated, nil
		}
	}
}

// pages requests the pages of a list, one after the other.
type pages struct {
	fn      ListPageFunc
	options metav1.ListOptions // of the next request
	ended   bool               // by the last page
}

type page struct {
	list    runtime.Object
	version string
}

func (p *ListPager) pages(options metav1.ListOptions) *pages {
	if options.Limit == 0 {
		options.Limit = p.PageSize
	}
	return &pages{fn: p.PageFn, options: options}
}

// next returns the next page.
func (p *pages) next(ctx context.Context) (page, error) {
	if p.fn == nil {
		return page{}, errNoPageFn
	}
	if err := ctx.Err(); err != nil {
		return page{}, err
	}
	list, err := p.fn(ctx, p.options)
	if err != nil {
		return page{}, err
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return page{}, fmt.Errorf("listing pages: the page function returned a %T, which is no list: %w", list, err)
	}
	p.options.Continue = m.GetContinue()
	p.options.ResourceVersion, p.options.ResourceVersionMatch = "", ""
	p.ended = p.options.Continue == ""
	return page{list, m.GetResourceVersion()}, nil
}
