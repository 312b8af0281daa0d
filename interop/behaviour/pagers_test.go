package behaviour

import (
	"context"
	"errors"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/pager"
)

// pagedPods lists ten pods in pages.
type pagedPods struct {
	s *scenario
	// onPage, if set, may respond instead, by returning an error.
	onPage   func(ctx context.Context, o metav1.ListOptions) error
	requests int
}

func (p *pagedPods) page(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	p.requests++
	if p.onPage != nil {
		if err := p.onPage(ctx, o); err != nil {
			return nil, err
		}
	}
	if o.Continue != "" && o.ResourceVersion != "" {
		return nil, apierrors.NewBadRequest("a resource version with a continue token")
	}
	begin, _ := strconv.Atoi(o.Continue)
	end := 10
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "10"}}
	if o.Limit > 0 && begin+int(o.Limit) < end {
		end = begin + int(o.Limit)
		list.Continue = strconv.Itoa(end)
	}
	for i := begin; i < end; i++ {
		list.Items = append(list.Items, *pod(strconv.Itoa(i), "1"))
	}
	return list, nil
}

func (p *pagedPods) pager(size int64) *pager.ListPager {
	made := pager.New(p.page)
	made.PageSize = size
	return made
}

// list prints the result of List.
func (p *pagedPods) list(of *pager.ListPager, o metav1.ListOptions) {
	list, paginated, err := of.List(context.Background(), o)
	if err != nil {
		p.s.printf("error, expired: %v, paginated: %v, requests: %d", apierrors.IsResourceExpired(err), paginated, p.requests)
		return
	}
	items := 0
	p.s.check(meta.EachListItem(list, func(runtime.Object) error { items++; return nil }))
	p.s.printf("%T with %d items, paginated: %v, requests: %d", list, items, paginated, p.requests)
}

// each prints the result of EachListItem.
func (p *pagedPods) each(of *pager.ListPager, o metav1.ListOptions, fn func() error) {
	items := 0
	err := of.EachListItem(context.Background(), o, func(runtime.Object) error {
		items++
		return fn()
	})
	p.s.printf("%d items, %s", items, failed(err))
}

func pagers() []testCase {
	nothing := func() error { return nil }
	expiresAt := func(token string) func(context.Context, metav1.ListOptions) error {
		return func(_ context.Context, o metav1.ListOptions) error {
			if o.Continue == token {
				return expired()
			}
			return nil
		}
	}
	return []testCase{
		{name: "pager/lists", run: func(s *scenario) {
			for _, size := range []int64{0, 3, 5, 10, 100} {
				p := &pagedPods{s: s}
				p.list(p.pager(size), metav1.ListOptions{ResourceVersion: "5"})
				p.each(p.pager(size), metav1.ListOptions{}, nothing)
			}
			p := &pagedPods{s: s}
			p.list(p.pager(100), metav1.ListOptions{Limit: 4})
		}},
		{name: "pager/a continue token that has expired", run: func(s *scenario) {
			for _, token := range []string{"", "3", "6"} {
				p := &pagedPods{s: s, onPage: expiresAt(token)}
				p.list(p.pager(3), metav1.ListOptions{})
				p.each(p.pager(3), metav1.ListOptions{}, nothing)
				of := p.pager(3)
				of.FullListIfExpired = false
				p.list(of, metav1.ListOptions{})
			}
		}},
		{name: "pager/errors", run: func(s *scenario) {
			p := &pagedPods{s: s}
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			_, _, err := p.pager(3).List(ended, metav1.ListOptions{})
			s.printf("%v", err)
			s.printf("%v", p.pager(3).EachListItem(ended, metav1.ListOptions{}, nil))
			s.printf("requests: %d", p.requests)
			of := p.pager(3)
			of.PageBufferSize = -1
			p.each(of, metav1.ListOptions{}, nothing)
			other := &pagedPods{s: s}
			other.each(other.pager(3), metav1.ListOptions{}, func() error { return errors.New("enough") })
			p.list(pager.New(pager.SimplePageFunc(func(metav1.ListOptions) (runtime.Object, error) { return pod("a", "1"), nil })), metav1.ListOptions{})
		}},
		{name: "pager/pages in advance", run: func(s *scenario) {
			p := &pagedPods{s: s}
			of := p.pager(1)
			of.PageBufferSize = 2
			p.each(of, metav1.ListOptions{}, func() error {
				s.sleep(time.Second)
				s.printf("requests: %d", p.requests)
				return nil
			})
		}},
		{name: "pager/the version of later pages", rows: "pager-version", run: func(s *scenario) {
			p := &pagedPods{s: s}
			p.each(p.pager(3), metav1.ListOptions{ResourceVersion: "5"}, nothing)
		}},
		{name: "pager/a panic of a page", rows: "pager-panic", run: func(s *scenario) {
			utilruntime.ReallyCrash = false
			defer func() { utilruntime.ReallyCrash = true }()
			p := &pagedPods{s: s, onPage: func(_ context.Context, o metav1.ListOptions) error {
				if o.Continue == "6" {
					panic("no more pages")
				}
				return nil
			}}
			p.each(p.pager(3), metav1.ListOptions{}, nothing)
			s.settle() // client-go's goroutine reads ReallyCrash after the end of the list
		}},
		{name: "pager/the page function after the end", run: func(s *scenario) {
			running := false
			p := &pagedPods{s: s}
			p.onPage = func(ctx context.Context, o metav1.ListOptions) error {
				if o.Continue == "" {
					return nil
				}
				running = true
				time.Sleep(time.Second)
				running = false
				return nil
			}
			p.each(p.pager(3), metav1.ListOptions{}, func() error {
				s.sleep(time.Millisecond)
				return errors.New("enough")
			})
			s.printf("running: %v", running)
			s.sleep(time.Minute)
		}},
		{name: "pager/no page function", rows: "nil-functions", run: func(s *scenario) {
			s.attempt("list", func() {
				_, _, err := pager.New(nil).List(context.Background(), metav1.ListOptions{})
				s.outcome("list", err)
			})
		}},
	}
}
