package pager

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

var errPagePanicked = errors.New("listing pages: the page function panicked")

// EachListItem calls fn with each item while the next pages are requested. It
// ends with the first error: of fn, of a request, or of ctx. If a continue
// token has expired, it does not request the whole list, since fn has received
// a part of it: the error is that of the server.
//
// It does not wait for a page when fn fails. One call of PageFn may then be
// running: its context is done, and no other one follows.
//
// Each item keeps the memory of its whole page; see EachListItemWithAlloc.
func (p *ListPager) EachListItem(ctx context.Context, options metav1.ListOptions, fn func(obj runtime.Object) error) error {
	return p.each(ctx, options, func(list runtime.Object) error { return meta.EachListItem(list, fn) })
}

// EachListItemWithAlloc is EachListItem with a copy of each item that its page
// does not contain as a pointer. The items do not keep the memory of their page.
func (p *ListPager) EachListItemWithAlloc(ctx context.Context, options metav1.ListOptions, fn func(obj runtime.Object) error) error {
	return p.each(ctx, options, func(list runtime.Object) error { return meta.EachListItemWithAlloc(list, fn) })
}

// each calls process with each page. A goroutine requests the pages. It ends with
// the last page, or with the request that is open when each returns.
func (p *ListPager) each(ctx context.Context, options metav1.ListOptions, process func(runtime.Object) error) error {
	if p.PageBufferSize < 0 {
		return fmt.Errorf("listing pages: ListPager.PageBufferSize is %d; it must not be negative", p.PageBufferSize)
	}
	requests, cancel := context.WithCancel(ctx)
	received := make(chan runtime.Object, p.PageBufferSize)
	var ended error // written before received is closed
	go func() {
		defer close(received)
		ended = errPagePanicked
		defer utilruntime.HandleCrashWithContext(requests)
		ended = p.request(requests, options, received)
	}()
	defer cancel()
	for list := range received {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := process(list); err != nil {
			return err
		}
	}
	return ended
}

// request sends all pages to received.
func (p *ListPager) request(ctx context.Context, options metav1.ListOptions, received chan<- runtime.Object) error {
	pages := p.pages(options)
	for !pages.ended {
		page, err := pages.next(ctx)
		if err != nil {
			return err
		}
		select {
		case received <- page.list:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
