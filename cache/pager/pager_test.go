package pager_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/thinformer/thinformer/cache/pager"
)

// source serves total items in pages, at version "7", as a server does.
type source struct {
	total     int
	expiredAt int   // the item at which the continue token has expired; 0: never
	err       error // of every request that begins at an item after the first page

	mu       sync.Mutex
	requests []metav1.ListOptions // guarded by mu
}

func (s *source) page(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, options)
	begin, end := 0, s.total
	if options.Continue != "" {
		if options.ResourceVersion != "" || options.ResourceVersionMatch != "" {
			return nil, apierrors.NewBadRequest("a version with a continue token")
		}
		begin, _ = strconv.Atoi(options.Continue)
		if s.err != nil {
			return nil, s.err
		}
	}
	if s.expiredAt > 0 && begin >= s.expiredAt {
		return nil, apierrors.NewResourceExpired("the continue token")
	}
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	if options.Limit > 0 && begin+int(options.Limit) < s.total {
		end = begin + int(options.Limit)
		list.Continue = strconv.Itoa(end)
	}
	for i := begin; i < end; i++ {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(i)}})
	}
	return list, nil
}

func (s *source) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *source) pager(size int64) *pager.ListPager {
	p := pager.New(s.page)
	p.PageSize = size
	return p
}

func names(t *testing.T, list runtime.Object) (all []string) {
	t.Helper()
	require.NoError(t, meta.EachListItem(list, func(obj runtime.Object) error {
		all = append(all, obj.(*metav1.PartialObjectMetadata).Name)
		return nil
	}))
	return all
}

func numbers(n int) (all []string) {
	for i := range n {
		all = append(all, strconv.Itoa(i))
	}
	return all
}

// List, ListWithAlloc: all items in the order of the server, one page as it is, several as
// an internalversion.List with the version of the first one.
func TestListJoinsThePages(t *testing.T) {
	for total := range 12 {
		t.Run(fmt.Sprint(total), func(t *testing.T) {
			s := &source{total: total}
			for _, list := range []func(context.Context, metav1.ListOptions) (runtime.Object, bool, error){
				s.pager(3).List, s.pager(3).ListWithAlloc,
			} {
				s.requests = nil
				got, paginated, err := list(t.Context(), metav1.ListOptions{ResourceVersion: "7", LabelSelector: "a=b"})
				require.NoError(t, err)
				require.Equal(t, numbers(total), names(t, got))
				require.Equal(t, total > 3, paginated)
				if total > 3 {
					require.Equal(t, "7", got.(*internalversion.List).ResourceVersion)
				} else {
					require.IsType(t, &metav1.PartialObjectMetadataList{}, got)
				}
				require.Len(t, s.requests, max(1, (total+2)/3))
				for i, options := range s.requests {
					require.Equal(t, "a=b", options.LabelSelector)
					require.EqualValues(t, 3, options.Limit)
					require.Equal(t, i == 0, options.ResourceVersion == "7", "the version is that of the first request only")
				}
			}
		})
	}
}

// ListWithAlloc: items are copies, so that the page is not kept.
func TestListWithAllocCopiesItems(t *testing.T) {
	pages := []*metav1.PartialObjectMetadataList{
		{ListMeta: metav1.ListMeta{Continue: "1"}, Items: make([]metav1.PartialObjectMetadata, 1)},
		{Items: make([]metav1.PartialObjectMetadata, 1)},
	}
	next := 0
	p := pager.New(pager.SimplePageFunc(func(metav1.ListOptions) (runtime.Object, error) {
		next++
		return pages[next-1], nil
	}))
	copied, _, err := p.ListWithAlloc(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.NotSame(t, &pages[0].Items[0], copied.(*internalversion.List).Items[0])
	next = 0
	shared, _, err := p.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Same(t, &pages[0].Items[0], shared.(*internalversion.List).Items[0])
}

// FullListIfExpired: List requests everything at once, EachListItem fails.
func TestExpiredContinueToken(t *testing.T) {
	s := &source{total: 10, expiredAt: 6}
	got, paginated, err := s.pager(3).List(t.Context(), metav1.ListOptions{ResourceVersion: "7", ResourceVersionMatch: "NotOlderThan"})
	require.NoError(t, err)
	require.True(t, paginated)
	require.Equal(t, numbers(10), names(t, got))
	last := s.requests[len(s.requests)-1]
	require.Equal(t, metav1.ListOptions{ResourceVersion: "7", ResourceVersionMatch: "NotOlderThan"}, last)

	p := s.pager(3)
	p.FullListIfExpired = false
	_, _, err = p.List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsResourceExpired(err))

	var seen int
	err = s.pager(3).EachListItem(t.Context(), metav1.ListOptions{}, func(runtime.Object) error { seen++; return nil })
	require.True(t, apierrors.IsResourceExpired(err))
	require.Equal(t, 6, seen)

	// The first request is not repeated.
	calls := 0
	_, _, err = pager.New(func(context.Context, metav1.ListOptions) (runtime.Object, error) {
		calls++
		return nil, apierrors.NewResourceExpired("version")
	}).List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsResourceExpired(err))
	require.Equal(t, 1, calls)
}

func TestErrorsOfListsAreReturned(t *testing.T) {
	s := &source{total: 10, err: errors.New("refused")}
	_, paginated, err := s.pager(3).List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, s.err)
	require.True(t, paginated)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = s.pager(3).List(ended, metav1.ListOptions{})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, s.pager(3).EachListItem(ended, metav1.ListOptions{}, nil), context.Canceled)

	noList := pager.New(func(context.Context, metav1.ListOptions) (runtime.Object, error) { return &runtime.Unknown{}, nil })
	for _, p := range []*pager.ListPager{noList, pager.New(nil), pager.New(pager.SimplePageFunc(nil))} {
		_, _, err = p.List(t.Context(), metav1.ListOptions{})
		require.ErrorContains(t, err, "listing pages: ")
		require.ErrorContains(t, p.EachListItem(t.Context(), metav1.ListOptions{}, nil), "listing pages: ")
	}
	p := s.pager(3)
	p.PageBufferSize = -1
	require.ErrorContains(t, p.EachListItem(t.Context(), metav1.ListOptions{}, nil), "PageBufferSize is -1")
}

// EachListItem: every item once, in order; the version only in the first request.
func TestEachListItemCallsWithEveryItem(t *testing.T) {
	s := &source{total: 10}
	for _, each := range []func(context.Context, metav1.ListOptions, func(runtime.Object) error) error{
		s.pager(3).EachListItem, s.pager(3).EachListItemWithAlloc,
	} {
		var got []string
		require.NoError(t, each(t.Context(), metav1.ListOptions{ResourceVersion: "7"}, func(obj runtime.Object) error {
			got = append(got, obj.(*metav1.PartialObjectMetadata).Name)
			return nil
		}))
		require.Equal(t, numbers(10), got)
	}
}

// PageBufferSize: this many pages are requested in advance, plus one that waits for its
// place and the one whose items are processed.
func TestPagesInAdvanceAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{total: 100}
		p := s.pager(1)
		p.PageBufferSize = 2
		seen := 0
		require.NoError(t, p.EachListItem(t.Context(), metav1.ListOptions{}, func(runtime.Object) error {
			seen++
			synctest.Wait()
			require.Equal(t, min(100, seen+3), s.count())
			return nil
		}))
	})
}

// An error of fn is returned at once, although a request ignores the end of its context.
// That request is the last one, and the goroutine ends with it.
func TestErrorOfAnItemDoesNotWaitForAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{total: 10}
		requesting, release, failed := make(chan context.Context, 1), make(chan struct{}), errors.New("enough")
		p := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			if options.Continue != "" {
				requesting <- ctx
				<-release
			}
			return s.page(context.WithoutCancel(ctx), options)
		})
		p.PageSize = 3
		var page context.Context
		err := p.EachListItem(t.Context(), metav1.ListOptions{}, func(runtime.Object) error {
			page = <-requesting
			return failed
		})
		require.ErrorIs(t, err, failed)
		require.ErrorIs(t, page.Err(), context.Canceled)
		require.Equal(t, 1, s.count(), "the second page is still being requested")
		close(release)
		synctest.Wait() // the bubble fails if the goroutine does not end
		require.Equal(t, 2, s.count())
	})
}

// A panic of the page function that does not end the process is an error.
func TestPanicOfAPageIsNotACompleteList(t *testing.T) {
	utilruntime.ReallyCrash = false
	defer func() { utilruntime.ReallyCrash = true }()
	s := &source{total: 10}
	p := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		if options.Continue != "" {
			panic("out of pages")
		}
		return s.page(ctx, options)
	})
	p.PageSize = 3
	seen := 0
	err := p.EachListItem(t.Context(), metav1.ListOptions{}, func(runtime.Object) error { seen++; return nil })
	require.ErrorContains(t, err, "the page function panicked")
	require.Equal(t, 3, seen)
}
