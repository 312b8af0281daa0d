package controller_test

import (
	"context"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// withoutBookmarks makes watches send no bookmarks, so that an informer receives only
// events of its own objects.
func (f *fixture) withoutBookmarks() {
	f.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DropBookmarks()})
}

// timeToSecondReconcile runs a controller of the informer whose first reconcile of the
// key "key" calls write. The key is enqueued every 100 ms. It returns the time from the
// write to the start of the second reconcile, or never.
func (f *fixture) timeToSecondReconcile(maps *informer.SharedInformer[*configMap], write func(context.Context)) time.Duration {
	f.t.Helper()
	requests := make(chan controller.Request)
	var starts []time.Time
	c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		if req.Name == "key" {
			if starts = append(starts, time.Now()); len(starts) == 1 {
				write(ctx)
				starts[0] = time.Now()
			}
		}
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(c, maps)
	controller.Channel(c, requests)
	stop := f.run(c)
	time.Sleep(10 * time.Second)
	for began := time.Now(); len(starts) < 2 && time.Since(began) < never; {
		requests <- controller.Request{Name: "key"}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
	}
	held := c.State().Held
	stop()
	if len(starts) < 2 {
		return never
	}
	require.Zero(f.t, held)
	return starts[1].Sub(starts[0]).Round(time.Second)
}

// never is the result if there is no second reconcile within an hour.
const never = time.Hour

func withLabels(name string, pairs ...string) *configMap {
	m := newMap(name)
	for i := 0; i < len(pairs); i += 2 {
		metav1.SetMetaDataLabel(&m.ObjectMeta, pairs[i], pairs[i+1])
	}
	return m
}

// A key does not wait for an object that the informer's selectors exclude. If a write
// makes the selectors exclude the object, the key waits until the store does not have it.
// The watches are delayed and have no bookmarks.
func TestExcludedObjectHoldsNoKey(t *testing.T) {
	byLabel := func(o *metav1.ListOptions) { o.LabelSelector = "app=shop" }
	tweaked := func(s *fixture) *informer.SharedInformer[*configMap] {
		return informer.For(s.factory, s.maps, informer.Options[*configMap]{TweakListOptions: byLabel})
	}
	selected := func(s *fixture) *informer.SharedInformer[*configMap] {
		source := listwatch.Select[*configMap](s.maps, labels.SelectorFromSet(labels.Set{"app": "shop"}), nil)
		return informer.For(s.factory, source, informer.Options[*configMap]{})
	}
	named := func(s *fixture) *informer.SharedInformer[*configMap] {
		source := listwatch.Select[*configMap](s.maps, nil, fields.OneTermEqualSelector("metadata.name", "shown"))
		return informer.For(s.factory, source, informer.Options[*configMap]{})
	}
	create := func(s *fixture, m *configMap) func(context.Context) {
		return func(ctx context.Context) {
			_, err := s.maps.Create(ctx, m, metav1.CreateOptions{})
			require.NoError(s.t, err)
		}
	}
	label := func(s *fixture, name, value string) func(context.Context) {
		return func(ctx context.Context) {
			_, err := s.maps.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"labels":{"app":"`+value+`"}}}`), metav1.PatchOptions{})
			require.NoError(s.t, err)
		}
	}
	type inf = *informer.SharedInformer[*configMap]
	all := func(writes ...func(context.Context)) func(context.Context) {
		return func(ctx context.Context) {
			for _, w := range writes {
				w(ctx)
			}
		}
	}
	for name, c := range map[string]struct {
		informer func(*fixture) inf
		write    func(*fixture) func(context.Context)
		waits    time.Duration
		object   string
		found    bool // the informer has the object at the end
	}{
		"created with other labels":    {tweaked, func(s *fixture) func(context.Context) { return create(s, withLabels("b", "app", "other")) }, 0, "b", false},
		"created without labels":       {tweaked, func(s *fixture) func(context.Context) { return create(s, withLabels("b")) }, 0, "b", false},
		"created, with Select":         {selected, func(s *fixture) func(context.Context) { return create(s, withLabels("b")) }, 0, "b", false},
		"created with another name":    {named, func(s *fixture) func(context.Context) { return create(s, withLabels("b")) }, 0, "b", false},
		"created with its name":        {named, func(s *fixture) func(context.Context) { return create(s, withLabels("shown")) }, watchDelay, "shown", true},
		"created with its labels":      {tweaked, func(s *fixture) func(context.Context) { return create(s, withLabels("b", "app", "shop")) }, watchDelay, "b", true},
		"labels changed, now excluded": {tweaked, func(s *fixture) func(context.Context) { return label(s, "a", "other") }, watchDelay, "a", false},
		"labels changed twice, included again": {tweaked, func(s *fixture) func(context.Context) {
			return all(label(s, "a", "other"), label(s, "a", "shop"))
		}, watchDelay, "a", true},
		"labels changed, now included": {tweaked, func(s *fixture) func(context.Context) { return label(s, "outside", "shop") }, watchDelay, "outside", true},
		"created and then excluded": {tweaked, func(s *fixture) func(context.Context) {
			return all(create(s, withLabels("b", "app", "shop")), label(s, "b", "other"))
		}, watchDelay, "b", false},
		"created, then included, then deleted": {tweaked, func(s *fixture) func(context.Context) {
			return all(create(s, withLabels("b")), label(s, "b", "shop"), func(ctx context.Context) {
				require.NoError(s.t, s.maps.Delete(ctx, "b", metav1.DeleteOptions{}))
			})
		}, watchDelay, "b", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, watchDelay)
				s.withoutBookmarks()
				apitest.Create(t, s.server, withLabels("a", "app", "shop"))
				apitest.Create(t, s.server, withLabels("outside", "app", "other"))
				maps := c.informer(s)
				write := c.write(s)
				require.Equal(t, c.waits, s.timeToSecondReconcile(maps, write))
				_, found := maps.Get("default/" + c.object)
				require.Equal(t, c.found, found)
			})
		})
	}
}

// coloured is an object whose field spec.color can be selected.
type coloured struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Color string `json:"color"`
	} `json:"spec"`
}

var colours = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "coloured"},
	Kind:                 "Coloured", Namespaced: true,
}

func newColoured(name, color string) *coloured {
	c := &coloured{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Coloured"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	c.Spec.Color = color
	return c
}

// Only the server can tell whether a field selector excludes an object. It is queried
// once, after WriteTimeout, by a list with the informer's selectors and the name of the
// object, at the written version.
func TestFieldSelectorHoldsAKeyUntilWriteTimeout(t *testing.T) {
	type outcome struct {
		waits   time.Duration
		queries int
		stale   int
	}
	for name, c := range map[string]struct {
		write func(ctx context.Context, s *fixture, r *rest.Resource[*coloured]) error
		fault func(s *fixture)
		want  outcome
	}{
		"created with another value": {
			write: func(ctx context.Context, _ *fixture, r *rest.Resource[*coloured]) error {
				_, err := r.Create(ctx, newColoured("b", "blue"), metav1.CreateOptions{})
				return err
			},
			want: outcome{time.Minute, 1, 0},
		},
		"created with another value and deleted": {
			write: func(ctx context.Context, _ *fixture, r *rest.Resource[*coloured]) error {
				if _, err := r.Create(ctx, newColoured("b", "blue"), metav1.CreateOptions{}); err != nil {
					return err
				}
				return r.Delete(ctx, "b", metav1.DeleteOptions{})
			},
			want: outcome{time.Minute, 2, 0},
		},
		"changed to another value, observed in time": {
			write: func(ctx context.Context, _ *fixture, r *rest.Resource[*coloured]) error {
				_, err := r.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"color":"blue"}}`), metav1.PatchOptions{})
				return err
			},
			want: outcome{watchDelay, 0, 0},
		},
		"late informer, the server lists the object": {
			fault: func(s *fixture) {
				s.server.RemoveFaults()
				s.withoutBookmarks()
				s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DelayEvents(10 * time.Minute)})
			},
			write: func(ctx context.Context, _ *fixture, r *rest.Resource[*coloured]) error {
				_, err := r.Create(ctx, newColoured("b", "red"), metav1.CreateOptions{})
				return err
			},
			want: outcome{10 * time.Minute, 1, 1},
		},
		"late informer, the store still has the object": {
			fault: func(s *fixture) {
				s.server.RemoveFaults()
				s.withoutBookmarks()
				s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DelayEvents(10 * time.Minute)})
			},
			write: func(ctx context.Context, _ *fixture, r *rest.Resource[*coloured]) error {
				_, err := r.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"color":"blue"}}`), metav1.PatchOptions{})
				return err
			},
			want: outcome{10 * time.Minute, 1, 1},
		},
		"query rejected twice": {
			write: func(ctx context.Context, s *fixture, r *rest.Resource[*coloured]) error {
				s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "list", UserAgent: "informing"}, Action: apitest.Fail(403, 0), Times: 2})
				_, err := r.Create(ctx, newColoured("b", "blue"), metav1.CreateOptions{})
				return err
			},
			want: outcome{3 * time.Minute, 3, 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, watchDelay)
				s.withoutBookmarks()
				require.NoError(t, s.server.Register(apitest.Resource{ResourceInfo: colours, SelectableFields: []string{"spec.color"}}))
				apitest.Create(t, s.server, newColoured("a", "red"))
				if c.fault != nil {
					c.fault(s)
				}
				config := s.server.Config()
				config.UserAgent = "informing"
				informing, err := rest.New(config)
				require.NoError(t, err)
				t.Cleanup(informing.Close)
				source := listwatch.Select[*coloured](rest.NewView[*coloured](informing, colours).Namespace("default"), nil, fields.OneTermEqualSelector("spec.color", "red"))
				inf := informer.For(s.factory, source, informer.Options[*coloured]{TweakListOptions: func(o *metav1.ListOptions) {
					o.LabelSelector = "!hidden"
				}, PreferList: true, IdleTimeout: 24 * time.Hour, WatchTimeout: 24 * time.Hour})
				writes := rest.NewResource[*coloured](s.client, colours).Namespace("default")
				var began, again time.Time
				var stale []*controller.StaleError
				requests := make(chan controller.Request)
				ctl := controller.New("colours", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
					switch {
					case req.Name != "key":
					case began.IsZero():
						began = time.Now()
						return controller.Result{RequeueAfter: time.Millisecond}, c.write(ctx, s, writes)
					default:
						again = time.Now()
					}
					return controller.Result{}, nil
				}), controller.Options{WriteTimeout: time.Minute, Trace: &controller.Trace{
					Stale: func(_ controller.TraceInfo, err *controller.StaleError) { stale = append(stale, err) },
				}})
				controller.For(ctl, inf)
				controller.Channel(ctl, requests)
				stop := s.run(ctl)
				time.Sleep(10 * time.Second)
				s.server.ForgetRequests()
				requests <- controller.Request{Name: "key"}
				time.Sleep(90 * time.Second)
				shown := ctl.State().Stale
				time.Sleep(time.Hour)
				stop()
				queries := s.server.Requests(apitest.Match{Verb: "list", UserAgent: "informing"})
				require.Equal(t, c.want, outcome{again.Sub(began).Round(time.Second), len(queries), len(stale)})
				for _, q := range queries {
					require.Equal(t, "default", q.Namespace)
					query, err := url.ParseQuery(q.Query)
					require.NoError(t, err)
					require.Contains(t, query.Get("fieldSelector"), "spec.color=red,metadata.name=")
					require.Equal(t, "!hidden", query.Get("labelSelector"))
					require.Equal(t, "NotOlderThan", query.Get("resourceVersionMatch"))
					require.NotEmpty(t, query.Get("resourceVersion"))
				}
				if c.want.stale > 0 {
					require.Equal(t, stale, shown)
				}
				switch name {
				case "query rejected twice":
					require.ErrorContains(t, stale[0], "the query whether the informer's selectors exclude the object failed")
					require.True(t, apierrors.IsForbidden(stale[0].QueryErr), stale[0].QueryErr)
				case "late informer, the server lists the object":
					require.True(t, stale[0].Listed)
				}
			})
		})
	}
}

// The first write of an object that a field selector excludes holds its key until
// WriteTimeout. After later writes the server is queried after one second, since the
// write may have changed the selected field. In that case the key waits for the informer.
func TestLaterWriteOfAnExcludedObjectIsQueriedEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 10*time.Second)
		s.withoutBookmarks()
		require.NoError(t, s.server.Register(apitest.Resource{ResourceInfo: colours, SelectableFields: []string{"spec.color"}}))
		config := s.server.Config()
		config.UserAgent = "informing"
		informing, err := rest.New(config)
		require.NoError(t, err)
		t.Cleanup(informing.Close)
		source := listwatch.Select[*coloured](rest.NewView[*coloured](informing, colours).Namespace("default"), nil, fields.OneTermEqualSelector("spec.color", "red"))
		inf := informer.For(s.factory, source, informer.Options[*coloured]{PreferList: true, IdleTimeout: 24 * time.Hour, WatchTimeout: 24 * time.Hour})
		objects := rest.NewResource[*coloured](s.client, colours).Namespace("default")
		setColor := func(ctx context.Context, color string) error {
			_, err := objects.Patch(ctx, "b", types.MergePatchType, []byte(`{"spec":{"color":"`+color+`"}}`), metav1.PatchOptions{})
			return err
		}
		writes := []func(context.Context) error{
			func(ctx context.Context) error {
				_, err := objects.Create(ctx, newColoured("b", "blue"), metav1.CreateOptions{})
				return err
			},
			func(ctx context.Context) error { return setColor(ctx, "green") },
			func(ctx context.Context) error {
				s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "list", UserAgent: "informing"}, Action: apitest.Fail(403, 0), Times: 1})
				return setColor(ctx, "yellow")
			},
			func(ctx context.Context) error { return setColor(ctx, "red") },
			func(ctx context.Context) error { return setColor(ctx, "white") },
		}
		var starts []time.Time
		ctl := controller.New("colours", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			if req.Name != "key" {
				return controller.Result{}, nil
			}
			if starts = append(starts, time.Now()); len(starts) > len(writes) {
				return controller.Result{}, nil
			}
			return controller.Result{RequeueAfter: time.Millisecond}, writes[len(starts)-1](ctx)
		}), controller.Options{WriteTimeout: time.Minute})
		controller.For(ctl, inf)
		requests := make(chan controller.Request)
		controller.Channel(ctl, requests)
		stop := s.run(ctl)
		time.Sleep(10 * time.Second)
		s.server.ForgetRequests()
		requests <- controller.Request{Name: "key"}
		time.Sleep(time.Hour)
		stop()
		var waited []time.Duration
		for i := 1; i < len(starts); i++ {
			waited = append(waited, starts[i].Sub(starts[i-1]).Round(time.Second))
		}
		require.Equal(t, []time.Duration{
			time.Minute,      // there is no earlier response
			time.Second,      // it is still excluded
			time.Minute,      // the early query fails; the next one is at WriteTimeout
			10 * time.Second, // it is selected now: the key waits for the informer
			10 * time.Second, // the store still has it: the key waits for the informer
		}, waited)
		require.Len(t, s.server.Requests(apitest.Match{Verb: "list", UserAgent: "informing"}), 5)
	})
}

// A custom source cannot be queried. The key waits, and State has the reason.
func TestStateShowsWhyTheQueryFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		s.withoutBookmarks()
		s.create("a")
		custom := &listwatch.ListWatch[*configMap]{
			ListFunc: func(ctx context.Context, o metav1.ListOptions) (*listwatch.List[*configMap], error) {
				return s.maps.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=a"})
			},
			WatchFunc: func(ctx context.Context, o metav1.ListOptions) (*listwatch.Watch[*configMap], error) {
				o.FieldSelector = "metadata.name=a"
				return s.maps.Watch(ctx, o)
			},
		}
		inf := informer.For[*configMap](s.factory, sourceWithInfo{custom}, informer.Options[*configMap]{PreferList: true})
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			if req.Name != "a" {
				return controller.Result{}, nil
			}
			_, err := s.maps.Create(ctx, newMap("b"), metav1.CreateOptions{})
			return controller.Result{}, err
		}), controller.Options{})
		controller.For(c, inf)
		stop := s.run(c)
		time.Sleep(3 * time.Minute)
		stale := c.State().Stale
		require.Len(t, stale, 1)
		require.ErrorIs(t, stale[0], informer.ErrQueryUnsupported)
		require.ErrorIs(t, stale[0].QueryErr, informer.ErrQueryUnsupported)
		s.touch(t.Context(), "a") // the informer reaches a later version
		time.Sleep(time.Second)
		require.Zero(t, c.State().Held)
		stop()
	})
}

// sourceWithInfo is a custom source with a ResourceInfo.
type sourceWithInfo struct {
	*listwatch.ListWatch[*configMap]
}

func (sourceWithInfo) ResourceInfo() rest.ResourceInfo { return configMaps }

// A key does not wait for a write to another server. It waits for a write to the
// informer's server by any client.
func TestWriteToAnotherServerHoldsNoKey(t *testing.T) {
	for name, c := range map[string]struct {
		host  string
		waits time.Duration
	}{
		"another server": {"http://other.example", 0},
		"another client": {"", watchDelay},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, watchDelay)
				s.withoutBookmarks()
				s.create("a")
				config := s.server.Config()
				if c.host != "" {
					other := apitest.NewServer(apitest.Options{InMemory: true})
					t.Cleanup(other.Close)
					for range 100 { // its versions are higher
						apitest.Create(t, other, &configMap{TypeMeta: newMap("").TypeMeta, ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "many-"}})
					}
					config = other.Config()
					config.Host = c.host
				}
				client, err := rest.New(config)
				require.NoError(t, err)
				t.Cleanup(client.Close)
				maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
				require.Equal(t, c.waits, s.timeToSecondReconcile(maps, func(ctx context.Context) {
					_, err := rest.NewResource[*configMap](client, configMaps).Create(ctx, newMap("b"), metav1.CreateOptions{})
					require.NoError(t, err)
				}))
			})
		})
	}
}
