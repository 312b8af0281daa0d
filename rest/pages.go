package rest

import (
	"context"
	"fmt"
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
	// first is the version of the first page; every later one shows the same.
	first string
	// done is set when the last page has ended well.
	done bool
}

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

// version is that of the list, once all of it has been read.
func (p *pages[T]) version() string {
	if !p.done {
		return ""
	}
	return p.first
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
		p.opts, p.limit, p.first = p.asked, 0, ""
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
		if !yield(object.(T), nil) {
			return false, nil
		}
	}
	meta := p.reader.meta()
	if p.first == "" {
		p.first = meta.resourceVersion
	}
	if meta.continuation == "" {
		p.done = true
		return false, nil
	}
	if meta.continuation == p.opts.Continue {
		return false, p.failed(fmt.Errorf("the server's continue token leads back to the page it came with"))
	}
	// The token says which version it goes on with; the server refuses both.
	p.opts.Continue = meta.continuation
	p.opts.ResourceVersion, p.opts.ResourceVersionMatch = "", ""
	return true, nil
}

// failed says what was being read. When the context has ended, that is why.
func (p *pages[T]) failed(err error) error {
	if ended := context.Cause(p.ctx); ended != nil {
		err = ended
	}
	return fmt.Errorf("%s: %w", p.what, err)
}

func isExpired(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

func isItemError(err error) bool {
	_, ok := err.(*ItemError)
	return ok
}
